import { useQuery } from '@tanstack/react-query'
import { query } from '../../api/query.ts'
import type { Collection } from '../queries.ts'
import type { Variable } from '../rich-text/editor.tsx'
import { useVariableHint, useVariableNames } from '../variable-words.ts'

/** What a letter can say of its reader, with a name for people. Undefined: the collection has no letters. */
export function useVariables({ type }: Pick<Collection, 'type'>): readonly Variable[] | undefined {
  const names = useVariableNames()
  const hintOf = useVariableHint()
  const isLetter = type === 'NEWSLETTER'
  const { data } = useQuery({
    ...query('-', 'listTemplateVariables', { path: { entryType: 'NEWSLETTER' } }),
    enabled: isLetter,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!isLetter) return undefined
  return data?.variables.map(({ name }) => ({ name, label: names[name] ?? name, hint: hintOf(name) })) ?? []
}
