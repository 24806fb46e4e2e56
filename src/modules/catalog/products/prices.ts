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

const keyOf = ({ marketId, currency }: MarketPrice) => `${marketId} ${currency}`
const marketOf = ({ marketId: id, currency }: MarketPrice) => ({ id, currency })
const onePerMarket = (prices: readonly MarketPrice[]) => [
  ...new Map(prices.map((price) => [keyOf(price), price])).values(),
]

/** What holds now, then the rest. */
export function holdingFirst(prices: readonly MarketPrice[], atSeconds: number) {
  const holding = onePerMarket(prices).flatMap((price) => priceAt(prices, marketOf(price), atSeconds) ?? [])
  return { holding, waiting: prices.filter((price) => !holding.includes(price)) }
}

/** A price that held until then. */
export type PastPrice = { productId: string; variantId: string; marketId: string; until: Date; price: number }

/** A reduced price whose lowest of the last 30 days has to be looked up. `held`: what it was until it became a reduction. */
export type Reduction = Omit<PastPrice, 'until' | 'price'> & { from: Date; held: number | undefined }

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
  const keep = (variantId: string, marketId: string, ended: readonly { until: number; price: number }[]) => {
    for (const { until, price } of ended)
      past.push({ productId: product.id, variantId, marketId, until: toDate(until), price })
  }

  const variants = product.variants.map((variant): Variant => {
    const was = known.get(variant.id)
    const { holding, waiting } = holdingFirst(variant.prices, atSeconds)
    const settle = (price: MarketPrice): MarketPrice => {
      const { lowestOf30Days: _lowest, ...bare } = price
      const ended = was ? endedPrices(was, price, price, { due, atSeconds }) : []
      keep(variant.id, price.marketId, ended)
      if (!before || !isReduced(price, variant.prices)) return bare
      const kept = ended.length > 0 ? undefined : lowestIn(was, price)
      if (kept !== undefined) return { ...bare, lowestOf30Days: kept }
      const from = toDate(ended.at(-1)?.until ?? atSeconds)
      const old = was && ended.length === 0 ? priceAt(was, marketOf(price), atSeconds) : undefined
      const held = was && old && !isReduced(old, was) ? old.price : undefined
      reductions.push({ productId: product.id, variantId: variant.id, marketId: price.marketId, from, held })
      return bare
    }
    return {
      ...variant,
      prices: [...holding.map(settle), ...waiting.map(({ lowestOf30Days: _lowest, ...bare }) => bare)],
    }
  })
  // Where nothing holds any more, because the price or the variant was taken away, there is nothing to settle.
  const holdingIn = new Map(product.variants.map(({ id, prices }) => [id, holdingFirst(prices, atSeconds).holding]))
  for (const { id, prices } of before?.variants ?? []) {
    const holding = holdingIn.get(id) ?? []
    for (const gone of onePerMarket(prices))
      if (!holding.some((price) => keyOf(price) === keyOf(gone)))
        keep(id, gone.marketId, endedPrices(prices, gone, undefined, { due, atSeconds }))
  }
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

/** What held in a market before `now` and no longer does: by plan since `due`, or because somebody changed it at this moment. */
function endedPrices(
  was: readonly MarketPrice[],
  ofMarket: MarketPrice,
  now: MarketPrice | undefined,
  { due, atSeconds }: { due: number; atSeconds: number },
): { until: number; price: number }[] {
  const market = marketOf(ofMarket)
  const moments = boundariesOf(was.filter(({ marketId }) => marketId === market.id))
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
  { from, held, productId, variantId, marketId }: Reduction,
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
  const known = [...prices.map(({ price }) => price), ...(held === undefined ? [] : [held])]
  return known.length === 0 ? undefined : Math.min(...known)
}
