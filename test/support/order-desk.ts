import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, BrowserContext } from 'playwright-core'
import { preview } from 'vite'
import { freePort } from '../../dev/ports.ts'
import { openDemo } from '../../src/apps/demo/demo.ts'
import { makeProducts } from '../../src/apps/demo/products.ts'
import { makePromos } from '../../src/apps/demo/promos.ts'
import { follow } from './customers.ts'
import { waitUntilIdle } from './paid-shop.ts'
import { startPaymentsApi } from './payments-api.ts'
import { createPeople, PASSWORD } from './people.ts'

const ROOT = path.resolve(import.meta.dirname, '../../packages/dashboard')

export type OrderDesk = Awaited<ReturnType<typeof openOrderDesk>>

/** The dashboard as it is built, on the real service with goods, a payment twin, and an order that somebody has paid. */
export async function openOrderDesk(browser: Browser) {
  const outDir = await mkdtemp(path.join(tmpdir(), 'dashboard-'))
  const service = await startPaymentsApi()
  const { api, make } = service
  process.env.KONTOR_URL = api.url // the settings of the page's server read it
  const person = await createPeople(api).person()
  const { databases } = api.services
  const port = await freePort(28_000)
  const origin = `http://127.0.0.1:${port}`
  const demo = await openDemo({
    databases,
    publicUrl: origin, // of the pictures: the policy of the page lets in those of its own origin
    ownerEmail: person.email,
    slug: 'harbour-goods',
  })
  const fill = async () => {
    await makeProducts(demo, () => {})
    await makePromos(demo, () => {})
  }
  await Promise.all([buildForUse(outDir), fill()])
  const server = await preview({
    root: ROOT,
    logLevel: 'error',
    build: { outDir },
    preview: { port, strictPort: true, host: '127.0.0.1', proxy: { '/demo': api.url } },
  })
  const owner = await make.apiKey(demo.owner.userId, demo.business.id)
  const business = `/v1/businesses/${demo.business.id}`

  const variantOf = async (words: string) => {
    const { body } = await owner.get(`${business}/products?query=${encodeURIComponent(words)}&limit=1`)
    return { productId: body.items[0].id as string, variantId: body.items[0].variants[0].id as string }
  }

  return {
    origin,
    url: (place = '') => `${origin}/admin/harbour-goods${place}`,
    owner,
    business,
    twin: service.twin,
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
      const page = await browser.newPage()
      await page.goto(answer.body.checkoutUrl)
      await page.click('[value=pay]')
      await waitUntilIdle(service, demo.cell)
      await page.close()
      await follow(api, demo.cell)
      return (await owner.get(`${business}/orders/${answer.body.orderId}`)).body
    },
    /** The worker asks the provider for refunds, once, now. */
    async carryOut() {
      await service.sweep(demo.cell)
      await waitUntilIdle(service, demo.cell)
      await follow(api, demo.cell)
    },
    /** Signs in without the form. Each by itself: a refresh token works once. */
    async signIn(context: BrowserContext) {
      const data = { provider: 'EMAIL', email: person.email, password: PASSWORD }
      const answer = await context.request.post(`${origin}/admin/session`, { data, headers: { origin } })
      assert.equal(answer.status(), 200)
    },
    async close() {
      await server.close()
      await service.close()
      await rm(outDir, { recursive: true })
    },
  }
}

/** In a process of its own: it would hold up everything else in this one. */
async function buildForUse(outDir: string) {
  const vite = path.resolve(ROOT, '../../node_modules/vite/bin/vite.js')
  const env = { ...process.env, NODE_ENV: 'production' }
  const args = [vite, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'error']
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number]
  if (code !== 0) throw new Error('The dashboard cannot be built.')
}
