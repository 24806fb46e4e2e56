import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { updateCategory } from '#modules/catalog/categories/update-category.ts'
import { type Category, createCategory, createProduct } from '#modules/catalog/index.ts'
import { type Databases, type Db, openDatabases, type Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { verify } from '../../../src/apps/verify.ts'
import { countsOf, finishImport, toLines, uploadFile } from '../../support/imports.ts'
import { refusal } from '../../support/refusal.ts'
import { createRandom } from '../../support/shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const WRITERS = 16
let databases: Databases | undefined
after(() => databases?.close())
const used = useWorld({ worker: 'catalog' })

/** As many connections as callers, so that all of them meet in PostgreSQL, and one to watch them. */
function openCell(): Db {
  const { url } = used.api.databases.main
  databases ??= openDatabases({ control: { url, directUrl: url }, cells: {} }, { max: WRITERS + 2 })
  return databases.cells.get('main') as Db
}

async function makeShop() {
  const db = openCell()
  const shop = await used.make.shop({ cell: 'main' })
  const categories = `${shop.path}/categories`
  const editor = { business: { ...shop, markets: [] }, actor: shop.admin.actor }
  const create = async (name: string) => {
    const made = await shop.admin.post(categories, { name })
    assert.equal(made.status, 201, made.text)
    return { id: made.body.id as string, path: `${categories}/${made.body.id}` }
  }
  const addProduct = (tx: Tx, name: string, category: string) =>
    createProduct(tx, { ...editor, resolvers: {} }, { name, category })
  // Whoever brings a word first makes others who bring it wait: here it is the category that they should wait for.
  const known = await used.make.product(shop, { name: 'Shirts', category: 'shirts' })
  await shop.admin.delete(known.path)
  return { ...shop, db, categories, editor, create, addProduct }
}

/** A transaction that has done `work` and not ended yet. */
async function begin(db: Db, work: (tx: Tx) => Promise<unknown>) {
  const done = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const ended = transaction(db, async (tx) => {
    await work(tx)
    done.resolve()
    await release.promise
  })
  await Promise.race([done.promise, ended])
  return async () => {
    release.resolve()
    await ended
  }
}

/** Until as many wait for a lock with this in their statement. */
const waiting = (db: Db, count: number, statement: string) =>
  until(`${count} wait`, async () => {
    const { rows } = await sql`
      select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${statement}%`}`.execute(db)
    return rows.length >= count
  })

for (const [what, ask] of [
  ['renamed', (shop: Shop, path: string) => shop.admin.put(path, { slug: 'blouses' })],
  ['deleted', (shop: Shop, path: string) => shop.admin.delete(path)],
] as const) {
  test(`a category is not ${what} while 16 products are being put into it: it waits for them, and finds them`, async () => {
    const shop = await makeShop()
    const { path } = await shop.create('Shirts')
    const commits = await Promise.all(
      Array.from({ length: WRITERS }, (_, index) =>
        begin(shop.db, (tx) => shop.addProduct(tx, `Shirts ${index}`, 'shirts')),
      ),
    )
    const asked = ask(shop, path)
    await waiting(shop.db, 1, 'for update')
    for (const commit of commits) await commit()
    assert.equal(refusal(await asked), '409 CONFLICT slug IN_USE')
    assert.equal((await shop.admin.get(path)).body.slug, 'shirts')
  })
}
type Shop = Awaited<ReturnType<typeof makeShop>>

test('16 products that name a category while it is renamed wait for that, and then name one that is no more', async () => {
  const shop = await makeShop()
  const { id, path } = await shop.create('Shirts')
  const commit = await begin(shop.db, (tx) => updateCategory(tx, shop.editor, id, undefined, { slug: 'blouses' }))
  const added = Array.from({ length: WRITERS - 1 }, (_, index) =>
    transaction(shop.db, (tx) => shop.addProduct(tx, `Shirts ${index}`, 'shirts')),
  )
  const other = await used.make.product(shop, { category: 'trousers' })
  const moved = shop.admin.put(other.path, { category: 'shirts' })
  await waiting(shop.db, WRITERS, 'for key share')
  await commit()
  await Promise.all(added)
  assert.equal((await moved).status, 200)
  assert.equal((await shop.admin.get(path)).body.slug, 'blouses')
  assert.equal((await shop.admin.get(`${shop.products}?category=shirts&limit=100`)).body.items.length, WRITERS)
})

test('an import waits for a category that is being renamed, too, and others do not', async () => {
  const shop = await makeShop()
  const { id, path } = await shop.create('Shirts')
  const product = await used.make.product(shop, { category: 'trousers' })
  const commit = await begin(shop.db, (tx) => updateCategory(tx, shop.editor, id, undefined, { slug: 'blouses' }))
  assert.equal((await shop.admin.put(product.path, { category: 'coats' })).status, 200)
  const lines = Array.from({ length: 5 }, (_, index) => ({ name: `Shirt ${index}`, category: 'shirts' }))
  const { body } = await uploadFile(shop, toLines(lines))
  await waiting(shop.db, 1, 'for key share')
  await commit()
  assert.equal(countsOf(await finishImport(shop, body.id)), '5/0/0 of 5')
  assert.equal((await shop.admin.get(path)).body.slug, 'blouses')
})

test('whoever saw the category when its product came in keeps it from being renamed, in 20 rounds of 16 writers', async () => {
  const shop = await makeShop()
  const random = createRandom(7)
  const outcomes: string[] = []
  for (let round = 0; round < 20; round++) {
    const slug = `round-${round}`
    const { path } = await shop.create(slug)
    let saw = 0
    const first = random.upTo(WRITERS)
    const add = (index: number) =>
      transaction(shop.db, async (tx) => {
        await shop.addProduct(tx, `${slug} ${index}`, slug)
        const { rows } = await sql`
          select from catalog.categories where business_id = ${shop.id} and slug = ${slug}`.execute(tx)
        return rows.length
      }).then((count) => void (saw += count))
    const work = Array.from({ length: WRITERS }, (_, index) => () => add(index))
    let renamed = ''
    work.splice(first, 0, async () => {
      renamed = refusal(await shop.admin.put(path, { slug: `${slug}-renamed` }))
    })
    await Promise.all(work.map((each) => each()))
    outcomes.push(renamed)
    assert.equal(renamed, saw > 0 ? '409 CONFLICT slug IN_USE' : '200', `${saw} saw it`)
  }
  assert.equal(outcomes.length, 20)
})

test('64 moves at once leave no circle, and no branch that is too deep', async () => {
  const shop = await makeShop()
  const made = await Promise.all(Array.from({ length: WRITERS }, (_, index) => shop.create(`Node ${index}`)))
  const random = createRandom(11)
  const answers = await Promise.all(
    Array.from({ length: 64 }, () => {
      const [one, parent] = [random.pick(...made), random.pick(...made)]
      return shop.admin.put(one.path, { parentId: parent.id })
    }),
  )
  const seen = new Set(answers.map(refusal))
  assert.ok(
    [...seen].every((each) => each === '200' || each === '422 VALIDATION_FAILED parentId INVALID'),
    [...seen].join(),
  )
  assert.equal(seen.size, 2)

  const { body } = await shop.admin.get(`${shop.categories}?limit=100`)
  const parentOf = new Map((body.items as Category[]).map(({ id, parentId }) => [id, parentId]))
  for (const { id } of made) {
    let levels = 0
    for (let at: string | null | undefined = id; at; at = parentOf.get(at)) assert.ok(++levels <= 6, `${id} has no end`)
  }
  for (const { check, violations } of await verify(shop.db, shop.id)) assert.deepEqual(violations, [], check)
})

test('two that turn a pair around at the same moment do not make a circle of it', async () => {
  const shop = await makeShop()
  const [one, two] = [await shop.create('One'), await shop.create('Two')]
  const commit = await begin(shop.db, (tx) => updateCategory(tx, shop.editor, one.id, undefined, { parentId: two.id }))
  const turned = shop.admin.put(two.path, { parentId: one.id })
  await waiting(shop.db, 1, 'category_locks')
  await commit()
  assert.equal(refusal(await turned), '422 VALIDATION_FAILED parentId INVALID')
})

test('the last free place is given once, and nothing comes below what is being deleted', async () => {
  const shop = await makeShop()
  const { path, id } = await shop.create('Going')
  const answers = await Promise.all([
    shop.admin.delete(path),
    ...Array.from({ length: 8 }, (_, index) =>
      shop.admin.post(shop.categories, { name: `Below ${index}`, parentId: id }),
    ),
  ])
  const [gone, ...below] = answers.map(refusal)
  const isGone = gone === '200'
  assert.ok(isGone || gone === '409 CONFLICT id IN_USE', gone)
  if (isGone) assert.ok(below.every((each) => each === '422 VALIDATION_FAILED parentId NOT_FOUND' || each === '201'))
  assert.equal((await shop.admin.get(path)).status, isGone ? 404 : 200)

  const at = new Date()
  const rows = Array.from({ length: 4_990 }, (_, index) => index)
  await sql`
    insert into catalog.categories (business_id, id, name, slug, position, description, seo, translations, created_at, updated_at)
    select ${shop.id}, 'cat_' || n, 'N', 'filled-' || n, 0, '', '{"title":"","description":""}', '{}', ${at}, ${at}
      from generate_series(1, ${rows.length}) as n`.execute(shop.db)
  await Promise.all(
    Array.from({ length: WRITERS }, (_, index) =>
      transaction(shop.db, (tx) => createCategory(tx, shop.editor, { name: `Racing ${index}` })).catch(() => {}),
    ),
  )
  const { rows: counted } = await sql<{ count: number }>`
    select count(*) as count from catalog.categories where business_id = ${shop.id}`.execute(shop.db)
  assert.equal(counted[0]?.count, 5_000)
})
