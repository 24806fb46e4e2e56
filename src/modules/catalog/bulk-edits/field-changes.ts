import { isDeepStrictEqual } from 'node:util'
import type { Business } from '#vocabulary/business.ts'
import { stepOf } from '#vocabulary/currencies.ts'
import { isPlanned } from '../products/prices.ts'
import { type MarketPrice, type Product, statusOf, type Variant } from '../products/product.ts'
import { MAX_TAGS, type ProductChanges, type ProductStatus } from '../schemas.ts'
import { newPriceTooLarge, tooManyTags } from './errors.ts'
import { raisePrice, roundPrice } from './new-price.ts'
import type { Change, Field, Warning } from './schemas.ts'

type Value = string | number | string[] | null

/** A value of a product that changes. `variantId` and `marketId` only where it is a variant's, or a market's. */
export type FieldChange = {
  field: Field
  marketId?: string
  variantId?: string
  before: Value
  after: Value
}

type Markets = Pick<Business, 'markets'>
type ChangeOf<Name extends Field> = Extract<Change, { field: Name }>

/** What changes in this product, each value once, whatever the number of changes that it goes through. */
export function fieldChanges(product: Product, changes: readonly Change[], { markets }: Markets): FieldChange[] {
  const found: FieldChange[] = []
  const note = (change: FieldChange) => {
    if (!isDeepStrictEqual(change.before, change.after)) found.push(change)
  }
  for (const steps of Map.groupBy(changes, targetOf).values()) {
    const [first] = steps as [Change]
    if (first.field === 'price') {
      const market = markets.find(({ id }) => id === first.marketId)
      for (const variant of market ? product.variants : [])
        note(priceChange(variant, market as Market, steps as ChangeOf<'price'>[]))
    } else if (first.field === 'lowStockThreshold') {
      const after = lastValue(steps as ChangeOf<'lowStockThreshold'>[])
      for (const { id, lowStockThreshold } of product.variants)
        note({ field: first.field, variantId: id, before: lowStockThreshold, after })
    } else if (first.field === 'tags') {
      note({ field: 'tags', before: product.tags, after: newTags(product.tags, steps as ChangeOf<'tags'>[]) })
    } else {
      const before = first.field === 'status' ? (statusOf(product) ?? null) : product[first.field]
      note({ field: first.field, before, after: lastValue(steps as ChangeOf<'name'>[]) })
    }
  }
  return found
}

const targetOf = (change: Change) => (change.field === 'price' ? `price ${change.marketId}` : change.field)

const lastValue = <Last>(steps: readonly { value: Last }[]): Last => (steps.at(-1) as { value: Last }).value

function newTags(before: readonly string[], steps: readonly ChangeOf<'tags'>[]): string[] {
  let tags = [...before]
  for (const step of steps) {
    if (step.op === 'set') tags = [...step.value]
    else if (step.op === 'remove') tags = tags.filter((tag) => tag !== step.value)
    else if (!tags.includes(step.value)) tags = [...tags, step.value]
  }
  if (tags.length > MAX_TAGS) throw tooManyTags()
  return tags
}

type Market = Business['markets'][number]

/** Planned prices are left alone, and so is one in a currency that the market no longer has. */
const isPlainIn =
  ({ id, currency }: Pick<Market, 'id' | 'currency'>) =>
  (price: MarketPrice) =>
    price.marketId === id && price.currency === currency && !isPlanned(price)

/** A variant that is not sold in the market gets a price by `set` only. */
function priceChange({ id, prices }: Variant, market: Market, steps: readonly ChangeOf<'price'>[]): FieldChange {
  const before = prices.find(isPlainIn(market))?.price ?? null
  const isStale = prices.some((price) => price.marketId === market.id && !isPlanned(price)) && before === null
  const currencyStep = BigInt(stepOf(market.currency))
  let after = before === null ? null : BigInt(before)
  for (const step of isStale ? [] : steps) {
    if (step.op === 'set') after = BigInt(step.value)
    else if (after !== null)
      after = step.op === 'percent' ? raisePrice(after, step.bps, currencyStep) : roundPrice(after, step)
  }
  if (after !== null && after > Number.MAX_SAFE_INTEGER) throw newPriceTooLarge()
  return { field: 'price', marketId: market.id, variantId: id, before, after: after === null ? null : Number(after) }
}

/** The changes as a `PUT` of the product would say them: to what comes after, or back to what was before. */
export function toProductChanges(
  { variants, ...product }: Product,
  changes: readonly FieldChange[],
  side: 'before' | 'after',
  markets: Markets['markets'],
): ProductChanges {
  const sent: ProductChanges = {}
  for (const { field, [side]: value } of changes) {
    if (field === 'status') sent.statuses = [{ status: value as ProductStatus }]
    else if (field in product) Object.assign(sent, { [field]: value })
  }
  const byVariant = Map.groupBy(changes, ({ variantId }) => variantId)
  byVariant.delete(undefined)
  if (byVariant.size === 0) return sent
  const changed = variants.map(({ id, prices }) => {
    const ofVariant = byVariant.get(id) ?? []
    const threshold = ofVariant.find(({ field }) => field === 'lowStockThreshold')
    const priced = ofVariant.filter(({ field }) => field === 'price')
    return {
      id,
      ...(threshold && { inventory: { lowStockThreshold: threshold[side] as number | null } }),
      ...(priced.length > 0 && { pricing: { markets: newPrices(prices, priced, side, markets) } }),
    }
  })
  return { ...sent, variants: changed }
}

type SentPrice = Omit<MarketPrice, 'lowestOf30Days' | 'currency'> & { currency?: string }

function newPrices(
  prices: readonly MarketPrice[],
  changes: readonly FieldChange[],
  side: 'before' | 'after',
  markets: Markets['markets'],
): SentPrice[] {
  const wanted = new Map(changes.map(({ marketId = '', [side]: value }) => [marketId, value as number | null]))
  const kept = prices.flatMap(({ lowestOf30Days: _lowest, ...price }): SentPrice[] => {
    const market = markets.find(({ id }) => id === price.marketId)
    if (!market || !wanted.has(market.id) || !isPlainIn(market)(price)) return [price]
    const value = wanted.get(market.id) ?? null
    wanted.delete(market.id)
    return value === null ? [] : [{ ...price, price: value }]
  })
  const added = [...wanted].flatMap(([marketId, price]) => (price === null ? [] : [{ marketId, price }]))
  return [...kept, ...added]
}

/** What somebody should look at before this is applied. */
export function warningsOf(changes: readonly FieldChange[]): Warning[] {
  const found = new Set<Warning>()
  for (const { field, before, after } of changes) {
    if (field === 'status' && before === 'ACTIVE') found.add('NOT_SOLD')
    if (field !== 'price' || typeof before !== 'number' || typeof after !== 'number') continue
    if (after === 0) found.add('PRICE_ZERO')
    if (BigInt(before - after) * 10n > BigInt(before) * 3n) found.add('PRICE_DROP')
  }
  return [...found]
}
