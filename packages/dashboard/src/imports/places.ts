import type { LineDetails, Sent } from './types.ts'

/** A place in a line, such as `variants.0.pricing.markets.0.price`. */
export type Place = { path: string; message: string | undefined }

const NUMBERS = /(?:^|\.)(?:price|compareAtPrice|quantity|lowStockThreshold|maxPerOrder)$/
const OF_PRODUCT =
  /^(?:name|slug|description|category|taxClass|tags|seo|statuses|gallery|variants|translations|blocks)(?:\.|$)/

/**
 * Where a line is wrong, for a field each. A file's own columns say no place: there it is whatever should be a number and
 * is none.
 */
export function placesOf({ details, product }: Pick<LineDetails, 'details' | 'product'>): Place[] {
  if (!product) return []
  const named = details.flatMap(({ field, message }): Place[] =>
    OF_PRODUCT.test(field) && isSimple(valueAt(product, field)) ? [{ path: field, message }] : [],
  )
  const others = details.filter(({ field }) => !OF_PRODUCT.test(field))
  const texts = others.length > 0 ? textsForNumbers(product) : []
  const known = new Set(named.map(({ path }) => path))
  return [
    ...new Map(named.map((place) => [place.path, place])).values(),
    ...texts
      .filter((path) => !known.has(path))
      .map((path, index) => ({ path, message: others[Math.min(index, others.length - 1)]?.message })),
  ]
}

const isSimple = (value: unknown) => value === undefined || typeof value !== 'object' || value === null

function textsForNumbers(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return NUMBERS.test(path) ? [path] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => textsForNumbers(inner, path ? `${path}.${key}` : key))
}

export const isAmount = (path: string) => /(?:^|\.)(?:price|compareAtPrice)$/.test(path)
export const isNumber = (path: string) => NUMBERS.test(path)

export const valueAt = (product: Sent, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined,
      product,
    )

/** The market whose price stands at the place. */
export function marketAt(product: Sent, path: string): string | undefined {
  const id = valueAt(product, path.replace(/[^.]+$/, 'marketId'))
  return typeof id === 'string' ? id : undefined
}

/** The same line with another value there. */
export function withValue(product: Sent, path: string, value: unknown): Sent {
  const copy = structuredClone(product)
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  let at: Record<string, unknown> = copy
  for (const key of keys) {
    const inner = at[key]
    if (typeof inner !== 'object' || inner === null) at[key] = {}
    at = at[key] as Record<string, unknown>
  }
  at[last] = value
  return copy
}

/** What was typed as an amount, in minor units; as it is where it is none: the service says what is wrong with it. */
export function toMinor(text: string, digits: number): number | string {
  const [, whole = '', fraction = ''] = /^\s*[^\d.,-]{0,4}\s*(\d{1,12})(?:[.,](\d{1,6}))?\s*$/.exec(text) ?? []
  if (whole === '' || /[1-9]/.test(fraction.slice(digits))) return text
  return Number(`${whole}${fraction.slice(0, digits).padEnd(digits, '0')}`)
}

export const toNumber = (text: string): number | string => (/^\s*\d{1,12}\s*$/.test(text) ? Number(text) : text)
