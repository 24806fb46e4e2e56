import { p95Bars, percentile, type Run } from '../scripts/figures.ts'
import { findSequentialScans, recordStatements } from '../test/support/explain.ts'
import { fillCatalog, sizeOf } from '../test/support/fill-catalog.ts'
import { createMake } from '../test/support/make.ts'
import { startApi } from '../test/support/start-api.ts'

export const title = 'A million products in one business, ten thousand businesses beside it'

/** Reads through the API, one after another, each with other values: no whole table is read, and how long they take. */
export async function run({ quick, note }: Run) {
  const api = await startApi()
  const make = createMake(api)
  const shop = await make.shop({ cell: 'main' })
  const guest = await make.guest()
  const products = quick ? 20_000 : 1_000_000
  await fillCatalog(
    shop.db,
    { businessId: shop.id, products, businesses: quick ? 200 : 10_000, productsEach: 10 },
    note,
  )
  for (const table of ['products', 'stock', 'search', 'spellings'])
    note(`${table}: ${await sizeOf(shop.db, `catalog.${table}`)}`)

  const number = () => 1 + Math.floor(Math.random() * products)
  const pick = (...values: string[]) => values[Math.floor(Math.random() * values.length)] as string
  const colour = () => pick('red', 'blue', 'green', 'olive', 'plum')
  const thing = () => pick('shirt', 'lantern', 'chair', 'satchel', 'kettle')
  const reads: Record<string, { path: () => string; goalMs?: number }> = {
    get: { path: () => `/prod_${String(number()).padStart(26, '0')}` },
    list: { path: () => '' },
    'list, far down': { path: () => `?category=${thing()}&limit=100` },
    category: { path: () => `?category=${thing()}` },
    slug: { path: () => `?slug=p-${number()}` },
    'search: rare word': { path: () => `?query=w${number() % 5000}` },
    'search: two common words': { path: () => `?query=${colour()}%20${thing()}` },
    'search: one common word': { path: () => `?query=${thing()}` },
    'search: beginning of a word': { path: () => `?query=${colour()}%20${thing().slice(0, 4)}` },
    'search: in every product': { path: () => '?query=durable' },
    'search: SKU': { path: () => `?query=S${number()}A` },
    'search: a typo': { path: () => `?query=${pick('shrit', 'lanten', 'chiar', 'satchell', 'ketle')}` },
    'search: nothing found': { path: () => '?query=zzzyx' },
  }
  const times = new Map<string, number[]>()
  const scans = new Set<string>()
  for (const [name, { path }] of Object.entries(reads)) {
    const statements = await recordStatements(() => guest.get(shop.products + path()))
    for (const found of await findSequentialScans(statements)) scans.add(`${name}: ${found}`)
    const taken: number[] = []
    for (let round = 0; round < (quick ? 20 : 100); round++) {
      const start = performance.now()
      const { status, text } = await guest.get(shop.products + path())
      taken.push(performance.now() - start)
      if (status !== 200 && status !== 404) throw new Error(`${name}: ${status} ${text}`)
    }
    times.set(name, taken)
    note(`${name}: p50 ${percentile(taken, 50).toFixed(1)} ms, p95 ${percentile(taken, 95).toFixed(1)} ms`)
  }
  for (const scan of scans) note(scan)
  await api.close()
  return {
    figures: [
      { name: 'statements that read a whole table', value: scans.size, unit: '', goal: '0', ok: scans.size === 0 },
      ...[...times].map(([name, taken]) => ({ name: `${name}, p95`, value: percentile(taken, 95), unit: 'ms' })),
    ],
    charts: [p95Bars('p95 of each read', times)],
  }
}
