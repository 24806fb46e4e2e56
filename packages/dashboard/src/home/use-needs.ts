import { useEffect } from 'react'
import { queryClient } from '../api/client.ts'
import { useLive } from '../live/live.tsx'
import { usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'
import { needsQuery } from './needs.ts'

const GATHER_MS = 800

/** What needs a person, read again after each news: these come from the feed, which does not make itself old. */
export function useNeeds() {
  const { id } = useBusiness()
  const { may } = usePermissions()
  const { number } = useLive()
  useEffect(() => {
    if (number === 0) return
    const timer = setTimeout(() => void queryClient.invalidateQueries({ queryKey: [id, 'listEvents'] }), GATHER_MS)
    return () => clearTimeout(timer)
  }, [id, number])
  return needsQuery(id, may)
}
