import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { query } from '../../api/query.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { type Condition, isFinished, type Segment } from './segment.ts'

const PAUSE_MS = 300

/** Counts, a moment after the last change, how many readers fit what is said so far. */
export function useMatching(newsletterId: string, { isSome, conditions }: Segment) {
  const { id: businessId } = useBusiness()
  const { may } = usePermissions()
  const now = JSON.stringify(conditions.filter(isFinished))
  const [settled, setSettled] = useState(now)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(now), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [now])
  const isAsked = isSome && may('SUBSCRIBERS_READ')
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    ...query(businessId, 'countMatchingReaders', {
      path: { id: newsletterId },
      body: { conditions: JSON.parse(settled) as Condition[] },
    }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  })
  return {
    found: isAsked ? data : undefined,
    error: isAsked ? error : null,
    /** What is shown is not yet about what was said last. */
    isAsking: isAsked && (settled !== now || isPlaceholderData || (isFetching && !data)),
  }
}
