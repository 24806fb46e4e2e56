import { useLingui } from '@lingui/react/macro'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import type { Format } from './recognise.ts'
import type { Change, Warning } from './types.ts'

/** What imports are about, in words. */
export function useWords() {
  const { t } = useLingui()
  const format = useFormat()
  const { markets } = useBusiness()
  const marketOf = (id: string | null | undefined) => markets.find((market) => market.id === id)
  const names: Record<string, string> = {
    name: t`Name`,
    slug: t`Address (slug)`,
    description: t`Description`,
    category: t`Category`,
    taxClass: t`Tax class`,
    tags: t`Tags`,
    'seo.title': t`Title for search engines`,
    'seo.description': t`Text for search engines`,
    translations: t`Translations`,
    gallery: t`Pictures`,
    blocks: t`Content blocks`,
    status: t`Status`,
    variant: t`Variant`,
    variants: t`Order of variants`,
    sku: t`SKU`,
    attributes: t`Attributes`,
    tracked: t`Stock is counted`,
    quantity: t`Stock`,
    lowStockThreshold: t`Low stock from`,
    maxPerOrder: t`Most in an order`,
    price: t`Price`,
    compareAtPrice: t`Price before`,
    plannedPrices: t`Planned prices`,
  }
  const fieldOf = (field: string, marketId?: string | null): string => {
    const name = names[field] ?? field
    const market = marketOf(marketId)?.name ?? marketId
    return market ? t`${name} in ${market}` : name
  }
  /** `variants.2.pricing.markets.0.price` in words, without the variant. */
  const placeOf = (path: string, marketId?: string): string => {
    const last = path.replaceAll(/\.\d+/g, '').split('.').slice(-1)[0] ?? ''
    const full = path.startsWith('seo.') ? path : last
    return fieldOf(full === 'statuses' ? 'status' : full, marketId)
  }
  const statusOf = (status: string) => ({ ACTIVE: t`Active`, DRAFT: t`Draft`, ARCHIVED: t`Archived` })[status] ?? status
  const valueOf = ({ field, marketId }: Change, value: unknown): string => {
    if (value === null || value === undefined || value === '') return t`none`
    const currency = marketOf(marketId)?.currency
    if ((field === 'price' || field === 'compareAtPrice') && typeof value === 'number' && currency)
      return format.money(value, currency)
    if (typeof value === 'boolean') return value ? t`yes` : t`no`
    if (typeof value === 'number') return format.number(value)
    if (typeof value === 'string') return field === 'status' ? statusOf(value) : value
    if (Array.isArray(value)) return value.map((one) => (typeof one === 'object' ? urlOf(one) : String(one))).join(', ')
    return JSON.stringify(value)
  }
  const warningOf = (warning: Warning) =>
    ({
      PRICE_DROP: t`A price falls by more than 30 %`,
      PRICE_ZERO: t`Becomes free`,
      NOT_SOLD: t`No longer sold`,
      VARIANT_REMOVED: t`A variant is taken away`,
      STOCK_SET: t`Stock is overwritten`,
    })[warning]
  const formatOf = (one: Format | null) =>
    one === null
      ? t`An older file`
      : {
          csv: t`Kontor’s CSV`,
          'shopify-csv': t`Shopify’s CSV`,
          'woocommerce-csv': t`WooCommerce’s CSV`,
          ndjson: 'NDJSON',
        }[one]
  return { fieldOf, placeOf, valueOf, warningOf, formatOf, marketOf }
}

const urlOf = (value: object | null) =>
  value && 'url' in value ? String(value.url).split('/').at(-1) : JSON.stringify(value)
