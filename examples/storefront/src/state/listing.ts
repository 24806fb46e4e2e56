import { type AttributeFilter, fractionDigits, type PublicProduct } from '@kontor/sdk'
import { useRef } from 'preact/hooks'
import { money, type Shelf, titleOf } from './catalog.ts'
import { kontor, useView } from './kontor.ts'
import { go } from './router.ts'
import { useLoad } from './use-load.ts'
import { usePages } from './use-pages.ts'

/** By which attributes this shop is filtered. With price, category and tag these are the five that the service counts at once. */
const ATTRIBUTES = ['attribute.Colour', 'attribute.Size'] as const
const FACETS = [...ATTRIBUTES, 'tag', 'price', 'category'] as const
const A_PAGE = 24

export const SORTS = {
  '': 'Newest first',
  '-sold': 'Most sold first',
  price: 'Lowest price first',
  '-price': 'Highest price first',
  name: 'By name',
}
type Sort = Exclude<keyof typeof SORTS, ''>

/** Filters are in the address, under the names that the service has for them: they can be shared and gone back to. */
export type Filter = AttributeFilter & {
  query?: string
  tag?: string
  priceFrom?: number
  priceTo?: number
  inStock?: 'true'
  sort?: Sort
}

/** What does not belong into an address is passed over. */
export function filterOf(address: URLSearchParams): Filter {
  const filter: Filter = {}
  for (const name of ATTRIBUTES) if (address.has(name)) filter[name] = address.getAll(name).slice(0, 20)
  const query = address.get('query')?.trim()
  if (query) filter.query = query
  const tag = address.get('tag')
  if (tag) filter.tag = tag
  for (const name of ['priceFrom', 'priceTo'] as const) {
    const amount = Number(address.get(name) || Number.NaN)
    if (Number.isSafeInteger(amount) && amount >= 0) filter[name] = amount
  }
  if (address.get('inStock') === 'true') filter.inStock = 'true'
  const sort = address.get('sort') ?? ''
  if (sort && sort in SORTS) filter.sort = sort as Sort
  return filter
}

/** One thing that is filtered by, as the address has it and as people read it. */
export type Chip = { name: string; value: string; text: string }

export function chipsOf(filter: Filter, currency: string): Chip[] {
  const { tag, priceFrom, priceTo, inStock } = filter
  return [
    ...ATTRIBUTES.flatMap((name) => [filter[name] ?? []].flat().map((value) => ({ name, value, text: value }))),
    ...(tag ? [{ name: 'tag', value: tag, text: titleOf(tag) }] : []),
    ...(priceFrom === undefined
      ? []
      : [{ name: 'priceFrom', value: String(priceFrom), text: `From ${money(priceFrom, currency)}` }]),
    ...(priceTo === undefined
      ? []
      : [{ name: 'priceTo', value: String(priceTo), text: `Up to ${money(priceTo, currency)}` }]),
    ...(inStock ? [{ name: 'inStock', value: inStock, text: 'In stock' }] : []),
  ]
}

/** Goes to the same page with the address changed. It stays where it is scrolled to, and the back button undoes it. */
export function refine(change: (address: URLSearchParams) => void) {
  const address = new URLSearchParams(window.location.search)
  change(address)
  const text = address.toString()
  go(window.location.pathname + (text && `?${text}`), { isSamePage: true })
}

export const toggle = (name: string, value: string) =>
  refine((address) => (address.has(name, value) ? address.delete(name, value) : address.append(name, value)))

/** An empty one goes. */
export const set = (name: string, value: string) =>
  refine((address) => (value ? address.set(name, value) : address.delete(name)))

/** What was searched for and how it is sorted stays. */
export const clear = () =>
  refine((address) => {
    for (const name of new Set(address.keys())) if (name !== 'query' && name !== 'sort') address.delete(name)
  })

/** Products on a shelf, or on all of them. While others are loaded, the ones before are still there. */
export function useListing(shelf: Shelf | undefined, filter: Filter, isReady: boolean) {
  const view = useView()
  const asked = { ...view, ...filter, ...(shelf && { categoryId: shelf.id }) }
  const list = usePages<PublicProduct>(isReady && view ? `products:${JSON.stringify(asked)}` : undefined, (cursor) =>
    kontor.storefront.products.list({ ...asked, limit: A_PAGE, cursor }),
  )
  const { sort: _sort, locale: _locale, ...counted } = { locale: '', ...asked }
  const facets = useLoad(isReady && view ? `facets:${JSON.stringify(counted)}` : undefined, () =>
    kontor.storefront.products.facets(FACETS, counted),
  )
  return { ...list, items: useLast(list.items), isStale: !list.items, facets: useLast(facets.value) }
}

export type Facets = NonNullable<ReturnType<typeof useListing>['facets']>

function useLast<Value>(value: Value | undefined): Value | undefined {
  const last = useRef<Value>(undefined)
  if (value !== undefined) last.current = value
  return last.current
}

export const countsOf = (facets: Pick<Facets, 'category'> | undefined) =>
  new Map(facets?.category.values.map(({ value, count }) => [value, count]))

/** How many minor units one of the currency has: 100 cents, 1 yen. */
export const unitOf = (currency: string) => 10 ** fractionDigits(currency)
