import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../packages/sdk/src/index.ts'
import { dashboardSdk, dashboardSource } from '../support/dashboard-source.ts'

type Level = Answer<'listStock'>['items'][number]
type Count = {
  id: string
  text: string
  counted: number
  startedAt: number
  level?: Level | undefined
  trouble?: string
}
type Told = { variants: number; changed: number; delta: number }
type World = {
  lookUp: (text: string) => Promise<Level[] | undefined>
  readFresh: (productIds: string[]) => Promise<ReadonlyMap<string, Level>>
  isCountedSince: (level: Level) => Promise<boolean>
  ask: (counts: readonly Count[]) => Promise<Told>
  keep: (count: Count) => Promise<void>
  drop: (counts: readonly Count[]) => Promise<void>
}
const { bringIn } = (await dashboardSource('stock/count/bring-in.ts')) as {
  bringIn: (counts: readonly Count[], world: World) => Promise<Told>
}

const level = (variantId: string, quantity = 10, committed = 0): Level => ({
  productId: 'prod_1',
  variantId,
  productName: 'Mug',
  variantName: variantId,
  sku: variantId,
  tracked: true,
  quantity,
  committed,
  number: 1,
  lowStockThreshold: null,
})
const count = (id: string, counted: number): Count => ({ id, text: id, counted, startedAt: 0, level: level(id) })
/** Scanned without a line. */
const scanned = (id: string, counted: number): Count => ({ ...count(id, counted), level: undefined })

/** A service with these levels; `answer` is called with the ids of each stocktake. */
function open(now: Level[], answer: (ids: string[]) => void = () => {}, more: Partial<World> = {}) {
  const asked: string[][] = []
  const kept = new Map<string, Count>()
  const dropped: string[] = []
  const world: World = {
    lookUp: async (text) => now.filter(({ sku }) => sku === text),
    readFresh: async () => new Map(now.map((each) => [`${each.productId}/${each.variantId}`, each])),
    isCountedSince: async () => false,
    ask: async (counts) => {
      const ids = counts.map(({ id }) => id)
      asked.push(ids)
      answer(ids)
      return { variants: counts.length, changed: counts.length, delta: counts.length }
    },
    keep: async (each) => void kept.set(each.id, each),
    drop: async (counts) => void dropped.push(...counts.map(({ id }) => id)),
    ...more,
  }
  const troubles = () => [...kept].map(([id, { trouble }]) => [id, trouble])
  return { world, asked, kept, dropped, troubles }
}

const refusal = (field: string, error: string) =>
  new dashboardSdk.KontorError({
    status: 409,
    code: 'CONFLICT',
    message: 'Refused',
    details: [{ field, error, message: '' }],
  })

test('all that can be is asked for at once, and is gone from the device once it is answered', async () => {
  const { world, asked, dropped } = open([level('a'), level('b')])
  const told = await bringIn([count('a', 11), count('b', 9)], world)
  assert.deepEqual(asked, [['a', 'b']])
  assert.deepEqual(dropped, ['a', 'b'])
  assert.equal(told.variants, 2)
})

test('what is refused stays with its reason, and the others are asked for again without it', async () => {
  const { world, asked, troubles, dropped } = open([level('a'), level('b'), level('c')], (ids) => {
    if (ids.length === 3) throw refusal('items.1.number', 'COUNTED_SINCE')
    if (ids.length === 2) throw refusal('items.0', 'OUT_OF_STOCK')
  })
  await bringIn([count('a', 11), count('b', 9), count('c', 8)], world)
  assert.deepEqual(asked, [['a', 'b', 'c'], ['a', 'c'], ['c']])
  assert.deepEqual(troubles(), [
    ['b', 'counted'],
    ['a', 'below'],
  ])
  assert.deepEqual(dropped, ['c'])
})

test('what was sent or counted meanwhile is not asked for: a person has to say what is true', async () => {
  const isCountedSince = async ({ variantId }: Level) => variantId === 'b'
  const now = [level('a', 8), level('b', 12), level('c', 7, 3)]
  const { world, asked, troubles } = open(now, () => {}, { isCountedSince })
  await bringIn([count('a', 10), count('b', 12), count('c', 10)], world)
  assert.deepEqual(troubles(), [
    ['a', 'moved'],
    ['b', 'counted'],
  ])
  assert.deepEqual(asked, [['c']]) // three were sold, and lie there still
})

test('without a line nothing is asked for, and nothing is changed', async () => {
  const cut = async () => {
    throw new Error('There is no line.')
  }
  const unread = open([level('a')], () => {}, { readFresh: cut })
  await assert.rejects(bringIn([count('a', 11)], unread.world))
  const blind = open([level('a')], () => {}, { lookUp: async () => undefined })
  await assert.rejects(bringIn([scanned('x', 1), count('a', 11)], blind.world))
  for (const { asked, dropped, kept } of [unread, blind]) {
    assert.deepEqual([...asked, ...dropped], [])
    assert.equal(kept.size, 0)
  }
})

test('what was scanned without a line is looked up first, and nobody guesses', async () => {
  const { world, asked, troubles } = open([level('x')])
  await bringIn([scanned('x', 3), scanned('nobody', 1)], world)
  assert.deepEqual(troubles(), [
    ['x', 'late'],
    ['nobody', 'unknown'],
  ])
  assert.deepEqual(asked, [])
})
