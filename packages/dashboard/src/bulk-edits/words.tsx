import { fractionDigits } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import type { BulkEdit, Change, FieldChange, Warning } from './types.ts'

type Value = FieldChange['before']

/** What bulk edits are about, in words. */
export function useWords() {
  const { t } = useLingui()
  const format = useFormat()
  const { markets } = useBusiness()
  const marketOf = (id: string | null | undefined) => markets.find((market) => market.id === id)

  const fieldOf = (field: string, marketId?: string | null): string => {
    if (field === 'price') return t`price in ${marketOf(marketId)?.name ?? marketId ?? ''}`
    if (field === 'tags') return t`tags`
    if (field === 'category') return t`category`
    if (field === 'status') return t`status`
    if (field === 'taxClass') return t`tax class`
    if (field === 'lowStockThreshold') return t`low stock from`
    return t`name`
  }
  const statusOf = (status: string) => ({ ACTIVE: t`Active`, DRAFT: t`Draft`, ARCHIVED: t`Archived` })[status] ?? status
  const amountOf = (amount: number, marketId: string | null | undefined) => {
    const currency = marketOf(marketId)?.currency
    return currency ? format.money(amount, currency) : format.number(amount)
  }
  const valueOf = (value: Value, field: string): string => {
    if (value === null || value === '') return t`none`
    if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : t`none`
    return field === 'status' ? statusOf(String(value)) : String(value)
  }
  /** `+5 %`, with its sign. */
  const percentOf = (share: number) => `${share > 0 ? '+' : share < 0 ? '−' : ''}${format.percent(Math.abs(share))}`

  const changeOf = (change: Change): string => {
    const { field, op, marketId, value = null, bps = 0, to = 0, ending = 0 } = change
    const name = fieldOf(field, marketId)
    if (op === 'percent') return `${name} ${percentOf(bps / 10_000)}`
    if (op === 'round') {
      const unit = marketOf(marketId)?.currency
      const figure = unit ? format.moneyParts(ending, unit).figure : String(ending)
      const isPart = unit !== undefined && to <= 10 ** fractionDigits(unit)
      return t`rounded to ${isPart ? figure.replace(/^0(?=\D)/, '') : figure}`
    }
    if (op === 'add') return t`tag ${String(value)} added`
    if (op === 'remove') return t`tag ${String(value)} removed`
    const set = field === 'price' ? amountOf(Number(value), marketId) : valueOf(value, field)
    return t`${name}: ${set}`
  }
  /** The whole of it: its title. */
  const titleOf = ({ changes }: Pick<BulkEdit, 'changes'>): string => {
    const text = changes.map(changeOf).join(', ')
    return text.charAt(0).toUpperCase() + text.slice(1)
  }
  const warningOf = (warning: Warning) =>
    ({
      PRICE_DROP: t`Down by more than 30 %`,
      PRICE_ZERO: t`Becomes free`,
      NOT_SOLD: t`No longer sold`,
    })[warning]
  return { fieldOf, statusOf, valueOf, changeOf, titleOf, warningOf, percentOf, marketOf }
}

/** What products were meant. */
export function useSelected() {
  const { t } = useLingui()
  const names: Record<string, string> = {
    query: t`words`,
    tag: t`tag`,
    category: t`category`,
    categoryId: t`category`,
    status: t`status`,
    sku: t`SKU`,
    market: t`market`,
    priceFrom: t`price from`,
    priceTo: t`price to`,
    inStock: t`in stock`,
  }
  return (filters: BulkEdit['filters']): string => {
    if (filters === null) return t`Selected products`
    const named = Object.entries(filters).map(
      ([name, value]) => `${names[name] ?? name.replace('attribute.', '')}: ${[value].flat().join(', ')}`,
    )
    return named.length > 0 ? named.join(' · ') : t`All products`
  }
}
