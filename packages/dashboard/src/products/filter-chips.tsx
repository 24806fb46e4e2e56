import { useLingui } from '@lingui/react/macro'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { Chip } from '../ui/chip.tsx'
import type { ProductSearch } from './filters.ts'
import { useShelves } from './queries.ts'
import { STATUS_WORDS } from './words.tsx'

type Props = { search: ProductSearch; onChange: (changes: ProductSearch) => void }

/** The filters that are on. */
export function FilterChips({ search, onChange }: Props) {
  const { t, i18n } = useLingui()
  const { markets } = useBusiness()
  const format = useFormat()
  const shelves = useShelves()
  const { status, categoryId, tag, inStock, priceFrom, priceTo } = search
  const market = markets.find(({ id }) => id === search.market) ?? markets[0]
  const money = (amount: number) => format.money(amount, market?.currency ?? 'EUR')
  return (
    <>
      {status && (
        <Chip name={t`Status`} onRemove={() => onChange({ status: undefined })}>
          {i18n._(STATUS_WORDS[status])}
        </Chip>
      )}
      {categoryId && (
        <Chip name={t`Category`} onRemove={() => onChange({ categoryId: undefined })}>
          {shelves.find(({ id }) => id === categoryId)?.name ?? categoryId}
        </Chip>
      )}
      {inStock && (
        <Chip name={t`Stock`} onRemove={() => onChange({ inStock: undefined })}>
          {inStock === 'true' ? t`In stock` : t`Sold out`}
        </Chip>
      )}
      {tag && (
        <Chip name={t`Tag`} onRemove={() => onChange({ tag: undefined })}>
          {tag}
        </Chip>
      )}
      {(priceFrom !== undefined || priceTo !== undefined) && (
        <Chip
          name={t`Price in ${market?.name ?? ''}`}
          onRemove={() => onChange({ priceFrom: undefined, priceTo: undefined })}
        >
          {priceFrom !== undefined && priceTo !== undefined
            ? `${money(priceFrom)} – ${money(priceTo)}`
            : priceFrom !== undefined
              ? t`from ${money(priceFrom)}`
              : t`up to ${money(priceTo ?? 0)}`}
        </Chip>
      )}
    </>
  )
}
