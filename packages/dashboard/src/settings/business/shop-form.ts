import type { Body, Business } from '@kontor/sdk'
import { isSame } from '../../merge/is-same.ts'

/** Where the shop is, as it is typed. */
export type ShopForm = {
  allowedOrigins: string[]
  orderUrl: string
  productUrl: string
  previewUrl: string
  isPublic: boolean
  showQuantity: boolean
}
export type Address = 'orderUrl' | 'productUrl' | 'previewUrl'

/** What an address must have in it, for the service to fill in. */
export const PLACES: Record<Address, string[]> = {
  orderUrl: ['{orderId}'],
  productUrl: ['{slug}'],
  previewUrl: ['{entryId}', '{token}'],
}

export const toForm = ({ allowedOrigins = [], orderUrl, storefront }: Business): ShopForm => ({
  allowedOrigins,
  orderUrl: orderUrl ?? '',
  productUrl: storefront?.productUrl ?? '',
  previewUrl: storefront?.previewUrl ?? '',
  isPublic: storefront?.isPublic ?? false,
  showQuantity: storefront?.showQuantity ?? false,
})

/** Scheme and host of what was typed or pasted, with or without them; undefined where there is none. */
export function originOf(typed: string): string | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`)
  return url && /^https?:$/.test(url.protocol) && url.hostname ? url.origin : undefined
}

export type Wrong = { kind: 'address' } | { kind: 'origin'; origin: string } | { kind: 'place'; place: string }

/** Why an address would be refused. */
export function wrongWith(form: ShopForm, field: Address): Wrong | undefined {
  const text = form[field].trim()
  if (text === '') return undefined
  const origin = /^https?:\/\//i.test(text) ? originOf(text) : undefined
  if (origin === undefined) return { kind: 'address' }
  if (!form.allowedOrigins.includes(origin)) return { kind: 'origin', origin }
  const place = PLACES[field].find((one) => !text.includes(one))
  return place === undefined ? undefined : { kind: 'place', place }
}

export function toBody(mine: ShopForm, now: Business): Body<'updateBusiness'> {
  const before = toForm(now)
  const differs = (field: keyof ShopForm) => !isSame(mine[field], before[field])
  const storefront = {
    ...(differs('isPublic') && { isPublic: mine.isPublic }),
    ...(differs('showQuantity') && { showQuantity: mine.showQuantity }),
    ...(differs('productUrl') && { productUrl: mine.productUrl.trim() || null }),
    ...(differs('previewUrl') && { previewUrl: mine.previewUrl.trim() || null }),
  }
  return {
    ...(differs('allowedOrigins') && { allowedOrigins: mine.allowedOrigins }),
    ...(differs('orderUrl') && { orderUrl: mine.orderUrl.trim() || null }),
    ...(Object.keys(storefront).length > 0 && { storefront }),
  }
}
