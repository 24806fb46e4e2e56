import type { Media } from './media.ts'

export const PAYMENT_METHODS = ['CREDIT_CARD', 'CARD_PROVIDER'] as const

/** Of a product without another one. Shipping belongs to it, too. */
export const STANDARD_TAX_CLASS = 'standard'

export type ShippingMethod = { id: string; name: string; price: number; freeFrom?: number | undefined }

/** A market that a business sells in; its `id` is the "market code" of the API. */
export type Market = {
  id: string
  name: string
  currency: string
  taxBps: number
  taxShipping: boolean
  /** Prices, shipping prices and fixed discounts have the tax inside. */
  pricesIncludeTax: boolean
  taxRates: { taxClass: string; taxBps: number }[]
  shippingMethods: ShippingMethod[]
  paymentMethods: (typeof PAYMENT_METHODS)[number][]
}

/** A class without a rate of its own is taxed at the market's. */
export const taxRateOf = ({ taxRates, taxBps }: Pick<Market, 'taxRates' | 'taxBps'>, taxClass: string): number =>
  taxRates.find((rate) => rate.taxClass === taxClass)?.taxBps ?? taxBps

/** What everybody may read of the shop without a credential. */
export type Storefront = {
  isPublic: boolean
  /** How much there is of a variant, not only whether there is any. */
  showQuantity: boolean
  /** Where the shop shows an entry before it is published, with `{entryId}` and `{token}`. */
  previewUrl?: string | null
  /** Where the shop shows a product, with `{slug}`. */
  productUrl?: string | null
}

/** A business with its settings, as every request carries it. */
export type Business = {
  id: string
  name: string
  slug: string
  contactEmail: string | null
  defaultLocale: string
  locales: string[]
  allowedOrigins: string[]
  /** Where the shop shows an order, with `{orderId}`. */
  orderUrl: string | null
  /** IANA: where its days begin. */
  timeZone: string
  /** After a deleted account: for how many days from an order on it is kept whose it was. */
  keepPersonDays: number
  /** A picture; of a file, the copy of what is known of it. */
  logo: Media | null
  storefront: Storefront
  markets: Market[]
  /** Roles count only for callers who have passed a second factor. */
  requireSecondFactor: boolean
  paymentAccount: string | null
  cell: string
  /** Suspended by the operator: nobody can access it. */
  suspendedAt: Date | null
  version: number
  createdAt: Date
  updatedAt: Date
}
