import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { Stripe } from 'stripe'
import { startStripeTwin } from '../../twins/stripe/server.ts'

const SECRETS = { secretKey: 'sk_test_twin', webhookSecret: 'whsec_twin' }

test('a twin that keeps its world in a file goes on with it, one without a file begins anew', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kontor-twin-'))
  const file = path.join(folder, 'stripe.json')
  const open = async (options: { file?: string } = {}) => {
    const twin = await startStripeTwin({ ...SECRETS, ...options })
    const { sessions } = new Stripe(SECRETS.secretKey, { ...twin.clientOptions, maxNetworkRetries: 0 }).checkout
    return { twin, sessions }
  }
  const first = await open({ file })
  const price = { currency: 'eur', unit_amount: 500, product_data: { name: 'Sea salt' } }
  const page: Stripe.Checkout.SessionCreateParams = {
    mode: 'payment',
    line_items: [{ price_data: price, quantity: 2 }],
    success_url: 'https://x.example/',
  }
  const account = { stripeAccount: 'acct_1' }
  const [paid, open1] = [await first.sessions.create(page, account), await first.sessions.create(page)]
  first.twin.pay(paid.id)
  await first.twin.close()

  const again = await open({ file })
  t.after(async () => {
    await again.twin.close()
    rmSync(folder, { recursive: true })
  })
  const before = await again.sessions.retrieve(paid.id, { expand: ['payment_intent.latest_charge'] }, account)
  assert.deepEqual([before.payment_status, before.amount_total], ['paid', 1_000])
  assert.equal(again.twin.pay(open1.id).payment_status, 'paid')

  const other = await open()
  t.after(() => other.twin.close())
  await assert.rejects(other.sessions.retrieve(paid.id, {}, account), { code: 'resource_missing' })
})
