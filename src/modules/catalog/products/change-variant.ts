import type { Tx } from '#platform/database/database.ts'
import type { Expected } from '#platform/http/etag.ts'
import { recordExists } from '#platform/http/refusals.ts'
import { priceNotFound, variantNotFound } from '../errors.ts'
import type { NewPrice, NewVariant, PriceParams, VariantChanges, VariantParams } from '../schemas.ts'
import { changeProduct, type Writer } from './change-product.ts'
import { type Places, setsStock } from './merge-product.ts'
import type { MarketPrice, Product, Variant } from './product.ts'

/*
 * One variant, or one of its prices, is changed while everything else stays as it is, also what somebody else changes at the
 * same moment: the rest is taken from the locked rows, never from what the caller has read.
 */

/** An element without fields keeps what its variant has. */
const asTheyAre = ({ variants }: Product): NewVariant[] => variants.map(({ id }) => ({ id }))

const VARIANT: Places = { variant: () => '', price: (_index, number) => `pricing.markets.${number}.` }
const PRICE: Places = { variant: () => '', price: () => '' }

type ChangedVariant = VariantParams & { isNew: boolean; expected: Expected }

/** Changes a variant, or adds a new one after the others. */
export const putVariant = (
  tx: Tx,
  writer: Writer,
  { id, variantId, isNew, expected }: ChangedVariant,
  sent: VariantChanges,
) =>
  changeProduct(tx, writer, {
    id,
    expected,
    isStockSent: setsStock({ variants: [sent] }),
    places: VARIANT,
    changesOf(product) {
      const changed = { ...sent, id: variantId }
      const variants = asTheyAre(product)
      if (isNew) {
        if (has(product, variantId)) throw recordExists()
        return { variants: [...variants, changed] }
      }
      variantOf(product, variantId)
      return { variants: variants.map((variant) => (variant.id === variantId ? changed : variant)) }
    },
  })

export const removeVariant = (tx: Tx, writer: Writer, { id, variantId }: VariantParams, expected: Expected) =>
  changeProduct(tx, writer, {
    id,
    expected,
    isStockSent: false,
    changesOf(product) {
      variantOf(product, variantId)
      return { variants: asTheyAre(product).filter((variant) => variant.id !== variantId) }
    },
  })

/** Sets the price of a market: the plain one, or the planned one that begins at the same moment. */
export const putPrice = (
  tx: Tx,
  writer: Writer,
  { id, variantId, marketId }: PriceParams,
  expected: Expected,
  sent: NewPrice,
) =>
  changePrices(tx, writer, { id, variantId }, expected, (prices) => {
    const changed = { ...sent, marketId }
    const isIt = (price: MarketPrice) => price.marketId === marketId && termOf(price) === termOf(sent)
    return prices.some(isIt) ? prices.map((price) => (isIt(price) ? changed : price)) : [...prices, changed]
  })

const termOf = ({ validFrom, validTo }: Pick<NewPrice, 'validFrom' | 'validTo'>) =>
  typeof validFrom === 'number' || typeof validTo === 'number' ? (validFrom ?? 0) : 'plain'

/** Removes all prices of a market, or only the planned one that begins at that moment. */
export const removePrice = (
  tx: Tx,
  writer: Writer,
  { id, variantId, marketId }: PriceParams,
  expected: Expected,
  validFrom: number | undefined,
) =>
  changePrices(tx, writer, { id, variantId }, expected, (prices) => {
    const isIt = (price: MarketPrice) =>
      price.marketId === marketId && (validFrom === undefined || termOf(price) === validFrom)
    const rest = prices.filter((price) => !isIt(price))
    if (rest.length === prices.length) throw priceNotFound()
    return rest
  })

type NewPrices = NonNullable<NewVariant['pricing']>['markets']

const changePrices = (
  tx: Tx,
  writer: Writer,
  { id, variantId }: Pick<VariantParams, 'id' | 'variantId'>,
  expected: Expected,
  change: (prices: readonly MarketPrice[]) => NewPrices,
) =>
  changeProduct(tx, writer, {
    id,
    expected,
    isStockSent: false,
    places: PRICE,
    changesOf(product) {
      const markets = change(variantOf(product, variantId).prices)
      const withPrices = (variant: NewVariant) =>
        variant.id === variantId ? { ...variant, pricing: { markets } } : variant
      return { variants: asTheyAre(product).map(withPrices) }
    },
  })

const has = ({ variants }: Product, variantId: string) => variants.some(({ id }) => id === variantId)

function variantOf({ variants }: Product, variantId: string): Variant {
  const found = variants.find(({ id }) => id === variantId)
  if (!found) throw variantNotFound()
  return found
}
