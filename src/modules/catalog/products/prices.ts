import { toSeconds } from '#vocabulary/time.ts'
import type { MarketPrice, Product, Variant } from './product.ts'

/*
 * A market has one plain price and any number of planned ones, of which at most one holds at a time. What holds comes first
 * in the stored list: whoever takes the first price of a market takes the right one.
 */

type Term = Pick<MarketPrice, 'validFrom' | 'validTo'>

export const isPlanned = ({ validFrom, validTo }: Term) => validFrom !== undefined || validTo !== undefined

export const beginOf = ({ validFrom = 0 }: Term) => validFrom
export const endOf = ({ validTo = Number.POSITIVE_INFINITY }: Term) => validTo
const holdsAt = (term: Term, atSeconds: number) => beginOf(term) <= atSeconds && atSeconds < endOf(term)

/** The price of a market at a moment; undefined if it has none then. */
export function priceAt(
  prices: readonly MarketPrice[],
  market: { id: string; currency: string },
  atSeconds: number,
): MarketPrice | undefined {
  let plain: MarketPrice | undefined
  for (const price of prices) {
    if (price.marketId !== market.id || price.currency !== market.currency) continue
    if (!isPlanned(price)) plain ??= price
    else if (holdsAt(price, atSeconds)) return price
  }
  return plain
}

const boundariesOf = (prices: readonly MarketPrice[]) =>
  prices.flatMap(({ validFrom, validTo }) => [validFrom, validTo]).filter((moment) => moment !== undefined)

/** What holds now, then the rest. */
export function holdingFirst(prices: readonly MarketPrice[], atSeconds: number) {
  const holding = [...Map.groupBy(prices, ({ marketId, currency }) => `${marketId} ${currency}`).values()].flatMap(
    (alike) => {
      const [{ marketId: id, currency }] = alike as [MarketPrice]
      return priceAt(alike, { id, currency }, atSeconds) ?? []
    },
  )
  return { holding, waiting: prices.filter((price) => !holding.includes(price)) }
}

/** A price that held until then. */
export type PastPrice = { productId: string; variantId: string; marketId: string; until: Date; price: number }

/** A reduced price whose lowest of the last 30 days has to be looked up. */
export type Reduction = Omit<PastPrice, 'until'> & { from: Date }

/**
 * Puts the prices of a product in order: what holds now comes first; what has ended since they were settled last is
 * history; and which reductions are new. A reduction that was there before keeps its lowest price.
 */
export function settlePrices(product: Product, before: Product | undefined, at: Date) {
  const atSeconds = toSeconds(at)
  const isDue = before?.pricesChangeAt && before.pricesChangeAt <= at
  const due = isDue ? toSeconds(before.pricesChangeAt as Date) : Number.POSITIVE_INFINITY
  const known = new Map(before?.variants.map((variant) => [variant.id, variant.prices]))
  const past: PastPrice[] = []
  const reductions: Reduction[] = []

  const variants = product.variants.map((variant): Variant => {
    const was = known.get(variant.id)
    const { holding, waiting } = holdingFirst(variant.prices, atSeconds)
    const settle = (price: MarketPrice): MarketPrice => {
      const { lowestOf30Days, ...bare } = price
      const place = { productId: product.id, variantId: variant.id, marketId: price.marketId }
      const ended = was ? endedPrices(was, price, { due, atSeconds }) : []
      past.push(...ended.map(({ until, price }) => ({ ...place, until: toDate(until), price })))
      if (!isReduced(price, variant.prices)) return bare
      const kept = before ? (ended.length > 0 ? undefined : lowestIn(was, price)) : lowestOf30Days
      if (kept !== undefined) return { ...bare, lowestOf30Days: kept }
      const from = toDate(ended.at(-1)?.until ?? atSeconds)
      if (was) reductions.push({ ...place, from, price: price.price })
      return bare
    }
    return {
      ...variant,
      prices: [...holding.map(settle), ...waiting.map(({ lowestOf30Days: _lowest, ...bare }) => bare)],
    }
  })
  const later = variants.flatMap(({ prices }) => boundariesOf(prices)).filter((moment) => moment > atSeconds)
  const pricesChangeAt = later.length === 0 ? null : toDate(later.reduce((first, moment) => Math.min(first, moment)))
  return { product: { ...product, variants, pricesChangeAt }, past, reductions }
}

const toDate = (seconds: number) => new Date(seconds * 1_000)

function isReduced(price: MarketPrice, prices: readonly MarketPrice[]): boolean {
  const plain = prices.find(({ marketId, ...term }) => marketId === price.marketId && !isPlanned(term))
  return Math.max(price.compareAtPrice ?? 0, plain?.price ?? 0) > price.price
}

const lowestIn = (was: readonly MarketPrice[] | undefined, { marketId, price }: MarketPrice) =>
  was?.find((one) => one.marketId === marketId && one.price === price)?.lowestOf30Days

/** What held before `now` and no longer does: by plan since `due`, or because somebody changed it at this moment. */
function endedPrices(
  was: readonly MarketPrice[],
  now: MarketPrice,
  { due, atSeconds }: { due: number; atSeconds: number },
): { until: number; price: number }[] {
  const market = { id: now.marketId, currency: now.currency }
  const moments = boundariesOf(was.filter(({ marketId }) => marketId === now.marketId))
    .filter((moment) => moment >= due && moment <= atSeconds)
    .toSorted((a, b) => a - b)
  const byPlan = moments.map((until) => ({
    until,
    old: priceAt(was, market, until - 1),
    next: priceAt(was, market, until),
  }))
  const byHand = { until: atSeconds, old: priceAt(was, market, atSeconds), next: now }
  return [...byPlan, byHand].flatMap(({ until, old, next }) =>
    old && old.price !== next?.price ? [{ until, price: old.price }] : [],
  )
}

const THIRTY_DAYS_MS = 30 * 86_400_000

/** The lowest of a variant's prices in the 30 days before a reduction; undefined if it had none. */
export function lowestBefore(
  { from, productId, variantId, marketId }: Reduction,
  past: readonly PastPrice[],
): number | undefined {
  const since = from.getTime() - THIRTY_DAYS_MS
  const prices = past.filter(
    (one) =>
      one.productId === productId &&
      one.variantId === variantId &&
      one.marketId === marketId &&
      one.until.getTime() > since &&
      one.until <= from,
  )
  return prices.length === 0 ? undefined : Math.min(...prices.map(({ price }) => price))
}
