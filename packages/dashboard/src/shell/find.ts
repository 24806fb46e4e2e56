import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { query } from '../api/query.ts'
import { useBusiness } from '../session/use-business.ts'

/** Records that fit what was typed, at most five of each kind, by what this person may see. Until they are here, those of before. */
export function useFound(text: string) {
  const { id } = useBusiness()
  const typed = text.trim()
  const isAsked = typed.length > 1
  const found = useQuery({
    ...query(id, 'search', { query: { query: typed } }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  })
  const isSearching = isAsked && found.isFetching && (found.isPlaceholderData || !found.data)
  return { found: isAsked ? found.data : undefined, isSearching }
}
