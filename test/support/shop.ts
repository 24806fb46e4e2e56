import assert from 'node:assert/strict'
import type { ControlDb } from '#platform/database/database.ts'
import type { Answer, Client } from './client.ts'
import type { Make } from './make.ts'

type Caller = Pick<Client, 'post' | 'get' | 'put'>
export type MadeProduct = Awaited<ReturnType<Make['product']>>

export const item = ({ id }: { id: string }, quantity = 1, variantId = 'one') => ({
  productId: id,
  variantId,
  quantity,
})

export const market = (changes: object = {}) => ({
  id: 'us',
  name: 'United States',
  currency: 'USD',
  taxBps: 1_000,
  taxShipping: false,
  shippingMethods: [],
  paymentMethods: ['CREDIT_CARD'],
  ...changes,
})

/** What an order has of which nothing was said. */
export const NOTHING_SAID = {
  shippingAddress: null,
  billingAddress: null,
  phone: null,
  customerNote: null,
  tags: [],
  fulfillment: 'UNFULFILLED',
  refundedAmount: 0,
  expiredAt: null,
}

/** A shop as its customers use it. */
export async function openShop(make: Make, options: Parameters<Make['shop']>[0] = {}) {
  const shop = await make.shop(options)
  const { admin, path, id, db } = shop
  const orders = `${path}/orders`

  const ok = (status: number, answer: Answer) => {
    assert.equal(answer.status, status, answer.text)
    return answer.body
  }
  const checkout = (caller: Caller, body: object, headers: Record<string, string> = {}) =>
    caller.post(`${orders}/checkout`, { market: 'us', ...body }, headers)

  return {
    ...shop,
    orders,
    /** The fields of the business. */
    configure: async (settings: object) => ok(200, await admin.put(path, settings)),
    product: (body: object = {}) => make.product(shop, body),
    /** One variant `one` at that price in `us`; `inventory` 100 unless told. */
    priced: (price: number, inventory: object = { tracked: true, quantity: 100 }) =>
      make.product(shop, {
        variants: [{ id: 'one', sku: 'SKU', pricing: { markets: [{ marketId: 'us', price }] }, inventory }],
      }),
    promo: async (body: object = {}) => {
      const made = ok(
        201,
        await admin.post(`${path}/promo-codes`, { code: 'TEN', type: 'PERCENT', value: 1_000, ...body }),
      )
      const used = async () => (await admin.get(`${path}/promo-codes/${made.id}`)).body.redemptions as number
      return { id: made.id as string, code: made.code as string, path: `${path}/promo-codes/${made.id}`, used }
    },
    quote: (caller: Caller, body: object) =>
      caller.post('/v1/payments/quote', { businessId: id, market: 'us', ...body }),
    checkout,
    /** An order that waits for its payment. */
    buy: async (caller: Caller, body: object, headers: Record<string, string> = {}) => {
      const { orderId, checkoutUrl } = ok(200, await checkout(caller, body, headers))
      return { orderId, checkoutUrl, path: `${orders}/${orderId}`, pageId: String(checkoutUrl).split('/').at(-1) ?? '' }
    },
    order: async (orderId: string) => ok(200, await admin.get(`${orders}/${orderId}`)),
    listAll: async () => (await admin.get(`${orders}?limit=100`)).body.items as { id: string }[],
    /** The ledger of a variant, oldest first. */
    ledger: async (product: { path: string }, variantId = 'one') => {
      const { items } = ok(200, await admin.get(`${product.path}/variants/${variantId}/stock?limit=100`))
      return (items as { delta: number; kind: string; reference: string | null }[])
        .map(({ delta, kind, reference }) => ({ delta, kind, reference }))
        .toReversed()
    },
    customers: async (control: ControlDb) =>
      (await control.selectFrom('access.customers').select('userId').where('businessId', '=', id).execute())
        .map(({ userId }) => userId)
        .sort(),
    db,
  }
}
export type Shop = Awaited<ReturnType<typeof openShop>>

const currentOf = (history: { status: string }[]) => history.at(-1)?.status
/** `PENDING/PENDING`: the order's status and that of its payment. */
export const stateOf = (order: { statuses: { status: string }[]; paymentStatus: { status: string }[] }) =>
  `${currentOf(order.statuses)}/${currentOf(order.paymentStatus)}`

/** Numbers that are the same in every run. */
export function createRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const upTo = (max: number) => Math.floor(next() * (max + 1))
  return { upTo, pick: <Item>(...items: Item[]) => items[upTo(items.length - 1)] as Item }
}
