import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { verify } from '../../../src/apps/verify.ts'
import { countWhileItSells, waves } from '../../scenarios/stocktakes.ts'
import { assertError } from '../../support/assert-error.ts'
import { openStockDesk } from '../../support/stock-desk.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

async function open(quantity = 10) {
  const desk = await openStockDesk(used.api, used.make)
  const mug = await desk.priced(1_000, { tracked: true, quantity })
  const at = { productId: mug.id, variantId: 'one' }
  return { ...desk, mug, at, count: async (counted: number) => ({ ...at, counted, ...(await figures(desk, mug)) }) }
}

async function figures(desk: Awaited<ReturnType<typeof openStockDesk>>, mug: { id: string }) {
  const { committed, number } = await desk.level(mug)
  return { committed, number }
}

const ledgerOf = async (
  { admin }: { admin: { get: (path: string) => Promise<{ body: { items: object[] } }> } },
  path: string,
) =>
  (await admin.get(`${path}/variants/one/stock`)).body.items as {
    number: number
    delta: number
    quantity: number
    kind: string
    reason: string | null
    reference: string | null
    userId: string | null
  }[]

test('ten on the shelf, three of them sold and not sent, is right', async () => {
  const desk = await open(10)
  await desk.sell(desk.mug, 3)
  const made = await desk.take([await desk.count(10)], 'Shelf B4')

  assert.equal(made.status, 201, made.text)
  assert.deepEqual(made.body.items, [{ ...desk.at, counted: 10, delta: 0, quantity: 7, number: 2 }])
  assert.deepEqual([made.body.variants, made.body.changed, made.body.delta], [1, 0, 0])
  assert.equal((await desk.level(desk.mug)).quantity, 7)
})

test('a difference is one movement of the kind COUNT, with reason, person and stocktake', async () => {
  const desk = await open(10)
  await desk.sell(desk.mug, 3)
  const made = await desk.take([await desk.count(8)], 'Shelf B4')

  assert.deepEqual(made.body.items, [{ ...desk.at, counted: 8, delta: -2, quantity: 5, number: 3 }])
  const [last] = await ledgerOf(desk, desk.mug.path)
  assert.ok(last)
  const { number, delta, quantity, kind, reason, reference, userId } = last
  assert.deepEqual(
    { number, delta, quantity, kind, reason, reference, userId },
    {
      number: 3,
      delta: -2,
      quantity: 5,
      kind: 'COUNT',
      reason: 'Shelf B4',
      reference: made.body.id,
      userId: desk.admin.id,
    },
  )
})

test('what is sold, sent and given back between counting and sending stays', async () => {
  const desk = await open(10)
  const first = (await desk.sell(desk.mug, 3)).body
  const counted = await desk.count(9) // one is missing
  await desk.sell(desk.mug, 2)
  await desk.admin.post(`${desk.orders}/${first.id}/shipments`, {})
  await desk.admin.post(`${desk.mug.path}/variants/one/stock`, { delta: 20, reason: 'A pallet came' })

  const made = await desk.take([counted])
  assert.equal(made.body.items[0].delta, -1)
  const { quantity, committed } = await desk.level(desk.mug)
  assert.deepEqual([quantity, committed], [10 - 3 - 2 + 20 - 1, 2])
})

test('what was sent by its status alone is gone, also after it is refunded', async () => {
  const desk = await open(10)
  const { id } = (await desk.sell(desk.mug, 3)).body
  for (const status of ['SHIPPED', 'DELIVERED', 'REFUNDED']) {
    const { status: answered, text } = await desk.admin.put(`${desk.orders}/${id}/status`, { status })
    assert.equal(answered, 200, text)
  }
  assert.equal((await desk.level(desk.mug)).committed, 0)
  const made = await desk.take([await desk.count(7)])
  assert.deepEqual([made.body.items[0].delta, made.body.items[0].quantity], [0, 7])
})

test('a delta needs no count', async () => {
  const desk = await open(10)
  const made = await desk.take([{ ...desk.at, delta: 3 }], 'Found behind the shelf')
  assert.deepEqual(made.body.items, [{ ...desk.at, counted: null, delta: 3, quantity: 13, number: 2 }])
})

test('the same difference found by two people is brought in once', async () => {
  const desk = await open(10)
  const [ada, bo] = [await desk.count(12), await desk.count(12)]
  assert.equal((await desk.take([ada])).status, 201)
  const refused = await desk.take([bo])

  assertError(refused, 409, 'CONFLICT')
  assert.deepEqual(refused.body.details, [
    {
      field: 'items.0.number',
      error: 'COUNTED_SINCE',
      message:
        'Somebody has counted this variant since: movement 2 changed it by 2. Read it again, and count again if it still differs.',
    },
  ])
  assert.equal((await desk.level(desk.mug)).quantity, 12)
  assert.equal((await desk.take([await desk.count(12)])).body.items[0].delta, 0)
})

test('what would fall below zero is refused by name, and nothing of it is written', async () => {
  const desk = await open(2)
  const bowl = await desk.priced(1_000, { tracked: true, quantity: 1 })
  const plate = await desk.priced(1_000, { tracked: true, quantity: 5 })
  const counted = await desk.count(0) // two are missing, and one is sold meanwhile
  await desk.sell(desk.mug, 1)
  const refused = await desk.take([
    { productId: plate.id, variantId: 'one', delta: -1 },
    counted,
    { productId: bowl.id, variantId: 'one', delta: -4 },
  ])

  assertError(refused, 409, 'CONFLICT')
  assert.deepEqual(
    refused.body.details.map(({ field, error }: { field: string; error: string }) => [field, error]),
    [
      ['items.1', 'OUT_OF_STOCK'],
      ['items.2', 'OUT_OF_STOCK'],
    ],
  )
  assert.equal((await desk.level(plate)).quantity, 5)
  assert.deepEqual((await desk.admin.get(`${desk.path}/stocktakes`)).body.items, [])
})

test('a stocktake that cannot be is refused: unknown, twice, without a change, of a number to come, too many', async () => {
  const desk = await open(10)
  const errorsOf = async (items: object[]) => {
    const answer = await desk.take(items)
    assertError(answer, 422, 'VALIDATION_FAILED')
    return answer.body.details.map(({ field, error }: { field: string; error: string }) => `${field} ${error}`)
  }
  const { at } = desk
  assert.deepEqual(await errorsOf([{ ...at, variantId: 'two', delta: 1 }]), ['items.0.variantId NOT_FOUND'])
  assert.deepEqual(
    await errorsOf([
      { ...at, delta: 1 },
      { ...at, delta: 1 },
    ]),
    ['items.1.variantId DUPLICATE'],
  )
  assert.deepEqual(await errorsOf([{ ...at, delta: 0 }]), ['items.0.delta INVALID'])
  assert.deepEqual(await errorsOf([{ ...at, counted: 1, committed: 0, number: 9 }]), ['items.0.number INVALID'])
  assert.deepEqual(await errorsOf([{ ...at, delta: 1_000_000_000 }]), ['items.0 TOO_LARGE'])
  assert.ok((await errorsOf([{ ...at, counted: 1 }])).length > 0)
  assert.deepEqual(await errorsOf([]), ['items TOO_FEW'])
  const many = Array.from({ length: 501 }, () => ({ ...at, delta: 1 }))
  assert.deepEqual(await errorsOf(many), ['items TOO_MANY'])
  const other = await open()
  assert.deepEqual(await errorsOf([{ ...other.at, delta: 1 }]), ['items.0.variantId NOT_FOUND'])
})

test('500 variants are counted at once', async () => {
  const desk = await openStockDesk(used.api, used.make)
  const variants = Array.from({ length: 500 }, (_, index) => ({
    id: `v${index}`,
    inventory: { tracked: true, quantity: 5 },
  }))
  const shelf = await desk.product({ variants })
  const items = variants.map(({ id }, index) => ({
    productId: shelf.id,
    variantId: id,
    ...(index % 2 ? { counted: 6, committed: 0, number: 1 } : { delta: -1 }),
  }))
  const made = await desk.take(items)
  assert.equal(made.status, 201, made.text)
  assert.deepEqual([made.body.variants, made.body.changed, made.body.delta], [500, 500, 0])
})

test('a repeated request counts once', async () => {
  const desk = await open(10)
  const items = [{ ...desk.at, delta: -1 }]
  const key = { 'idempotency-key': 'shelf-b4' }
  const [first, again] = [await desk.take(items, 'Broken', key), await desk.take(items, 'Broken', key)]
  assert.equal(again.text, first.text)
  assert.equal((await desk.level(desk.mug)).quantity, 9)
})

test('a stocktake tells once what it changed, and nothing where all was right', async () => {
  const desk = await open(10)
  const bowl = await desk.priced(1_000, { tracked: true, quantity: 4 })
  await desk.take([await desk.count(10)])
  const made = await desk.take([await desk.count(9), { productId: bowl.id, variantId: 'one', delta: 2 }])
  const { rows } = await sql<{ subject: string; data: { kind: string; reference: string; changes: object[] } }>`
    select subject, data from cell.event_outbox where business_id = ${desk.id} and type = 'stock.changed'`.execute(
    desk.db,
  )
  assert.equal(rows.length, 1)
  const [told] = rows
  assert.deepEqual([told?.subject, told?.data.kind, told?.data.reference], [made.body.id, 'COUNT', made.body.id])
  assert.equal(told?.data.changes.length, 2)
})

test('stocktakes are listed from the newest, and read with what was counted', async () => {
  const desk = await open(10)
  const made = [
    (await desk.take([await desk.count(9)], 'Shelf B4')).body,
    (await desk.take([{ ...desk.at, delta: 1 }])).body,
  ]
  const { items, cursor } = (await desk.admin.get(`${desk.path}/stocktakes?limit=1`)).body
  const { items: _counted, ...summary } = made[1]
  assert.deepEqual(items, [summary])
  const next = (await desk.admin.get(`${desk.path}/stocktakes?limit=1&cursor=${cursor}`)).body
  assert.equal(next.items[0].reason, 'Shelf B4')
  assert.deepEqual((await desk.admin.get(`${desk.path}/stocktakes/${made[0].id}`)).body, made[0])
  assertError(await desk.admin.get(`${desk.path}/stocktakes/stk_unknown`), 404, 'NOT_FOUND')
  const other = await open()
  assertError(await other.admin.get(`${other.path}/stocktakes/${made[0].id}`), 404, 'NOT_FOUND')
})

test('counting is for those who look after products', async () => {
  const desk = await open(10)
  const packer = await used.make.member(desk.id, 'ORDERS_WRITE', 'ORDERS_READ')
  assertError(await packer.post(`${desk.path}/stocktakes`, { items: [{ ...desk.at, delta: 1 }] }), 403, 'FORBIDDEN')
})

test('no piece is lost or made while three people count what sells', async () => {
  await fc.assert(
    fc.asyncProperty(waves, async (plan) => {
      const desk = await openStockDesk(used.api, used.make)
      const { problems } = await countWhileItSells(desk, plan)
      assert.deepEqual(problems, [])
      for (const { check, violations } of await verify(desk.db, desk.id)) assert.deepEqual(violations, [], check)
    }),
    { numRuns: 12 },
  )
})
