import type { Answer } from '@kontor/sdk'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { query } from '../../api/query.ts'
import { useBusiness } from '../../session/use-business.ts'
import type { Block, Collection } from '../queries.ts'

const PAUSE_MS = 400

export type Found = Answer<'findSchemaImpact'>

/** Asks, a moment after the last change, which entries would no longer fit these fields. Nothing is written. */
export function useImpact(collection: Collection, blocks: readonly Block[], isWanted: boolean) {
  const { t } = useLingui()
  const business = useBusiness()
  const now = JSON.stringify(blocks)
  const [settled, setSettled] = useState(now)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(now), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [now])
  const { data, error, isFetching } = useQuery({
    ...query(business.id, 'findSchemaImpact', {
      path: { id: collection.id },
      body: { blocks: JSON.parse(settled) as Block[] },
    }),
    enabled: isWanted,
    placeholderData: keepPreviousData,
  })
  const found: Found | undefined = isWanted ? data : undefined
  const count = found?.items.length ?? 0
  return {
    found,
    error: isWanted ? error : null,
    isAsking: isWanted && (isFetching || settled !== now),
    warning:
      count > 0
        ? t`${plural(count, { one: '# entry', other: '# entries' })} will no longer fit. Readers see it as before.`
        : undefined,
  }
}
