import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { query } from '../api/query.ts'
import { useBusiness } from '../session/use-business.ts'

/** Records that fit what was typed, at most five of each kind, by what this person may see. */
export function useFound(text: string) {
  const { id } = useBusiness()
  const typed = text.trim()
  const isAsked = typed.length > 1
  const found = useQuery({
    ...query(id, 'search', { query: { query: typed } }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  })
  return isAsked ? found.data : undefined
}
