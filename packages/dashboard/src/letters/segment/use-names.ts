import { useQuery } from '@tanstack/react-query'
import { query } from '../../api/query.ts'
import { useBusiness } from '../../session/use-business.ts'
import { letterQuery } from '../queries.ts'
import { useTitleOf } from '../words.tsx'

/** Names of products by their ids; one that is gone, or not known yet, is its id. */
export function useProductNames(ids: readonly string[]) {
  const { id: businessId } = useBusiness()
  const { data } = useQuery({
    ...query(businessId, 'listProducts', { query: { id: [...ids], limit: 100 } }),
    enabled: ids.length > 0,
    placeholderData: (before) => before,
  })
  const names = new Map(data?.items.map(({ id, name }) => [id, name]))
  return (id: string) => names.get(id) ?? id
}

export function useLetterTitle(entryId: string) {
  const { id: businessId } = useBusiness()
  const title = useTitleOf()
  const { data } = useQuery({ ...letterQuery(businessId, entryId), enabled: entryId !== '', retry: false })
  return data ? title(data) : entryId
}
