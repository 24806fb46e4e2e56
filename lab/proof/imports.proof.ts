import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { changesBetween, type Snapshot, snapshot } from '../../test/scenarios/row-diff.ts'
import { startChild } from '../../test/support/child.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { until } from '../../test/support/until.ts'
import type { Figure, Run } from '../report/figures.ts'

export const title = 'An import tried, applied by workers that are killed, and undone'

const KILLS = 3
/** Changed by hand between the import and its undo. */
const TOUCHED = 7

/** What an import may write before it is applied: its own rows. That a session was used is noted at any request. */
const OWN = /^(catalog\.(imports|import_rows|import_items|import_pictures)|accounts\.(sessions|attempts))$/
const IDLE_MS = 70_000

type Shop = Awaited<ReturnType<ReturnType<typeof createMake>['shop']>>

const good = (number: number, price: number, more: object = {}) => ({
  name: `Thing ${number}`,
  slug: `thing-${number}`,
  description: `What thing ${number} is.`,
  statuses: [{ status: 'ACTIVE' }],
  variants: ['Red', 'Blue'].map((name) => ({
    name,
    sku: `T-${number}-${name}`,
    attributes: [{ name: 'Colour', value: name }],
    pricing: { markets: [{ marketId: 'us', price }] },
    inventory: { quantity: number % 100 },
  })),
  ...more,
})
const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const fileOf = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

async function send({ admin, products }: Shop, text: string, query = ''): Promise<string> {
  const headers = { 'content-type': 'application/x-ndjson' }
  const { status, body, text: said } = await admin.send('POST', `${products}/imports${query}`, { raw: text, headers })
  if (status !== 201) throw new Error(said)
  return body.id as string
}

const isNow = ({ admin, products }: Shop, id: string, wanted: string) =>
  until(
    `the import is ${wanted}`,
    async () => {
      const { body } = await admin.get(`${products}/imports/${id}`)
      return body.status === wanted ? body : undefined
    },
    { everyMs: 20, withinMs: 180_000 },
  )

/** Products as a person sees them: without versions, times, histories and stock, which an undo leaves alone. */
async function productsOf({ db, id }: Shop): Promise<Map<string, object>> {
  const { rows } = await sql<{ slug: string; product: object }>`
    select slug, json_build_object('name', name, 'description', description, 'category', category, 'tags', tags, 'status', status,
             'variants', (select json_agg(json_build_array(variant.id, variant.name, variant.sku, variant.attributes, variant.prices)
                                          order by variant.position)
                            from catalog.variants as variant
                           where variant.business_id = product.business_id and variant.product_id = product.id
                             and variant.position is not null)) as product
      from catalog.products as product
     where business_id = ${id}`.execute(db)
  return new Map(rows.map(({ slug, product }) => [slug, product]))
}

/** What the worker does by itself once a minute, when there is nothing to do: waits until that is all that happens. */
async function idleTables(urls: string[], note: Run['note']): Promise<Set<string>> {
  for (;;) {
    const before = await snapshot(urls)
    await sleep(IDLE_MS)
    const tables = new Set(changesBetween(before, await snapshot(urls)).map(({ table }) => table))
    const busy = [...tables].filter((table) => /^(catalog\.(?!listing_stock)|cell\.event)/.test(table))
    note(`by themselves: ${[...tables].join(', ') || 'nothing'}`)
    if (busy.length === 0) return tables
  }
}

const writtenIn = (before: Snapshot, after: Snapshot, idle: ReadonlySet<string>) =>
  changesBetween(before, after).filter(({ table }) => !OWN.test(table) && !idle.has(table))

export async function run({ quick, note }: Run) {
  const lines = quick ? 1_000 : 10_000
  const known = lines / 2
  const api = await startApi()
  const { env, main, second } = api.databases
  const shop = await createMake(api).shop({ cell: 'main' })
  const first = await startChild('worker', env)
  try {
    await isNow(shop, await send(shop, fileOf(range(known).map((number) => good(number, 2_000)))), 'DONE')
    await until('the feed is quiet', async () => {
      const { rows } = await sql<{ left: number }>`select count(*)::integer as left from cell.event_outbox`.execute(
        shop.db,
      )
      return rows[0]?.left === 0
    })
    note(`${known} products are there`)
    const urls = [main.url, second.url]
    const idle = await idleTables(urls, note)

    const start = await productsOf(shop)
    const before = await snapshot(urls)
    const began = performance.now()
    const id = await send(
      shop,
      fileOf(
        range(lines).map((number) => good(number, 2_500, { description: `Thing ${number}, anew.`, tags: ['new'] })),
      ),
      '?dryRun=true',
    )
    const report = await isNow(shop, id, 'READY')
    const seconds = (performance.now() - began) / 1_000
    note(`dry run of ${lines} lines: ${seconds.toFixed(1)} s, ${report.created} new, ${report.updated} changed`)
    await sleep(1_000)
    const written = writtenIn(before, await snapshot(urls), idle)
    for (const { table, kind } of written.slice(0, 5)) note(`${kind} in ${table}`)
    await first.stop()

    await shop.admin.post(`${shop.products}/imports/${id}/apply`, {})
    for (let kill = 1; kill <= KILLS; kill++) {
      const worker = await startChild('worker', env)
      const from = (lines * (kill - 0.5)) / (KILLS + 1)
      await until(
        'it has gone on',
        async () => {
          const { body } = await shop.admin.get(`${shop.products}/imports/${id}`)
          return body.done >= from || body.status === 'DONE'
        },
        { everyMs: 5, withinMs: 180_000 },
      )
      await sleep(Math.random() * 100)
      await worker.kill()
      note(`killed after ${(await shop.admin.get(`${shop.products}/imports/${id}`)).body.done} lines`)
    }
    const last = await startChild('worker', env)
    const applied = await isNow(shop, id, 'DONE')
    const { rows: twice } = await sql<{ doubled: number; half: number; movements: number }>`
      select (select count(*)::integer from (select 1 from catalog.products where business_id = ${shop.id}
               group by slug having count(*) > 1) as more) as doubled,
             (select count(*)::integer from catalog.products as product where business_id = ${shop.id}
                 and (description not like '%anew.'
                      or (select count(*) from catalog.variants as variant
                           where variant.business_id = product.business_id and variant.product_id = product.id
                             and variant.prices::text like '%2500%') <> 2)) as half,
             (select count(*)::integer from catalog.stock_movements
               where business_id = ${shop.id} and reference = ${id}) as movements`.execute(shop.db)
    const { doubled = -1, half = -1, movements = -1 } = twice[0] ?? {}
    const stocked = range(lines).filter((number) => number > known && number % 100 !== 0).length * 2
    const told = await countEvents(shop, id)

    const touched = range(TOUCHED).map((number) => `thing-${number * 3}`)
    for (const slug of touched) {
      const { body } = await shop.admin.get(`${shop.products}?slug=${slug}`)
      await shop.admin.put(`${shop.products}/${body.items[0].id}`, { category: 'by-hand' })
    }
    await shop.admin.post(`${shop.products}/imports/${id}/undo`, {})
    await until('it puts back', async () => (await shop.admin.get(`${shop.products}/imports/${id}`)).body.undone > 0, {
      everyMs: 5,
    })
    await last.kill()
    const end = await startChild('worker', env)
    const undone = await isNow(shop, id, 'UNDONE')
    const now = await productsOf(shop)
    const others = [...start].filter(
      ([slug, product]) => !touched.includes(slug) && !isDeepStrictEqual(now.get(slug), product),
    )
    const kept = await shop.admin.get(`${shop.products}/imports/${id}/lines?status=KEPT&limit=100`)
    const listed = kept.body.items.map(({ name }: { name: string }) => name).toSorted()
    const wanted = touched.map((slug) => `Thing ${slug.split('-')[1]}`).toSorted()
    const made = [...now].filter(([slug]) => !start.has(slug))
    const notArchived = made.filter(([, product]) => (product as { status: string }).status !== 'ARCHIVED')
    await end.stop()

    const zero = (name: string, value: number): Figure => ({ name, value, unit: '', goal: '0', ok: value === 0 })
    const figures: Figure[] = [
      { name: 'lines', value: lines, unit: '' },
      { name: 'dry run', value: seconds, unit: 's', goal: '≤ 10 s', ok: seconds <= 10 },
      zero('rows written by the dry run, but for its own', written.length),
      { name: 'workers killed while it was applied', value: KILLS, unit: '' },
      zero('lines that are not done', lines - applied.created - applied.updated),
      zero('products twice', doubled),
      zero('products half written', half),
      zero('movements of stock too many or too few', Math.abs(movements - stocked)),
      zero('events too many or too few', Math.abs(told - lines)),
      zero('products that the undo did not put back', others.length),
      zero('products that the import made and the undo did not archive', notArchived.length),
      { name: 'changed by hand in between', value: TOUCHED, unit: '' },
      zero('of these not listed, or others listed', isDeepStrictEqual(listed, wanted) ? 0 : 1),
      zero('lines of the undo that are missing', lines - undone.undone - undone.kept),
    ]
    return { figures }
  } finally {
    await first.kill()
    await api.close()
  }
}

async function countEvents({ db, id }: Shop, importId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count
      from (select business_id, type, data from cell.event_outbox
             union all
            select business_id, type, data from cell.events) as told
     where business_id = ${id} and type ~ '^product' and data ->> 'importId' = ${importId}`.execute(db)
  return rows[0]?.count ?? 0
}
