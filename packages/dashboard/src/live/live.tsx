import type { BusinessEvent } from '@kontor/sdk'
import { createContext, type ReactNode, use, useEffect, useState } from 'react'
import { queryClient } from '../api/client.ts'
import { invalidate, type Key } from '../api/query.ts'
import { type Permission, usePermissions } from '../session/permissions.ts'
import { affectedBy, isFollowed } from './affects.ts'
import { feedOf } from './feed.ts'
import { type Following, follow } from './follow.ts'

/** Many events at once are one reading. */
const GATHER_MS = 400
/** More than this were missed: reading all again is quicker than looking at each. */
const MANY = 500

/** Any of these shows a part of the feed. */
const READERS: Permission[] = [
  'ORDERS_READ',
  'PRODUCTS_WRITE',
  'PROMOS_WRITE',
  'CONTENT_READ_DRAFTS',
  'SUBSCRIBERS_READ',
]
const OFF: Following = { state: 'off', number: 0, at: 0 }

const Context = createContext<Following>({ state: 'starting', number: 0, at: 0 })

export const useLive = () => use(Context)

/** Follows the feed of the open business and makes old what its events are about. */
export function Live({ businessId, children }: { businessId: string; children: ReactNode }) {
  const [following, setFollowing] = useState<Following>({ state: 'starting', number: 0, at: 0 })
  const mayFollow = usePermissions().mayAny(...READERS)
  useEffect(() => {
    if (!mayFollow) return undefined
    const ended = new AbortController()
    const gathered: BusinessEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const hear = (events: readonly BusinessEvent[]) => {
      gathered.push(...events)
      timer ??= setTimeout(() => {
        timer = undefined
        refresh(businessId, gathered.splice(0))
      }, GATHER_MS)
    }
    const begin = () => refreshAll(businessId)
    void follow(feedOf(businessId), { begin, hear, tell: setFollowing }, ended.signal)
    return () => {
      ended.abort()
      clearTimeout(timer)
    }
  }, [businessId, mayFollow])
  return <Context value={mayFollow ? following : OFF}>{children}</Context>
}

function refresh(businessId: string, events: readonly BusinessEvent[]): void {
  if (events.length > MANY) return refreshAll(businessId)
  // Name, time zone, markets and roles are read outside of any business.
  if (events.some(({ type }) => /^(business|role|member)\./.test(type)))
    void invalidate('-', ['listBusinesses', 'getMe'])
  for (const affected of new Set(events.map(({ type }) => affectedBy(type)))) void invalidate(businessId, affected)
}

function refreshAll(businessId: string): void {
  void queryClient.invalidateQueries({
    predicate: ({ queryKey }) => {
      const [owner, operation] = queryKey as unknown as Key
      return owner === businessId && isFollowed(operation)
    },
  })
}
