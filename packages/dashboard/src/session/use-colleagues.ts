import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { query } from '../api/query.ts'
import { meQuery } from './queries.ts'
import { useBusiness } from './use-business.ts'

const STALE_MS = 5 * 60_000

/** Names of those who work in this business. Undefined: somebody else, or somebody who has left the team. */
export function useColleagues(): (id: string) => string | undefined {
  const { id: businessId } = useBusiness()
  const { data: me } = useSuspenseQuery(meQuery())
  const { data } = useQuery({ ...query(businessId, 'listColleagues'), staleTime: STALE_MS })
  return (id) => {
    if (id === me.id) return me.name || me.email
    return data?.items.find(({ userId }) => userId === id)?.name || undefined
  }
}
