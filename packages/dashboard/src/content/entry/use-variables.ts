import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../api/query.ts'
import type { Collection } from '../queries.ts'
import type { Variable } from '../rich-text/editor.tsx'

/** What a letter can say of its reader, with a name for people. Undefined: the collection has no letters. */
export function useVariables({ type }: Pick<Collection, 'type'>): readonly Variable[] | undefined {
  const { t } = useLingui()
  const isLetter = type === 'NEWSLETTER'
  const { data } = useQuery({
    ...query('-', 'listTemplateVariables', { path: { entryType: 'NEWSLETTER' } }),
    enabled: isLetter,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const labels: Record<string, string> = {
    'subscriber.name': t`Name of the reader`,
    'subscriber.email': t`Address of the reader`,
    'business.name': t`Name of the business`,
    'newsletter.name': t`Name of the newsletter`,
    unsubscribeUrl: t`Address to unsubscribe`,
  }
  if (!isLetter) return undefined
  return data?.variables.map(({ name }) => ({ name, label: labels[name] ?? name })) ?? []
}
