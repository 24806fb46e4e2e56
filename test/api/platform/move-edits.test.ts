import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import type { Cell, Db } from '#platform/database/database.ts'
import { findMove } from '#platform/moves/moves.ts'
import { startMove } from '../../../src/apps/moves/start-move.ts'
import { readBusiness } from '../../support/business-rows.ts'
import { startChild } from '../../support/child.ts'
import { homeOf, leftBehind } from '../../support/moving-shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const databases = () => used.api.services.databases
const cell = (name: string) => databases().cells.get(name) as Cell
const other = (name: string) => (name === 'main' ? 'second' : 'main')

/** A move that stands still between the copy and what changed since. */
async function holdMove(t: TestContext, businessId: string) {
  const { control } = databases()
  const from = await homeOf(control, businessId)
  const worker = await startChild('worker', used.api.databases.env, { faults: { 'move.copied': 'hold' } })
  t.after(() => worker.stop())
  await startMove(databases(), { businessId, to: other(from), keepSeconds: 0 })
  await worker.untilHeld('move.copied')
  const copiedAt = (await findMove(control, businessId))?.copiedAt
  return {
    from: cell(from),
    to: cell(other(from)),
    /** Whether it had to be copied anew. */
    async goOn(): Promise<boolean> {
      worker.release()
      const done = await until(
        'it has moved',
        async () => {
          const move = await findMove(control, businessId)
          return move?.step === 'DONE' ? move : undefined
        },
        { withinMs: 120_000 },
      )
      assert.deepEqual(await leftBehind(cell(from), businessId), [])
      return done.copiedAt?.getTime() !== copiedAt?.getTime()
    },
  }
}

async function openTree() {
  const { id, admin, path } = await used.make.shop()
  const categories = `${path}/categories`
  const ok = ({ status, text, body }: Awaited<ReturnType<typeof admin.get>>) => {
    assert.ok(status < 300, `${status} ${text}`)
    return body
  }
  return {
    id,
    create: async (body: object): Promise<string> => ok(await admin.post(categories, body)).id,
    put: async (category: string, body: object) => ok(await admin.put(`${categories}/${category}`, body)),
    remove: async (category: string) => ok(await admin.delete(`${categories}/${category}`)),
    /** Id, parent and slug of each, and where each slug leads. */
    async read() {
      const rows = await readBusiness(databases(), id)
      const of = (table: string) => (rows.get(table) ?? []).map((line) => JSON.parse(line) as Record<string, unknown>)
      return {
        tree: of('catalog.categories').map((row) => [row.id, row.parent_id, row.slug]),
        slugs: of('catalog.category_slugs').map((row) => [row.slug, row.category_id]),
      }
    },
  }
}

test('a category is deleted and another one takes its slug while the business moves: it is not copied anew', async (t) => {
  const shop = await openTree()
  const first = await shop.create({ name: 'Shoes', slug: 'shoes' })
  const moving = await holdMove(t, shop.id)
  await shop.remove(first)
  const second = await shop.create({ name: 'Shoes', slug: 'shoes' })
  assert.equal(await moving.goOn(), false)
  assert.deepEqual(await shop.read(), { tree: [[second, null, 'shoes']], slugs: [['shoes', second]] })
})

test('a category goes below a new parent, its old one is deleted, and a third takes the slug of that: it is not copied anew', async (t) => {
  const shop = await openTree()
  const [old, next] = [
    await shop.create({ name: 'Old', slug: 'old' }),
    await shop.create({ name: 'Next', slug: 'next' }),
  ]
  const child = await shop.create({ name: 'Child', slug: 'child', parentId: old })
  const moving = await holdMove(t, shop.id)
  const newest = await shop.create({ name: 'Newest', slug: 'newest' })
  await shop.put(child, { parentId: newest })
  await shop.remove(old)
  await shop.put(next, { slug: 'old' })
  const before = await shop.read()
  assert.equal(await moving.goOn(), false)
  assert.deepEqual(await shop.read(), before)
  assert.deepEqual(before.slugs, [
    ['child', child],
    ['newest', newest],
    ['old', next],
  ])
})

test('what cannot be done in any order is copied anew: a child goes below the category that took the slug of its parent', async (t) => {
  const shop = await openTree()
  const first = await shop.create({ name: 'Shoes', slug: 'shoes' })
  const child = await shop.create({ name: 'Boots', slug: 'boots', parentId: first })
  const moving = await holdMove(t, shop.id)
  await shop.put(child, { parentId: null })
  await shop.remove(first)
  const second = await shop.create({ name: 'Shoes', slug: 'shoes' })
  await shop.put(child, { parentId: second })
  const before = await shop.read()
  assert.equal(await moving.goOn(), true)
  assert.deepEqual(await shop.read(), before)
})

test('numbers that a table counts for itself go on after those that came while the business moved', async (t) => {
  const { id } = await used.make.shop()
  const name = (db: Db, first: number, last: number) =>
    sql<{ number: number }>`
    insert into reports.subjects (business_id, kind, key)
    select ${id}, 'PROMO', 'CODE' || n from generate_series(${first}::integer, ${last}::integer) as n returning number`.execute(
      db,
    )
  await name(cell(await homeOf(databases().control, id)), 1, 3)
  const moving = await holdMove(t, id)
  // One gets another name, and one another number under the same key.
  await sql`update reports.subjects set name = 'One' where business_id = ${id} and key = 'CODE1'`.execute(moving.from)
  await sql`delete from reports.subjects where business_id = ${id} and key = 'CODE2'`.execute(moving.from)
  await name(moving.from, 2, 2)
  const { rows } = await name(moving.from, 4, 1_500)
  assert.equal(await moving.goOn(), false)
  const highest = Math.max(...rows.map(({ number }) => number))
  const { rows: later } = await name(moving.to, 1_501, 1_600)
  assert.ok(Math.min(...later.map(({ number }) => number)) > highest)
})
