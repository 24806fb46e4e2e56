import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { verify } from '../../../src/apps/verify.ts'
import type { Answer } from '../../support/client.ts'
import { openShippable, type Shippable } from '../../support/shippable.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const WRITERS = 64

type Listed = { id: string; lines: { lineId: string; quantity: number }[] }

function piecesOf(shipments: Listed[]): Map<string, number> {
  const pieces = new Map<string, number>()
  for (const { lines } of shipments)
    for (const { lineId, quantity } of lines) pieces.set(lineId, (pieces.get(lineId) ?? 0) + quantity)
  return pieces
}

async function assertSound({ db, id }: Shippable) {
  for (const { check, violations } of await verify(db, id)) assert.deepEqual(violations, [], check)
}

test('of 64 who ship the same order at once, none ships a piece twice, and the last piece moves it once', async () => {
  const shop = await openShippable(used.make)
  const order = await shop.makeOrder([20, 20])
  const answers = await Promise.all(
    Array.from({ length: WRITERS }, (_, index) => {
      const { id: lineId } = order.lines[index % 2] as { id: string }
      return shop.admin.post(`${order.path}/shipments`, {
        lines: [{ lineId, quantity: 1 + (index % 3 === 0 ? 1 : 0) }],
      })
    }),
  )
  const statuses = answers.map(({ status }) => status)
  assert.ok(statuses.every((status) => status === 201 || status === 422))
  const shipments: Listed[] = await shop.shipments(order)
  assert.equal(shipments.length, statuses.filter((status) => status === 201).length)
  for (const { id, quantity } of order.lines) assert.ok((piecesOf(shipments).get(id) ?? 0) <= quantity)

  const rest = await Promise.all(Array.from({ length: WRITERS }, () => shop.admin.post(`${order.path}/shipments`, {})))
  const isFull = shop.row(order.id).then(({ fulfillment }) => fulfillment === 'FULFILLED')
  assert.ok(await isFull)
  assert.ok(rest.filter(({ status }) => status === 201).length <= 1)
  assert.deepEqual([...piecesOf(await shop.shipments(order)).values()], [20, 20])
  const moves = (await shop.events(order.id)).filter(({ type }) => type === 'order.status_changed')
  assert.deepEqual(
    moves.map(({ data }) => data.status),
    ['SHIPPED'],
  )
  assert.deepEqual(
    (await shop.row(order.id)).statuses.map(({ status }) => status),
    ['PROCESSING', 'SHIPPED'],
  )
  await assertSound(shop)
})

test('of 64 who ship all that is left, one does', async () => {
  const shop = await openShippable(used.make)
  const order = await shop.makeOrder([3, 2])
  const answers = await Promise.all(
    Array.from({ length: WRITERS }, () => shop.admin.post(`${order.path}/shipments`, {})),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ status }) => status === 409).length, WRITERS - 1)
  assert.equal((await shop.shipments(order)).length, 1)
  await assertSound(shop)
})

type Step = { kind: 'ship' | 'rest' | 'change' | 'delete' | 'status'; line: number; quantity: number }
const step = fc.record<Step>({
  kind: fc.constantFrom('ship', 'ship', 'rest', 'change', 'delete', 'status'),
  line: fc.nat({ max: 1 }),
  quantity: fc.integer({ min: 1, max: 3 }),
})

async function take(shop: Shippable, order: Awaited<ReturnType<Shippable['makeOrder']>>, step: Step): Promise<Answer> {
  const { kind, line, quantity } = step
  const lines = [{ lineId: order.lines[line]?.id, quantity }]
  if (kind === 'ship') return shop.admin.post(`${order.path}/shipments`, { lines })
  if (kind === 'rest') return shop.admin.post(`${order.path}/shipments`, {})
  if (kind === 'status') return shop.admin.put(`${order.path}/status`, { status: 'PROCESSING' })
  const known: Listed[] = await shop.shipments(order)
  const at = `${order.path}/shipments/${known[quantity % Math.max(1, known.length)]?.id ?? 'shp_none'}`
  return kind === 'change' ? shop.admin.put(at, { lines }) : shop.admin.delete(at)
}

test('whatever is shipped, changed and deleted at once, every rule holds afterwards', async () => {
  const shop = await openShippable(used.make)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      const order = await shop.makeOrder([4, 2])
      const answers = await Promise.all(steps.map((each) => take(shop, order, each)))
      for (const { status, text } of answers) assert.ok([200, 201, 404, 409, 422].includes(status), text)
      const shipments: Listed[] = await shop.shipments(order)
      const shipped = piecesOf(shipments)
      const left = order.lines.reduce((sum, { id, quantity }) => sum + quantity - (shipped.get(id) ?? 0), 0)
      const { fulfillment } = await shop.row(order.id)
      const expected = shipments.length === 0 ? null : left === 0 ? 'FULFILLED' : 'PARTIALLY_FULFILLED'
      assert.equal(fulfillment, expected)
      await assertSound(shop)
    }),
    { numRuns: 20, endOnFailure: true },
  )
})
