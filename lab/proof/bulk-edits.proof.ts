import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { rebuildProducts } from '#modules/catalog/index.ts'
import type { Cell } from '#platform/database/database.ts'
import { type Stretch, startShoppers } from '../../test/scenarios/beside.ts'
import { findViolations } from '../../test/scenarios/buyers.ts'
import { fillCatalog } from '../../test/scenarios/fill-catalog.ts'
import { type LoadWorld, openLoadWorld } from '../../test/scenarios/load-world.ts'
import { type BulkEditAnswer, itemsOf, plusFive } from '../../test/support/bulk-edits.ts'
import type { Child } from '../../test/support/child.ts'
import type { Make } from '../../test/support/make.ts'
import { until } from '../../test/support/until.ts'
import { none, percentile, type Run } from '../report/figures.ts'

export const title = 'A bulk edit of 100,000 products, with workers that die, people who edit, and people who buy'

const RATIO = 0.9
const SOLD = 50
const EDITED = 20
const WITHIN_MS = 900_000

/** One business; prices + 5 %, rounded to .90, applied and undone, each with three kills of the worker in the middle. */
export async function run({ quick, note }: Run) {
  const products = quick ? 2_000 : 100_000
  const world = await openLoadWorld()
  const { make } = world
  const api = await world.start('api')
  world.listen(api.url)
  const workers = createWorkers(world, note)
  try {
    const shop = await openShop(make, products, note)
    const edit = createEdit(shop)
    const before = await stateOf(shop)
    await workers.start()

    const tokens: string[] = []
    for (let n = 0; n < (quick ? 200 : 900); n++) tokens.push((await make.user()).token)
    const productIds = shop.ids.slice(0, SOLD)
    const shoppers = startShoppers({ url: api.url, path: shop.path, tokens, productIds })
    const wait = () => sleep(quick ? 4_000 : 15_000)
    await wait()
    shoppers.take() // the first are slow: nothing is in memory
    await wait()
    const alone = shoppers.take()

    const dryRunSeconds = await edit.make()
    const whileTried = shoppers.take()
    const skipped = await edit.rename(SOLD, SOLD + EDITED)
    shoppers.take()
    const apply = await edit.work('apply', workers, { onFirstKill: () => shoppers.take() })
    await shoppers.close()
    const kept = await edit.rename(SOLD + EDITED, SOLD + 2 * EDITED)
    const undo = await edit.work('undo', workers)

    const record = await edit.get()
    note(JSON.stringify(record))
    const listed = {
      skipped: (await itemsOf(shop, record.id, 'status=SKIPPED')).map(({ productId }) => productId),
      kept: (await itemsOf(shop, record.id, 'status=KEPT')).map(({ productId }) => productId),
    }
    const edited = new Set([...skipped, ...kept])
    const after = await stateOf(shop)
    const different = Object.entries(before).flatMap(([table, rows]) =>
      [...rows].filter(
        ([key, row]) => !edited.has(key.split(' ')[0] ?? '') && after[table as keyof State].get(key) !== row,
      ),
    )
    for (const one of different.slice(0, 5)) note(`differs: ${one.join(': ')}`)
    const lost = [...edited].filter((id) => !(listed.skipped.includes(id) || listed.kept.includes(id)))
    const wrong = listed.skipped.length + listed.kept.length - edited.size
    const broken = await findViolations(shop.db)
    for (const words of broken.slice(0, 5)) note(words)
    const during = apply.stretch
    return {
      figures: [
        { name: 'products', value: products, unit: '' },
        { name: 'single prices changed', value: Number(record.changedValues), unit: '' },
        { name: 'dry run', value: dryRunSeconds, unit: 's' },
        { name: 'apply, while a worker lived', value: apply.workedSeconds, unit: 's' },
        { name: 'apply, with the waiting for another worker', value: apply.seconds, unit: 's' },
        { name: 'undo, while a worker lived', value: undo.workedSeconds, unit: 's' },
        { name: 'undo, with the waiting for another worker', value: undo.seconds, unit: 's' },
        {
          name: 'workers killed',
          value: apply.kills + undo.kills,
          unit: '',
          goal: '6',
          ok: apply.kills + undo.kills === 6,
        },
        { name: 'products that people changed meanwhile', value: edited.size, unit: '' },
        none('of them changed by the bulk edit, or not listed', lost.length + Math.abs(wrong)),
        none('products written twice, or left alone', await writtenWrongly(shop, before, edited)),
        none('other rows that are not as they were, byte for byte', different.length),
        none('rules broken', broken.length),
        ...besides('while it is tried', alone, whileTried),
        ...(during ? besides('while it is applied', alone, during) : []),
      ],
    }
  } finally {
    await world.close()
  }
}

const besides = (when: string, alone: Stretch, during: Stretch) => [
  ratio(`reads ${when}, against before`, during.readsPerSecond / alone.readsPerSecond),
  {
    name: `reads ${when}, p95`,
    value: percentile(during.readMs, 95),
    unit: `ms, ${percentile(alone.readMs, 95).toFixed(1)} before`,
  },
  ratio(`checkouts ${when}, against before`, during.checkoutsPerSecond / alone.checkoutsPerSecond),
  {
    name: `checkouts ${when}, p95`,
    value: percentile(during.checkoutMs, 95),
    unit: `ms, ${percentile(alone.checkoutMs, 95).toFixed(1)} before`,
  },
]
const ratio = (name: string, value: number) => ({ name, value, unit: '×', goal: `≥ ${RATIO}`, ok: value >= RATIO })

type Shop = Awaited<ReturnType<typeof openShop>>

/** What is filled in straight into the tables is brought into the form in which the service writes it. */
async function openShop(make: Make, products: number, note: (text: string) => void) {
  const shop = await make.shop({ cell: 'main' })
  const { db, id: businessId } = shop
  await fillCatalog(db, { businessId, products, businesses: 0, productsEach: 0 }, note)
  await sql`
    update catalog.products
       set statuses = json_build_array(json_build_object('id', 'sts_1', 'status', status, 'changedBy', 'SYSTEM', 'timestamp', 1789000000))
     where business_id = ${businessId}`.execute(db)
  await sql`
    update catalog.variants
       set prices = json_build_array(json_build_object(
             'marketId', 'us', 'currency', 'USD', 'price', 500 + substr(product_id, 6)::bigint * 7919 % 100000 + position))
     where business_id = ${businessId}`.execute(db)
  const begun = performance.now()
  await rebuildProducts(db, { businessId })
  note(`rebuilt: ${((performance.now() - begun) / 1_000).toFixed(1)} s`)
  const { rows } = await sql<{ id: string }>`
    select id from catalog.products where business_id = ${businessId} and status = 'ACTIVE' order by id limit 1000`.execute(
    db,
  )
  const ids = rows.map(({ id }) => id)
  await sql`
    with sold as (
      update catalog.stock set quantity = 1000010, version = 2
       where business_id = ${businessId} and product_id = any (${ids.slice(0, SOLD)})
      returning business_id, product_id, variant_id)
    insert into catalog.stock_movements (business_id, product_id, variant_id, number, delta, quantity, kind, created_at)
    select business_id, product_id, variant_id, 2, 1000000, 1000010, 'MANUAL', now() from sold`.execute(db)
  await sql`
    insert into catalog.stock_movements (business_id, product_id, variant_id, number, delta, quantity, kind, created_at)
    select business_id, product_id, variant_id, 1, 10, 10, 'MANUAL', now() from catalog.stock where business_id = ${businessId}`.execute(
    db,
  )
  const key = await make.apiKey(shop.admin.id, businessId)
  return { ...shop, admin: key, ids }
}

type State = Awaited<ReturnType<typeof stateOf>>

/** What counts of each product, without when and how often it was written. Stock is sold meanwhile. */
async function stateOf({ db, id }: { db: Cell; id: string }) {
  const read = (text: string) =>
    db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = 0`.execute(tx) // whole tables, which no request would read
      const { rows } = await sql<{ key: string; row: string }>`${sql.raw(text)}`.execute(tx)
      return new Map(rows.map(({ key, row }) => [key, row]))
    })
  const of = `from catalog`
  return {
    products: await read(`
      select id as key, md5(regexp_replace(document, '"updatedAt":\\d+', '') || regexp_replace(public_document, '"updatedAt":\\d+', '')
               || array[name, slug, category, tax_class, status, tags::text, statuses::text, seo::text, translations::text]::text) as row
        ${of}.products where business_id = '${id}'`),
    variants: await read(`
      select product_id || ' ' || id as key, md5(variants::text) as row ${of}.variants where business_id = '${id}'`),
    listing: await read(`
      select product_id || ' ' || market_id as key, md5(listing::text) as row ${of}.listing where business_id = '${id}'`),
    search: await read(`select product_id as key, md5(search::text) as row ${of}.search where business_id = '${id}'`),
    slugs: await read(
      `select product_id || ' ' || slug as key, slug as row ${of}.product_slugs where business_id = '${id}'`,
    ),
  }
}

/** Applied and undone once each, where nobody else wrote. All began with the same version. */
async function writtenWrongly({ db, id }: Shop, before: State, edited: ReadonlySet<string>): Promise<number> {
  const { rows } = await sql<{ id: string; version: number }>`
    select product.id, product.version
      from catalog.products as product
      join catalog.bulk_edit_items as item on item.business_id = product.business_id and item.product_id = product.id
     where product.business_id = ${id} and product.version <> case item.status when 'UNCHANGED' then 1 else 3 end`.execute(
    db,
  )
  return rows.filter((row) => !edited.has(row.id)).length + (before.products.size === 0 ? 1 : 0)
}

function createWorkers(world: LoadWorld, note: (text: string) => void) {
  let worker: Child | undefined
  return {
    async start() {
      worker = await world.start('worker')
    },
    async kill() {
      await worker?.kill()
      note('worker killed')
    },
  }
}

function createEdit(shop: Shop) {
  let id = ''
  const edits = `${shop.path}/bulk-edits`
  const get = async (): Promise<BulkEditAnswer> => (await shop.admin.get(`${edits}/${id}`)).body
  const isOver = ({ status }: BulkEditAnswer) => !['DRY_RUN', 'APPLYING', 'UNDOING'].includes(status)
  const slow = { withinMs: WITHIN_MS, everyMs: 50 }
  return {
    get,
    /** How long the dry run took. */
    async make() {
      const begun = performance.now()
      const made = await shop.admin.post(edits, { list: 'products', select: { filters: {} }, changes: plusFive })
      if (made.status !== 202) throw new Error(made.text)
      id = made.body.id
      await until('the dry run is over', async () => isOver(await get()), slow)
      return (performance.now() - begun) / 1_000
    },
    /** Somebody renames some products by hand. */
    async rename(from: number, to: number): Promise<string[]> {
      const ids = shop.ids.slice(from, to)
      for (const product of ids) {
        const { status, text } = await shop.admin.put(`${shop.path}/products/${product}`, {
          name: `By hand ${product}`,
        })
        if (status !== 200) throw new Error(text)
      }
      return ids
    },
    /** Kills the worker after a third, a half and two thirds. */
    async work(
      verb: 'apply' | 'undo',
      workers: ReturnType<typeof createWorkers>,
      { onFirstKill }: { onFirstKill?: () => Stretch } = {},
    ) {
      const asked = await shop.admin.post(`${edits}/${id}/${verb}`, undefined)
      if (asked.status !== 202) throw new Error(asked.text)
      const begun = performance.now()
      const { total, done: first } = asked.body as BulkEditAnswer
      let [kills, waited] = [0, 0]
      let stretch: Stretch | undefined
      for (const part of [0.33, 0.5, 0.66]) {
        const enough = first + (total - first) * part
        await until(`${verb} has come to ${Math.round(part * 100)} %`, async () => (await get()).done >= enough, slow)
        stretch ??= onFirstKill?.()
        await sleep(Math.random() * 100)
        await workers.kill()
        kills += isOver(await get()) ? 0 : 1
        const killed = performance.now()
        const { done } = await get()
        await workers.start()
        await until('it goes on', async () => (await get()).done > done, slow)
        waited += performance.now() - killed
      }
      await until(`${verb} is over`, async () => isOver(await get()), slow)
      const seconds = (performance.now() - begun) / 1_000
      return { seconds, workedSeconds: seconds - waited / 1_000, kills, stretch }
    },
  }
}
