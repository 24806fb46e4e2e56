import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '#platform/database/database.ts'
import { encodeCursor } from '#vocabulary/paging.ts'
import type { Client } from '../../support/client.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const MAX_QUANTITY = 1_000_000_000

type Movement = { number: number; delta: number; quantity: number; kind: string; reason: string | null }

/** A shop with one product, and how its stock is moved and its ledger read; 100 of variant `one` unless told. */
async function makeStock(body: object = {}, options: { cell?: string } = {}) {
  const shop = await used.make.shop(options)
  const product = await used.make.product(shop, body)
  return { ...shop, product, ...stockOf(shop.admin, product.path) }
}

function stockOf(caller: Client, path: string) {
  const ledgerPath = (variantId = 'one') => `${path}/variants/${variantId}/stock`
  return {
    ledgerPath,
    move: (delta: unknown, variantId?: string, headers?: Record<string, string>) =>
      caller.post(ledgerPath(variantId), { delta }, headers),
    ledger: async (variantId?: string) => {
      const { status, text, body } = await caller.get(`${ledgerPath(variantId)}?limit=100`)
      assert.equal(status, 200, text)
      return body.items as Movement[]
    },
    deltas: async (variantId?: string) => {
      const { body } = await caller.get(`${ledgerPath(variantId)}?limit=100`)
      return body.items.map(({ delta }: Movement) => delta).toReversed() as number[]
    },
  }
}

test('stock goes up and down, and the ledger says by how much, why and by whom', async () => {
  const { admin, product, ledgerPath, ledger } = await makeStock()
  const taken = await admin.post(ledgerPath(), { delta: -7, reason: 'Damaged in transit' })
  const added = await admin.post(ledgerPath(), { delta: 20 })

  assert.equal(taken.status, 201, taken.text)
  const { createdAt, ...movement } = taken.body
  const expected = { number: 2, productId: product.id, variantId: 'one', delta: -7, quantity: 93, kind: 'MANUAL' }
  assert.deepEqual(movement, { ...expected, reason: 'Damaged in transit', reference: null, userId: admin.id })
  assert.ok(Math.abs(createdAt - Date.now() / 1000) < 60)
  assert.deepEqual([added.body.quantity, added.body.reason], [113, null])
  assert.equal(await product.stock(), 113)

  const rows = await ledger()
  assert.deepEqual(rows.slice(0, 2), [added.body, taken.body])
  const numbers = rows.map(({ number, delta, quantity, kind }) => [number, delta, quantity, kind])
  assert.deepEqual(numbers.at(-1), [1, 100, 100, 'MANUAL'])
})

test('stock can be emptied, not overdrawn', async () => {
  const { product, move, deltas } = await makeStock()

  assert.equal(refusal(await move(-101)), '409 CONFLICT delta OUT_OF_STOCK')
  assert.equal(refusal(await move(-MAX_QUANTITY)), '409 CONFLICT delta OUT_OF_STOCK')
  assert.equal((await move(-100)).body.quantity, 0)
  assert.equal(refusal(await move(-1)), '409 CONFLICT delta OUT_OF_STOCK')
  assert.equal(await product.stock(), 0)
  assert.deepEqual(await deltas(), [100, -100])
})

test('stock has a maximum, whether it is added to or set', async () => {
  const { admin, product, move, deltas } = await makeStock()
  const set = (quantity: number) => admin.put(product.path, { variants: [{ id: 'one', inventory: { quantity } }] })

  assert.equal(refusal(await move(MAX_QUANTITY)), '422 VALIDATION_FAILED delta TOO_LARGE')
  assert.equal(refusal(await set(MAX_QUANTITY + 1)), '422 VALIDATION_FAILED variants.0.inventory.quantity TOO_LARGE')
  assert.equal(refusal(await set(-1)), '422 VALIDATION_FAILED variants.0.inventory.quantity TOO_SMALL')
  assert.equal((await set(MAX_QUANTITY)).status, 200)
  assert.equal(refusal(await move(1)), '422 VALIDATION_FAILED delta TOO_LARGE')
  assert.equal((await move(-MAX_QUANTITY)).body.quantity, 0)
  assert.deepEqual(await deltas(), [100, MAX_QUANTITY - 100, -MAX_QUANTITY])
})

test('a change is a whole number other than 0', async () => {
  const { admin, ledgerPath, move, deltas } = await makeStock()
  for (const delta of [0, -0, 1.5, '1', null, true, [1], MAX_QUANTITY + 1, -MAX_QUANTITY - 1, 1e300]) {
    const answer = await move(delta)
    assert.match(refusal(answer), /^422 VALIDATION_FAILED delta \w+$/, JSON.stringify(delta))
  }
  assert.equal(refusal(await admin.post(ledgerPath(), {})), '422 VALIDATION_FAILED delta REQUIRED')
  const long = await admin.post(ledgerPath(), { delta: 1, reason: 'x'.repeat(501) })
  assert.match(refusal(long), /^422 VALIDATION_FAILED reason \w+$/)
  assert.deepEqual(await deltas(), [100])
})

test('a variant that is unknown, was removed, or is of a deleted product has no stock to move', async () => {
  const { admin, products, product, move, deltas } = await makeStock({
    variants: [
      { id: 'one', inventory: { quantity: 5 } },
      { id: 'two', inventory: { quantity: 6 } },
    ],
  })
  const unknown = stockOf(admin, `${products}/prod_unknown`)

  assert.equal(refusal(await move(1, 'three')), '404 NOT_FOUND')
  assert.equal(refusal(await unknown.move(1)), '404 NOT_FOUND')
  assert.equal((await admin.put(product.path, { variants: [{ id: 'one' }] })).status, 200)
  assert.equal(refusal(await move(1, 'two')), '404 NOT_FOUND')
  assert.deepEqual(await deltas('two'), [6], 'the ledger keeps what it had')

  assert.equal((await admin.put(product.path, { variants: [{ id: 'two' }, { id: 'one' }] })).status, 200)
  assert.deepEqual([await product.stock('two'), await product.stock('one')], [6, 5], 'and so does the stock')
  assert.equal((await move(1, 'two')).body.quantity, 7)

  assert.equal((await admin.delete(product.path)).status, 200)
  assert.equal(refusal(await move(1)), '404 NOT_FOUND')
})

test('the ledger of a variant that never was is not found; that of one without movements is empty', async () => {
  const { admin, products, ledgerPath } = await makeStock({ variants: [{ id: 'one' }] })

  assert.deepEqual((await admin.get(ledgerPath())).body, { items: [], cursor: null })
  assert.equal(refusal(await admin.get(ledgerPath('two'))), '404 NOT_FOUND')
  assert.equal(refusal(await admin.get(`${products}/prod_unknown/variants/one/stock`)), '404 NOT_FOUND')
})

test('only who holds PRODUCTS_WRITE in this business moves stock or reads the ledger', async () => {
  const { id, product, deltas } = await makeStock()
  const other = await used.make.shop()
  const callers = [
    await used.make.guest(),
    await used.make.user(),
    other.admin,
    await used.make.member(id, 'ORDERS_WRITE'),
  ]
  for (const caller of callers) {
    const { move, ledgerPath } = stockOf(caller, product.path)
    assert.equal(refusal(await move(-1)), '403 FORBIDDEN')
    assert.equal(refusal(await caller.get(ledgerPath())), '403 FORBIDDEN')
  }
  const helper = await used.make.member(id, 'PRODUCTS_WRITE')
  assert.equal((await stockOf(helper, product.path).move(-1)).body.userId, helper.id)
  const elsewhere = stockOf(other.admin, `${other.products}/${product.id}`)
  assert.equal(refusal(await elsewhere.move(-1)), '404 NOT_FOUND')
  assert.deepEqual(await deltas(), [100, -1])
})

test('a repeated request with the same Idempotency-Key moves stock once', async () => {
  const { product, move, deltas } = await makeStock()
  const once = (delta: number, key: string) => move(delta, 'one', { 'idempotency-key': key })
  const first = await once(-3, 'a')
  const again = await once(-3, 'a')

  assert.deepEqual([again.status, again.text], [201, first.text])
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.equal(refusal(await once(-4, 'a')), '422 VALIDATION_FAILED Idempotency-Key IDEMPOTENCY_KEY_REUSED')
  assert.equal((await once(-3, 'b')).body.quantity, 94)

  assert.equal(refusal(await once(-95, 'c')), '409 CONFLICT delta OUT_OF_STOCK')
  assert.equal((await move(10)).body.quantity, 104)
  const refusedAgain = await once(-95, 'c')
  assert.equal(refusal(refusedAgain), '409 CONFLICT delta OUT_OF_STOCK', 'a refusal is an outcome, too')

  const twins = await Promise.all(Array.from({ length: 12 }, () => once(-1, 'twins')))
  for (const twin of twins) assert.match(refusal(twin), /^(201|409 CONFLICT Idempotency-Key STILL_RUNNING)$/)
  assert.equal(await product.stock(), 103)
  assert.deepEqual(await deltas(), [100, -3, -3, 10, -1])
})

test('the ledger is read page by page, newest first, while stock moves', async () => {
  const { admin, move, ledgerPath } = await makeStock()
  for (let index = 0; index < 10; index++) await move(index + 1)
  const seen: number[] = []
  let cursor: string | null = null
  do {
    const { status, body, text }: Awaited<ReturnType<Client['get']>> = await admin.get(
      `${ledgerPath()}?limit=4&cursor=${cursor ?? ''}`,
    )
    assert.equal(status, 200, text)
    seen.push(...body.items.map(({ number }: Movement) => number))
    cursor = body.cursor
    await move(-1)
  } while (cursor)
  assert.deepEqual(seen, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
})

test('a cursor that is forged, or of another ledger, is refused and breaks nothing', async () => {
  const {
    id: businessId,
    admin,
    product,
    ledgerPath,
    move,
  } = await makeStock({
    variants: [
      { id: 'one', inventory: { quantity: 1 } },
      { id: 'two', inventory: { quantity: 1 } },
    ],
  })
  await move(1)
  const { body } = await admin.get(`${ledgerPath()}?limit=1`)
  const filters = { list: 'stock-movements', businessId, productId: product.id, variantId: 'one' }
  const read = (cursor: string, variantId?: string) =>
    admin.get(`${ledgerPath(variantId)}?cursor=${encodeURIComponent(cursor)}`)

  assert.equal((await read(body.cursor)).status, 200)
  assert.equal(refusal(await read(body.cursor, 'two')), '422 VALIDATION_FAILED cursor INVALID')
  const forged = [[], ['1'], [1.5], [null], [1, 2], [{}], [[1]], [1e300], [2 ** 53]]
  const texts = ['x', '%00', 'W10', 'bnVsbA', '{}', `${body.cursor}x`, body.cursor.slice(1), 'x'.repeat(1000)]
  for (const cursor of [...forged.map((position) => encodeCursor(filters, position as never)), ...texts]) {
    assert.match(refusal(await read(cursor)), /^422 VALIDATION_FAILED cursor \w+$/, cursor)
  }
  for (const number of [0, -1, -(2 ** 53) + 1, 2 ** 31, 2 ** 53 - 1]) {
    assert.equal((await read(encodeCursor(filters, [number]))).status, 200, `${number} is a place like any other`)
  }
})

test('a PUT that sends a quantity sets it and writes the difference into the ledger', async () => {
  const { admin, product, ledger } = await makeStock()
  const set = (quantity: number) => admin.put(product.path, { variants: [{ id: 'one', inventory: { quantity } }] })
  const answer = await set(42)

  assert.equal(answer.body.variants[0].inventory.quantity, 42, answer.text)
  const [row] = await ledger()
  const { number, delta, quantity, kind } = row as Movement
  assert.deepEqual({ number, delta, quantity, kind }, { number: 2, delta: -58, quantity: 42, kind: 'MANUAL' })
  assert.equal((row as unknown as { userId: string }).userId, admin.id)

  assert.equal((await set(42)).status, 200)
  assert.equal((await ledger()).length, 2, 'no row for no change')
  assert.equal((await set(0)).body.variants[0].inventory.quantity, 0)
  assert.deepEqual(
    (await ledger()).map((movement) => movement.delta),
    [-42, -58, 100],
  )
})

test('a PUT that sends no quantity leaves stock alone, whatever else it changes', async () => {
  const { admin, product, move, deltas } = await makeStock()
  const { etag } = Object.fromEntries((await admin.get(product.path)).headers)
  await move(-10)
  const inventory = { tracked: false, lowStockThreshold: 3 }
  for (const body of [
    { name: 'Renamed' },
    { variants: [{ id: 'one' }] },
    { variants: [{ id: 'one', inventory }] },
    {
      variants: [
        { id: 'two', name: 'Second' },
        { id: 'one', inventory: { tracked: true } },
      ],
    },
  ]) {
    const answer = await admin.put(product.path, body)
    assert.equal(answer.status, 200, answer.text)
    const one = answer.body.variants.find(({ id }: { id: string }) => id === 'one')
    assert.equal(one.inventory.quantity, 90)
    assert.deepEqual(answer.body, (await admin.get(product.path)).body)
  }
  assert.equal(
    refusal(await admin.put(product.path, { name: 'x' }, { 'if-match': String(etag) })),
    '412 PRECONDITION_FAILED',
  )
  assert.deepEqual(await deltas(), [100, -10])
})

test('with If-Match, a sale makes an edit stale only if the edit sets stock', async () => {
  const { admin, product, move, deltas } = await makeStock()
  const etagOf = async () => String((await admin.get(product.path)).headers.get('etag'))
  const read = await etagOf()
  await move(-1)
  const put = (body: object, etag: string) => admin.put(product.path, body, { 'if-match': etag })
  const sets = { name: 'Lost', variants: [{ id: 'one', inventory: { quantity: 100 } }] }

  assert.equal(refusal(await put(sets, read)), '412 PRECONDITION_FAILED')
  assert.notEqual((await admin.get(product.path)).body.name, 'Lost', 'nothing of it is kept')
  const renamed = await put({ name: 'Renamed' }, read)
  assert.equal(renamed.status, 200, renamed.text)
  assert.equal(refusal(await put({ name: 'Again' }, read)), '412 PRECONDITION_FAILED', 'that was another version')

  const fresh = await etagOf()
  assert.equal(renamed.headers.get('etag'), fresh)
  const set = await put({ variants: [{ id: 'one', inventory: { quantity: 50 } }] }, fresh)
  assert.equal(set.status, 200, set.text)
  assert.equal(set.headers.get('etag'), await etagOf())
  assert.equal((await put(sets, '*')).status, 200)
  assert.equal(refusal(await put(sets, '"nonsense"')), '412 PRECONDITION_FAILED')
  assert.deepEqual(await deltas(), [100, -1, -49, 50])
})

test('a sale changes the ETag, so that nobody is told 304 about old stock', async () => {
  const { admin, product, move } = await makeStock()
  const etag = String((await admin.get(product.path)).headers.get('etag'))

  assert.equal((await admin.get(product.path, { 'if-none-match': etag })).status, 304)
  await move(-1)
  const answer = await admin.get(product.path, { 'if-none-match': etag })
  assert.deepEqual([answer.status, answer.body.variants[0].inventory.quantity], [200, 99])
})

test('a variant that is not tracked can be counted all the same, and never below zero', async () => {
  const { product, admin, move, deltas } = await makeStock({
    variants: [{ id: 'one', inventory: { tracked: false, quantity: 3 } }],
  })
  assert.equal((await move(2)).body.quantity, 5)
  assert.equal(refusal(await move(-6)), '409 CONFLICT delta OUT_OF_STOCK')
  const tracked = await admin.put(product.path, { variants: [{ id: 'one', inventory: { tracked: true } }] })
  assert.deepEqual(tracked.body.variants[0].inventory, { tracked: true, quantity: 5 })
  assert.deepEqual(await deltas(), [3, 2])
})

test('two products of a business may have variants of the same id: each has its own stock', async () => {
  const { product, move, deltas, ...shop } = await makeStock()
  const other = await used.make.product(shop)
  const { move: moveOther, deltas: otherDeltas } = stockOf(shop.admin, other.path)
  await move(-30)
  await moveOther(5)
  await shop.admin.put(other.path, { variants: [{ id: 'one', inventory: { quantity: 1 } }] })

  assert.deepEqual([await product.stock(), await other.stock()], [70, 1])
  assert.deepEqual(
    [await deltas(), await otherDeltas()],
    [
      [100, -30],
      [100, 5, -104],
    ],
  )
})

/** The same product, by the same ids, in another business. The API never makes two of one id; a moved or restored business may. */
async function copyProduct(from: { id: string; db: Db }, to: { id: string; db: Db }, productId: string): Promise<void> {
  const moved = { businessId: to.id }
  const product = await from.db
    .selectFrom('catalog.products')
    .selectAll()
    .where((row) => row.and({ businessId: from.id, id: productId }))
    .executeTakeFirstOrThrow()
  const variant = await from.db
    .selectFrom('catalog.variants')
    .selectAll()
    .where((row) => row.and({ businessId: from.id, productId }))
    .executeTakeFirstOrThrow()
  const stock = await from.db
    .selectFrom('catalog.stock')
    .selectAll()
    .where((row) => row.and({ businessId: from.id, productId }))
    .executeTakeFirstOrThrow()
  const movement = await from.db
    .selectFrom('catalog.stockMovements')
    .selectAll()
    .where((row) => row.and({ businessId: from.id, productId }))
    .executeTakeFirstOrThrow()
  const statuses = JSON.stringify(product.statuses)
  await to.db
    .insertInto('catalog.products')
    .values({ ...product, ...moved, statuses, gallery: '[]', blocks: '[]' })
    .execute()
  await to.db
    .insertInto('catalog.variants')
    .values({ ...variant, ...moved, attributes: '[]', prices: '[]', gallery: '[]' })
    .execute()
  await to.db
    .insertInto('catalog.stock')
    .values({ ...stock, ...moved })
    .execute()
  await to.db
    .insertInto('catalog.stockMovements')
    .values({ ...movement, ...moved })
    .execute()
}

for (const [where, cell] of [
  ['the same cell', 'main'],
  ['another cell', 'second'],
] as const) {
  test(`a business in ${where} with a product and variant of the same ids has its own stock`, async () => {
    const first = await makeStock({}, { cell: 'main' })
    const second = await used.make.shop({ cell })
    await copyProduct(first, second, first.product.id)
    const copyPath = `${second.products}/${first.product.id}`
    const copy = stockOf(second.admin, copyPath)
    const copiedStock = async () => (await second.admin.get(copyPath)).body.variants[0].inventory.quantity

    await first.move(-30)
    assert.deepEqual([await first.product.stock(), await copiedStock()], [70, 100])
    await copy.move(-1)
    await second.admin.put(copyPath, { variants: [{ id: 'one', inventory: { quantity: 7 } }] })
    assert.deepEqual([await first.product.stock(), await copiedStock()], [70, 7])
    await first.admin.put(first.product.path, { variants: [{ id: 'one', inventory: { quantity: 8 } }] })
    assert.deepEqual([await first.product.stock(), await copiedStock()], [8, 7])
    await first.admin.delete(first.product.path)
    assert.equal(await copiedStock(), 7)
    assert.deepEqual(
      [await first.deltas(), await copy.deltas()],
      [
        [100, -30, -62],
        [100, -1, -92],
      ],
    )
    const { body } = await first.admin.get(`${first.ledgerPath()}?limit=1`)
    const foreign = await second.admin.get(`${copy.ledgerPath()}?cursor=${body.cursor}`)
    assert.equal(refusal(foreign), '422 VALIDATION_FAILED cursor INVALID')
  })
}
