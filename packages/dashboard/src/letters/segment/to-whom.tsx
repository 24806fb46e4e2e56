import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useShelves } from '../../products/queries.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { letterQuery, newsletterQuery } from '../queries.ts'
import { useTitleOf } from '../words.tsx'
import type { Condition } from './segment.ts'
import { useProductNames } from './use-names.ts'

type Props = { conditions: readonly Condition[]; newsletter: string | undefined }

/** To whom a send goes, as a sentence. */
export function ToWhom({ conditions, newsletter }: Props) {
  const { t } = useLingui()
  const { locale } = useFormat()
  const clauses = useClauses(conditions, newsletter)
  const readers = new Intl.ListFormat(locale, { type: 'conjunction' }).format(conditions.map(clauses))
  return <p className="note">{t`Only to readers ${readers}.`}</p>
}

function useClauses(conditions: readonly Condition[], newsletterId: string | undefined) {
  const { t } = useLingui()
  const { id: businessId, markets } = useBusiness()
  const { date, locale } = useFormat()
  const title = useTitleOf()
  const shelves = useShelves()
  const { data: newsletter } = useQuery({
    ...newsletterQuery(businessId, newsletterId ?? ''),
    enabled: newsletterId !== undefined,
  })
  const productName = useProductNames([...new Set(conditions.flatMap(({ productIds = [] }) => productIds))])
  const entryIds = [...new Set(conditions.flatMap(({ entryId }) => entryId ?? []))]
  const letters = useQueries({
    queries: entryIds.map((id) => ({ ...letterQuery(businessId, id), retry: false })),
    combine: (found) => new Map(found.flatMap(({ data }) => (data ? [[data.id, data] as const] : []))),
  })
  const any = (ids: readonly string[], nameOf: (id: string) => string | undefined) =>
    new Intl.ListFormat(locale, { type: 'disjunction' }).format(ids.map((id) => nameOf(id) ?? id))
  const within = ({ withinDays: count }: Condition) =>
    count === undefined ? '' : ` ${t`in the last ${plural(count, { one: '# day', other: '# days' })}`}`

  return (condition: Condition): string => {
    const { field, not = false, values = [], productIds, categoryId = '', entryId, from, to } = condition
    const days = within(condition)
    switch (field) {
      case 'plan': {
        const plans = any(values, (id) => newsletter?.plans?.find((plan) => plan.id === id)?.name)
        return not ? t`who do not have the plan ${plans}` : t`who have the plan ${plans}`
      }
      case 'market': {
        const places = any(values, (id) => markets.find((market) => market.id === id)?.name)
        return not ? t`who did not subscribe from ${places}` : t`who subscribed from ${places}`
      }
      case 'tag': {
        const tags = any(values, (tag) => tag)
        return not ? t`who are not tagged ${tags}` : t`who are tagged ${tags}`
      }
      case 'bought': {
        const shelf = shelves.find(({ id }) => id === categoryId)?.name ?? categoryId
        const what = productIds ? any(productIds, productName) : t`anything of ${shelf}`
        return not ? t`who did not buy ${what}${days}` : t`who bought ${what}${days}`
      }
      case 'clicked': {
        const letter = entryId === undefined ? undefined : letters.get(entryId)
        const where = entryId === undefined ? t`any letter` : `“${letter ? title(letter) : entryId}”`
        return not ? t`who clicked no link in ${where}${days}` : t`who clicked a link in ${where}${days}`
      }
      default: {
        const [first, last] = [from === undefined ? '' : date(from), to === undefined ? '' : date(to)]
        if (from !== undefined && to !== undefined)
          return not
            ? t`who became readers before ${first}, or on ${last} or later`
            : t`who became readers from ${first} on and before ${last}`
        const isLater = (to === undefined) !== not
        const at = first || last
        return isLater ? t`who became readers on ${at} or later` : t`who became readers before ${at}`
      }
    }
  }
}
