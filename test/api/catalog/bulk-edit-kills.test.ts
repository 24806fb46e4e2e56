import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { plusFive, settled } from '../../support/bulk-edits.ts'
import { startChild } from '../../support/child.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const PRODUCTS = 450 // three batches

type Shop = Awaited<ReturnType<typeof used.make.shop>>

/** How often each product was written, its prices, and what its document says. */
async function stateOf({ db, id }: Shop) {
  const { rows } = await sql<{ version: number; price: number; shown: string; products: number }>`
    select version, (variant.prices -> 0 ->> 'price')::integer as price,
           substring(document from '"marketId":"us","currency":"USD","price":(\\d+)') as shown, count(*)::integer as products
      from catalog.products
      join catalog.variants as variant using (business_id)
     where business_id = ${id} and variant.product_id = products.id
     group by 1, 2, 3 order by 1, 2, 3`.execute(db)
  return rows
}

test('a worker that dies in the middle leaves nothing by half, and the next one goes on there', async (t) => {
  const shop = await used.make.shop({ cell: 'second' })
  const { env } = used.api.databases
  for (let n = 0; n < PRODUCTS; n += 50) await Promise.all(Array.from({ length: 50 }, () => used.make.product(shop)))
  const made = await shop.admin.post(`${shop.path}/bulk-edits`, {
    list: 'products',
    select: { filters: {} },
    changes: plusFive,
  })
  const { id } = made.body

  for (const verb of ['', 'apply', 'undo']) {
    if (verb) assert.equal((await shop.admin.post(`${shop.path}/bulk-edits/${id}/${verb}`, undefined)).status, 202)
    const before = await stateOf(shop)
    const doomed = await startChild('worker', env, { faults: { 'bulk-edit.before-commit': 'kill-second' } })
    t.after(() => doomed.kill())
    assert.equal((await doomed.exited).signal, 'SIGKILL')
    const { body: halfway } = await shop.admin.get(`${shop.path}/bulk-edits/${id}`)
    const written = verb === 'undo' ? halfway.undone : halfway.applied
    if (verb) assert.equal(written, 200, 'one batch was done, and is')
    else assert.deepEqual(await stateOf(shop), before)

    const next = await startChild('worker', env)
    t.after(() => next.kill())
    await settled(shop, id)
    assert.equal((await next.stop()).code, 0)
    const price = verb === 'apply' ? 1_090 : 1_000
    const version = { '': 1, apply: 2, undo: 3 }[verb] ?? 0
    assert.deepEqual(
      await stateOf(shop),
      [{ version, price, shown: String(price), products: PRODUCTS }],
      `after ${verb}`,
    )
  }
})
