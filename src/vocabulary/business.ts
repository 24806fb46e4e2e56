export const PAYMENT_METHODS = ['CREDIT_CARD', 'CARD_PROVIDER'] as const

export type ShippingMethod = { id: string; name: string; price: number; freeFrom?: number | undefined }

/** Where a business sells: its `id` is the "market code" of the API. */
export type Market = {
  id: string
  name: string
  currency: string
  taxBps: number
  taxShipping: boolean
  shippingMethods: ShippingMethod[]
  paymentMethods: (typeof PAYMENT_METHODS)[number][]
}

/** A business with its settings, as every request for it carries them. */
export type Business = {
  id: string
  name: string
  slug: string
  contactEmail: string | null
  defaultLocale: string
  locales: string[]
  allowedOrigins: string[]
  markets: Market[]
  stripeAccountId: string | null
  cell: string
  /** By the operator: nobody gets at it. */
  suspendedAt: Date | null
  version: number
  createdAt: Date
  updatedAt: Date
}
