import { fillCatalog, sizeOf } from '../../test/scenarios/fill-catalog.ts'
import { findSequentialScans, recordStatements } from '../../test/support/explain.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { p95Bars, percentile, type Run } from '../report/figures.ts'

export const title = 'A million products in one business, ten thousand businesses beside it'

const PAGES_DOWN = 50
const NOTHING = 'search: nothing found'

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

  /** Every twentieth is a draft, which guests do not find. */
  const number = () => {
    const any = 1 + Math.floor(Math.random() * products)
    return any % 20 === 0 ? any - 1 : any
  }
  const pick = (...values: string[]) => values[Math.floor(Math.random() * values.length)] as string
  const colour = () => pick('blue', 'green', 'olive', 'plum') // red shirts are drafts, all of them
  const thing = () => pick('shirt', 'lantern', 'chair', 'satchel', 'kettle')
  let deep = ''
  for (let page = 0; page < PAGES_DOWN; page++) {
    const { body } = await guest.get(`${shop.products}?limit=100${deep && `&cursor=${deep}`}`)
    deep = body.cursor
  }
  const reads: Record<string, () => string> = {
    get: () => `/prod_${String(number()).padStart(26, '0')}`,
    list: () => '',
    'list, far down': () => `?limit=100&cursor=${deep}`,
    category: () => `?category=${thing()}`,
    slug: () => `?slug=p-${number()}`,
    'search: rare word': () => `?query=w${number() % 5000}`,
    'search: two common words': () => `?query=${colour()}%20${thing()}`,
    'search: one common word': () => `?query=${thing()}`,
    'search: beginning of a word': () => `?query=${colour()}%20${thing().slice(0, 4)}`,
    'search: in every product': () => '?query=durable',
    'search: SKU': () => `?query=S${number()}A`,
    'search: a typo': () => `?query=${pick('shrit', 'lanten', 'chiar', 'satchell', 'ketle')}`,
    [NOTHING]: () => '?query=zzzyx',
  }
  const times = new Map<string, number[]>()
  const scans = new Set<string>()
  const odd: string[] = []
  for (const [name, path] of Object.entries(reads)) {
    const statements = await recordStatements(() => guest.get(shop.products + path()))
    for (const found of await findSequentialScans(statements)) scans.add(`${name}: ${found}`)
    const taken: number[] = []
    for (let round = 0; round < (quick ? 20 : 100); round++) {
      const asked = path()
      const start = performance.now()
      const { status, text, body } = await guest.get(shop.products + asked)
      taken.push(performance.now() - start)
      const found = name === 'get' ? Number(asked === `/${body.id}`) : body.items?.length
      if (status !== 200 || found > 0 === (name === NOTHING)) odd.push(`${name}, ${asked}: ${status} ${text}`)
    }
    times.set(name, taken)
    note(`${name}: p50 ${percentile(taken, 50).toFixed(1)} ms, p95 ${percentile(taken, 95).toFixed(1)} ms`)
  }
  for (const each of odd.slice(0, 10)) note(each.slice(0, 300))
  for (const scan of scans) note(scan)
  await api.close()
  return {
    figures: [
      { name: 'statements that read a whole table', value: scans.size, unit: '', goal: '0', ok: scans.size === 0 },
      { name: 'answers without what was asked for', value: odd.length, unit: '', goal: '0', ok: odd.length === 0 },
      ...[...times].map(([name, taken]) => ({ name: `${name}, p95`, value: percentile(taken, 95), unit: 'ms' })),
    ],
    charts: [p95Bars('p95 of each read', times)],
  }
}
