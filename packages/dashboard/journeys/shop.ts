import assert from 'node:assert/strict'
import { type Call, caller } from '../../../dev/first-steps.ts'
import { until } from '../../../test/support/until.ts'
import type { Service } from './service.ts'

export type Order = {
  id: string
  number: string
  total: number
  subtotal: number
  discount: number
  shipping: number
  tax: number
  currency: string
  contactEmail: string
  lines: { id: string; name: string; quantity: number }[]
}
export type Goods = { productId: string; variantId: string; quantity: number }
type Buyer = { name: string; email: string }
type Wish = { goods: Goods[]; promoCode?: string }

export type Shop = Awaited<ReturnType<typeof openShop>>

const AT_ONCE = 4
const ADDRESS = { street: '7 Quay Road', city: 'Portland', state: 'ME', zip: '04101', country: 'US' }

/** The shop from outside: people who buy and pay, and what is so afterwards, by the API alone. */
export async function openShop({ url, businessId, apiKey }: Pick<Service, 'url' | 'businessId' | 'apiKey'>) {
  const owner = caller(url, { 'x-api-key': apiKey })
  const business = `/v1/businesses/${businessId}`
  const read = async (place: string) => {
    const { status, body } = await owner('GET', business + place)
    assert.equal(status, 200, `${place}: ${JSON.stringify(body)}`)
    return body
  }
  const write = async (method: string, place: string, sent: object) => {
    const { status, body } = await owner(method, business + place, sent)
    assert.ok(status < 300, `${place}: ${JSON.stringify(body)}`)
    return body
  }
  const getOrder = async (id: string): Promise<Order> => read(`/orders/${id}`)
  const statusOf = async (id: string): Promise<string> => (await read(`/orders/${id}`)).statuses.at(-1).status

  async function place(buyer: Buyer, { goods, promoCode }: Wish): Promise<{ id: string; checkoutUrl: string }> {
    const guest = await asGuest(url)
    const { status, body } = await guest('POST', `${business}/orders/checkout`, {
      market: 'us',
      shippingMethodId: 'standard',
      items: goods,
      email: buyer.email,
      shippingAddress: { name: buyer.name, ...ADDRESS },
      ...(promoCode && { promoCode }),
    })
    assert.equal(status, 200, JSON.stringify(body))
    return { id: body.orderId, checkoutUrl: body.checkoutUrl }
  }

  return {
    read,
    write,
    getOrder,
    /** Bought and paid, as a customer does it; the provider has told us of it. */
    async buy(buyer: Buyer, wish: Wish): Promise<Order> {
      const { id, checkoutUrl } = await place(buyer, wish)
      await fetch(checkoutUrl, { method: 'POST', body: new URLSearchParams({ button: 'pay' }), redirect: 'manual' })
      await until(`${id} is paid`, async () => (await statusOf(id)) === 'PROCESSING', { everyMs: 100 })
      return getOrder(id)
    },
    /** Many, some at a time. */
    async buyMany(buyers: readonly Buyer[], wish: Wish): Promise<Order[]> {
      const orders: Order[] = []
      for (let at = 0; at < buyers.length; at += AT_ONCE)
        orders.push(...(await Promise.all(buyers.slice(at, at + AT_ONCE).map((buyer) => this.buy(buyer, wish)))))
      return orders
    },
    async makeProduct(name: string, price: number, stock = 100_000): Promise<Omit<Goods, 'quantity'>> {
      const variants = [
        {
          id: 'one',
          name: '',
          sku: name.toUpperCase().replaceAll(/\W+/g, '-'),
          pricing: { markets: [{ marketId: 'us', price }] },
          inventory: { tracked: true, quantity: stock },
        },
      ]
      const { id } = await write('POST', '/products', {
        name,

        statuses: [{ status: 'ACTIVE' }],
        variants,
      })
      return { productId: id, variantId: 'one' }
    },
    /** Nobody waits for a parcel: what demo data has left to pack goes out. */
    async packAll(): Promise<void> {
      const { items } = await read('/orders?status=PROCESSING&limit=100')
      if (items.length === 0) return
      const sent = items.map(({ id }: Order) => ({ orderId: id }))
      await write('POST', '/orders/shipments', { items: sent, notify: false })
    },
  }
}

async function asGuest(url: string): Promise<Call> {
  const { status, body } = await caller(url)('POST', '/v1/users/login', { provider: 'GUEST' })
  assert.equal(status, 200, JSON.stringify(body))
  return caller(url, { authorization: `Bearer ${body.accessToken}` })
}
