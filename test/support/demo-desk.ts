import assert from 'node:assert/strict'
import type { BrowserContext } from 'playwright-core'
import { makeCategories } from '../../src/apps/demo/categories.ts'
import { makeCustomers } from '../../src/apps/demo/customers.ts'
import { openDemo } from '../../src/apps/demo/demo.ts'
import { makeJournal } from '../../src/apps/demo/journal.ts'
import { makeOrders } from '../../src/apps/demo/orders.ts'
import { makeProducts } from '../../src/apps/demo/products.ts'
import { makePromos } from '../../src/apps/demo/promos.ts'
import { waitUntilIdle } from './paid-shop.ts'
import { createPeople, PASSWORD } from './people.ts'
import { type Dashboard, openDashboard } from './served-dashboard.ts'

export type DemoDesk = Awaited<ReturnType<typeof openDemoDesk>>

const SLUG = 'harbour-goods'

/** `env`: more settings of the service. */
type DeskOptions = { withOrders?: boolean; withJournal?: boolean; env?: Record<string, string> }

/** The dashboard with the demo in it: its goods, its orders and its journal if they are wanted, and its owner to sign in as. */
export async function openDemoDesk(options: DeskOptions = {}) {
  const desk = await openDashboard(options.env)
  try {
    return await fillDesk(desk, options)
  } catch (error) {
    await desk.close() // its servers would keep the process alive for ever
    throw error
  }
}

async function fillDesk(desk: Dashboard, { withOrders = false, withJournal = false }: DeskOptions) {
  const { api, make, url } = desk
  const person = await createPeople(api).person()
  const { databases } = api.services
  const demo = await openDemo({ databases, publicUrl: url, ownerEmail: person.email, slug: SLUG })
  const goods = [makeCategories, makeProducts, makePromos, ...(withJournal ? [makeJournal] : [])]
  for (const part of withOrders ? [...goods, makeCustomers, makeOrders] : goods) await part(demo, () => {})
  const owner = await make.apiKey(demo.owner.userId, demo.business.id)
  const business = `/v1/businesses/${demo.business.id}`

  const variantOf = async (words: string) => {
    const { body } = await owner.get(`${business}/products?query=${encodeURIComponent(words)}&limit=1`)
    return { productId: body.items[0].id as string, variantId: body.items[0].variants[0].id as string }
  }

  return {
    ...desk,
    /** A page of the business. */
    at: (place = '') => `${url}/admin/${SLUG}${place}`,
    door: `${url}/admin/login`,
    email: person.email,
    password: PASSWORD,
    owner,
    business,
    businessId: demo.business.id,
    db: demo.cell,
    /** Signs in without the form. Each by itself: a refresh token works once. */
    signIn: (context: BrowserContext) => desk.signIn(context, person.email),
    /** Mugs and lanterns, more than any test sells. */
    async stockUp() {
      for (const words of ['watch%20mug', 'lantern']) {
        const { body } = await owner.get(`${business}/products?query=${words}&limit=20`)
        for (const { id, variants } of body.items)
          for (const { id: variantId } of variants) {
            const path = `${business}/products/${id}/variants/${variantId}/stock`
            const { status, text } = await owner.post(path, { delta: 5_000, reason: 'Delivery' })
            assert.equal(status, 201, text)
          }
      }
    },
    /** Two mugs and a lantern with WELCOME10, paid. */
    async buy(email: string) {
      const guest = await make.guest()
      const [mug, lantern] = await Promise.all([variantOf('watch mug'), variantOf('storm lantern')])
      const items = [
        { ...mug, quantity: 2 },
        { ...lantern, quantity: 1 },
      ]
      const shippingAddress = {
        name: 'Ingrid Sørensen',
        street: '7 Quay Road',
        city: 'Portland',
        state: 'ME',
        zip: '04101',
        country: 'US',
      }
      const body = { market: 'us', shippingMethodId: 'express', promoCode: 'WELCOME10', items, email, shippingAddress }
      const answer = await guest.post(`${business}/orders/checkout`, body)
      assert.equal(answer.status, 200, answer.text)
      desk.twin.pay(String(answer.body.checkoutUrl).split('/').at(-1) ?? '')
      await waitUntilIdle(desk, demo.cell)
      await desk.follow(demo.cell)
      return (await owner.get(`${business}/orders/${answer.body.orderId}`)).body
    },
    /** The worker asks the provider for refunds, once, now. */
    async carryOut() {
      await desk.sweep(demo.cell)
      await waitUntilIdle(desk, demo.cell)
      await desk.follow(demo.cell)
    },
  }
}
