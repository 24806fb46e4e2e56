import type { Product } from '@kontor/sdk'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import type { ProductStatus } from '../filters.ts'
import { STATUS_WORDS } from '../words.tsx'
import { cellText, type GridColumn, type Kind, signed } from './cells.ts'
import { type Edit, type Edits, isUnsaved, type Seed, titleOf, variantOf } from './edits.ts'

const SHOWN = 40
const short = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)

/** Fields of a product in the words of the page: for the save bar, the merge and the outbox. */
export function useFieldWords(product: Product) {
  const { t, i18n } = useLingui()
  const { markets } = useBusiness()
  const { locale } = useFormat()
  const plain: Record<string, string> = {
    name: t`Name`,
    slug: t`Address`,
    description: t`Description`,
    category: t`Category`,
    taxClass: t`Tax class`,
    tags: t`Tags`,
    gallery: t`Pictures`,
    'seo.title': t`Title for search engines`,
    'seo.description': t`Text for search engines`,
    status: t`Status`,
  }
  const marketOf = (id: string | undefined) => markets.find((market) => market.id === id)
  const columnOf = (field: string): GridColumn => {
    const [kind = '', , marketId] = field.split('/')
    const market = marketOf(marketId)
    return { id: field, kind: kind as Kind, ...(market && { market }) }
  }
  /** `added`: the variants that are not stored yet. */
  const variantName = (id: string, added: Edits = {}) => {
    const seed = variantOf(product, id) ?? (added[`variant/${id}`]?.now as Seed | null | undefined)
    return (seed && titleOf(seed)) || t`the only variant`
  }
  const nameOf = (field: string, added?: Edits): string => {
    const [kind = '', id = '', rest = ''] = field.split('/')
    const variant = () => variantName(id, added)
    const market = () => marketOf(rest)?.name ?? rest
    switch (kind) {
      case 'text':
        return t`${plain[rest] ?? rest} in ${languageOf(id)}`
      case 'variant':
        return t`Variant ${variant()}`
      case 'sku':
        return t`SKU of ${variant()}`
      case 'price':
        return t`${variant()} in ${market()}`
      case 'compare':
        return t`Price before a sale of ${variant()} in ${market()}`
      case 'stock':
        return t`Stock of ${variant()}`
      case 'low':
        return t`${variant()} is low at`
      case 'gallery':
        return id ? t`Pictures of ${variant()}` : (plain.gallery ?? kind)
      default:
        return plain[kind] ?? kind
    }
  }
  const valueIn = (field: string, value: unknown): string => {
    const kind = field.split('/')[0] ?? ''
    if (kind === 'status') return i18n._(STATUS_WORDS[value as ProductStatus])
    if (kind === 'variant') return value ? titleOf(value as Seed) || t`the only variant` : t`removed`
    if (kind === 'gallery') {
      const count = (value as unknown[]).length
      return t`${plural(count, { one: '# picture', other: '# pictures' })}`
    }
    if (kind === 'tags') return (value as string[]).join(', ') || '–'
    if (kind === 'stock' && typeof value === 'number') return signed(value)
    if (value === null) return kind === 'price' ? t`not sold` : '–'
    return typeof value === 'number' ? cellText(value, columnOf(field), locale) : short(value as string) || '–'
  }
  return { nameOf, valueIn, variantName, marketOf }
}

/** `Deutsch` rather than `German`: those who write it read it. */
export function languageOf(locale: string): string {
  const known = languages.get(locale)
  if (known) return known
  const name = new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale
  const written = name[0] ? name[0].toLocaleUpperCase(locale) + name.slice(1) : name
  languages.set(locale, written)
  return written
}

const languages = new Map<string, string>()

/** Every change in a few words; many of one kind are one of them. */
export function useChangeWords(product: Product) {
  const { t } = useLingui()
  const words = useFieldWords(product)
  return (edits: Edits): string[] => {
    const groups = Map.groupBy(Object.entries(edits), ([field, { was, now }]) => {
      const [kind = '', , marketId = ''] = field.split('/')
      if (kind === 'variant') return now === null ? 'removed' : was === null || isUnsaved(product) ? 'added' : 'renamed'
      return ['sku', 'price', 'compare', 'stock', 'low'].includes(kind) ? `${kind}/${marketId}` : field
    })
    const one = ([field, { was, now }]: [string, Edit]) => {
      const name = words.nameOf(field, edits)
      if (field.startsWith('stock/')) return `${name} ${words.valueIn(field, now)}`
      if (/^(price|compare|low)\//.test(field) && was !== null)
        return t`${name} ${words.valueIn(field, was)} to ${words.valueIn(field, now)}`
      return field.startsWith('variant/') ? name : `${name}: ${words.valueIn(field, now)}`
    }
    const many = (group: string, entries: [string, Edit][]): string => {
      const [kind = '', marketId] = group.split('/')
      const count = entries.length
      const market = words.marketOf(marketId)?.name ?? ''
      if (kind === 'price' || kind === 'compare') {
        const [first, ...others] = entries.map(([field, { was, now }]) =>
          was === null ? words.valueIn(field, now) : t`${words.valueIn(field, was)} to ${words.valueIn(field, now)}`,
        )
        const what = kind === 'price' ? t`${count} prices in ${market}` : t`${count} prices before a sale in ${market}`
        return others.every((other) => other === first) ? `${what}: ${first}` : what
      }
      const texts: Record<string, string> = {
        added: t`${count} variants added`,
        removed: t`${count} variants removed`,
        renamed: t`${count} variants renamed`,
        stock: t`Stock of ${count} variants`,
        low: t`${count} times “low at”`,
        sku: t`${count} SKUs`,
      }
      return texts[kind] ?? group
    }
    return Array.from(groups, ([group, entries]) => {
      const [first] = entries
      if (entries.length > 1 || !first) return many(group, entries)
      if (group === 'removed') return t`${words.nameOf(first[0])} removed`
      if (group === 'added') return t`${words.nameOf(first[0], edits)} added`
      return one(first)
    })
  }
}
