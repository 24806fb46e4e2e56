import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { useFaults } from '#platform/faults.ts'
import { findViolations } from '../../scenarios/buyers.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })
afterEach(() => useFaults(undefined))

describe('money that comes for an order that had expired', () => {
  /** An order with the only use of a promo code: being paid when it expired, so it was cancelled, and its use given back. */
  async function expireWhilePaying() {
    const shop = await used.make.shop({ cell: 'second' })
    const product = await used.make.product(shop)
    const promo = { code: 'ONE', type: 'PERCENT', value: 1_000, maxRedemptions: 1 }
    const { body: code } = await shop.admin.post(`${shop.path}/promo-codes`, promo)
    const items = [{ productId: product.id, variantId: 'one', quantity: 3 }]
    const buy = async () => {
      const buyer = await used.make.user()
      const bought = await buyer.post(`${shop.path}/orders/checkout`, { market: 'us', items, promoCode: 'ONE' })
      assert.equal(bought.status, 200, bought.text)
      return bought.body.orderId as string
    }
    const id = await buy()
    const page = used.twin.sessions().find(({ client_reference_id }) => client_reference_id === `order:${id}`)
    used.twin.pay(page?.id ?? '', { later: true })
    await sql`update orders.orders set expires_at = now() - interval '1 second' where id = ${id}`.execute(shop.db)
    await used.sweep(shop.db)
    const stateOf = async () => {
      const { body } = await shop.admin.get(`${shop.path}/orders/${id}`)
      return [body.statuses.at(-1).status, body.paymentStatus.at(-1).status]
    }
    assert.deepEqual(await stateOf(), ['CANCELLED', 'FAILED'])
    return {
      shop,
      product,
      id,
      buy,
      stateOf,
      uses: async () => (await shop.admin.get(`${shop.path}/promo-codes/${code.id}`)).body.redemptions as number,
      async conclude() {
        used.twin.conclude(page?.id ?? '', 'paid')
        await until('it is paid', async () => (await stateOf())[1] === 'PAID')
        assert.deepEqual(await stateOf(), ['PROCESSING', 'PAID'])
      },
      cancel: async () =>
        assert.equal((await shop.admin.put(`${shop.path}/orders/${id}/status`, { status: 'CANCELLED' })).status, 200),
    }
  }

  test('brings it back, and its promo use with it', async () => {
    const { shop, conclude, cancel, uses } = await expireWhilePaying()
    assert.equal(await uses(), 0)
    await conclude()
    assert.equal(await uses(), 1)
    await cancel()
    assert.equal(await uses(), 0)
    assert.deepEqual(await findViolations(shop.db), [])
  })

  test('brings it back though somebody else has its promo use now, which stays theirs', async () => {
    const { shop, buy, conclude, cancel, uses } = await expireWhilePaying()
    await buy()
    await conclude()
    assert.equal(await uses(), 1)
    assert.deepEqual(await findViolations(shop.db), [])
    await cancel()
    assert.equal(await uses(), 1)
    assert.deepEqual(await findViolations(shop.db), [])
  })

  test('brings it back though its stock is not counted any more, and takes none that would be given back', async () => {
    const { shop, product, conclude, cancel } = await expireWhilePaying()
    const [variant] = product.body.variants
    const untracked = { ...variant, inventory: { tracked: false, quantity: 0 } }
    const changed = await shop.admin.put(product.path, { variants: [untracked] })
    assert.equal(changed.status, 200, changed.text)
    await conclude()
    assert.deepEqual(await findViolations(shop.db), [])
    await cancel()
    assert.equal(await product.stock(), 0)
    assert.deepEqual(await findViolations(shop.db), [])
  })
})

test('checkouts whose commit got no answer are not tried again one by one: that could make two orders of each', async () => {
  const shop = await used.make.shop()
  const product = await used.make.product(shop)
  const buyer = await used.make.user()
  const items = [{ productId: product.id, variantId: 'one', quantity: 1 }]
  const send = () => buyer.post(`${shop.path}/orders/checkout`, { market: 'us', items })
  assert.equal((await send()).status, 200)
  const held = Promise.withResolvers<void>()
  let waiting = 0
  let transactions = 0
  useFaults(async (name) => {
    if (name === 'checkout.before-transaction') waiting++
    if (name !== 'checkout.before-commit') return
    if (++transactions === 1) await held.promise
    else throw new Error('Connection terminated unexpectedly')
  })
  const first = send()
  await until('the first is about to be committed', () => transactions === 1)
  const others = [send(), send(), send()]
  await until('the others wait together', () => waiting === 4)
  held.resolve()
  assert.equal((await first).status, 200)
  for (const answer of await Promise.all(others)) assert.equal(answer.status, 503, answer.text)
  assert.equal(transactions, 2)
})
