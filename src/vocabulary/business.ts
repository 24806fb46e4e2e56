import type { Media } from './media.ts'

export const PAYMENT_METHODS = ['CREDIT_CARD', 'CARD_PROVIDER'] as const

/** Of a product without another one. Shipping belongs to it, too. */
export const STANDARD_TAX_CLASS = 'standard'

export type ShippingMethod = {
  id: string
  name: string
  price: number
  freeFrom?: number | undefined
  /** From a service of the business, not of the market. Never stored with the business. */
  isTold?: boolean
}

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

/** Where services of the business can be asked while somebody waits. */
export const CALLOUT_POINTS = ['tax.calculate', 'shipping.rates', 'cart.validate'] as const
export type CalloutPoint = (typeof CALLOUT_POINTS)[number]

export const CALLOUT_FAILURES = ['FAIL', 'FALLBACK'] as const

/** A service that is asked at one point. Times are in seconds. */
export type Callout = {
  url: string
  timeoutMs: number
  /** What a failure means: the quote or checkout fails, or the business's own settings count. */
  onFailure: (typeof CALLOUT_FAILURES)[number]
  isEnabled: boolean
  /** What requests to it are signed with; Base64. */
  sealedSecret: string
  createdAt: number
  updatedAt: number
}
export type Callouts = Partial<Record<CalloutPoint, Callout>>

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

/** What one business may use, where that differs from the others. Absent: as the service is set up. */
export type BusinessLimits = {
  requestsPerMinute?: number
  /** In each process of the API; those whose time is ours, and those that wait for other servers, each. */
  requestsAtOnce?: number
  /** In each worker, of each kind of background work. */
  jobsAtOnce?: number
  mediaBytes?: number
  mailsPerDay?: number
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
  /** Null: none, as with most. */
  callouts: Callouts | null
  /** Roles count only for callers who have passed a second factor. */
  requireSecondFactor: boolean
  paymentAccount: string | null
  cell: string
  /** It is about to live in another cell: whoever writes waits until then, or until it is null again. */
  heldUntil: Date | null
  /** When it came to its cell, if it has ever moved. */
  movedAt: Date | null
  /** Suspended by the operator: nobody can access it. */
  suspendedAt: Date | null
  /** What the operator said about it. */
  suspendedReason: string | null
  /** Set by the operator; null: those of the service, as with most. */
  limits: BusinessLimits | null
  version: number
  createdAt: Date
  updatedAt: Date
}
