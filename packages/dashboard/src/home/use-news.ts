import { useEffect } from 'react'
import { queryClient } from '../api/client.ts'
import { useLive } from '../live/live.tsx'
import { usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'
import { newsQuery } from './news.ts'

const GATHER_MS = 800

/** Up to which event the news of each business were asked for. */
const askedAt = new Map<string, number>()

/** What went wrong, as far as only the feed knows it. */
export function useNews() {
  const { may } = usePermissions()
  return newsQuery(useBusiness().id, may)
}

/** Reads them again after each event: the feed does not make itself old. Once a page. */
export function useFreshNews(): void {
  const { id } = useBusiness()
  const { number } = useLive()
  const { queryKey } = useNews()
  const key = JSON.stringify(queryKey)
  useEffect(() => {
    if (number === 0 || askedAt.get(id) === number) return undefined
    const isFirst = queryClient.getQueryData(JSON.parse(key) as unknown[]) === undefined && !askedAt.has(id)
    if (isFirst) {
      askedAt.set(id, number) // it is being read just now
      return undefined
    }
    const timer = setTimeout(() => {
      askedAt.set(id, number)
      void queryClient.invalidateQueries({ queryKey: JSON.parse(key) as unknown[] })
    }, GATHER_MS)
    return () => clearTimeout(timer)
  }, [id, number, key])
}
