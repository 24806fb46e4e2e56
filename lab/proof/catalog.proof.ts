import { fillCatalog, SHELVES, sizeOf } from '../../test/scenarios/fill-catalog.ts'
import type { Client } from '../../test/support/client.ts'
import { findSequentialScans, recordStatements } from '../../test/support/explain.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { type Figure, p95Bars, percentile, type Run } from '../report/figures.ts'

export const title = 'A million products in one business, ten thousand businesses beside it'

const PAGES_DOWN = 50
const NOTHING = 'search: nothing found'
const NARROW = 'stranger: category, colour and range by price'
const NARROWER = 'stranger: rare attribute of a shelf, in stock, by price'
const MAY_BE_EMPTY = new Set([NARROW, NARROWER])
const FILTERED = 20
const FACETS = 60
const FACETS_OF_ALL = 120
/** What nothing can be found by at once: a page ends after it has looked at 20,000. */
const BOUND = 120

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
  for (const table of ['products', 'stock', 'search', 'spellings', 'listing'])
    note(`${table}: ${await sizeOf(shop.db, `catalog.${table}`)}`)

  /** Every twentieth is a draft, which guests do not find. */
  const number = () => {
    const any = 1 + Math.floor(Math.random() * products)
    return any % 20 === 0 ? any - 1 : any
  }
  const pick = (...values: string[]) => values[Math.floor(Math.random() * values.length)] as string
  const colour = () => pick('blue', 'green', 'olive', 'plum') // red shirts are drafts, all of them
  const thing = () => pick('shirt', 'lantern', 'chair', 'satchel', 'kettle')
  const shelf = () => `${thing()}-${Math.floor(Math.random() * SHELVES)}`
  let deep = ''
  for (let page = 0; page < PAGES_DOWN; page++) {
    const { body } = await guest.get(`${shop.products}?limit=100${deep && `&cursor=${deep}`}`)
    deep = body.cursor
  }
  const reads: Record<string, () => string> = {
    get: () => `/prod_${String(number()).padStart(26, '0')}`,
    list: () => '',
    'list, far down': () => `?limit=100&cursor=${deep}`,
    category: () => `?category=${shelf()}`,
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
  const figures: Figure[] = []
  async function time(name: string, reader: Pick<typeof guest, 'get'>, address: () => string, goal?: number) {
    const statements = await recordStatements(() => reader.get(address()))
    for (const found of await findSequentialScans(statements)) scans.add(`${name}: ${found}`)
    const taken: number[] = []
    for (let round = 0; round < (quick ? 20 : 100); round++) {
      const asked = address()
      const start = performance.now()
      const { status, text, body } = await reader.get(asked)
      taken.push(performance.now() - start)
      const found = body.id ? Number(asked.endsWith(body.id) || asked.endsWith(body.slug)) : body.items?.length
      const isOdd = found > 0 === (name === NOTHING) && !MAY_BE_EMPTY.has(name)
      if (status !== 200 || isOdd) odd.push(`${name}, ${asked}: ${status} ${text}`)
    }
    times.set(name, taken)
    const value = percentile(taken, 95)
    note(`${name}: p50 ${percentile(taken, 50).toFixed(1)} ms, p95 ${value.toFixed(1)} ms`)
    figures.push({ name: `${name}, p95`, value, unit: 'ms', ...(goal && { goal: `≤ ${goal} ms`, ok: value <= goal }) })
  }
  for (const [name, path] of Object.entries(reads)) await time(name, guest, () => shop.products + path())

  // The same by strangers, who may filter and sort.
  const stranger = make.anonymous()
  const categories = await makeCategories(shop)
  const category = () => pick(...categories)
  const window = `/v1/storefront/${shop.id}/products`
  const ranges = () => {
    const from = 500 + Math.floor(Math.random() * 90_000)
    return `market=us&priceFrom=${from}&priceTo=${from + 5_000}`
  }
  const workshop = () => `attribute.Workshop=w${number() % 5_000}`
  const tag = () => `tag=common${number() % 100}`
  const hue = () => `attribute.Colour=${pick('blue', 'green', 'white', 'olive', 'plum')}`
  const far = async (query: string) => {
    let cursor = ''
    for (let page = 0; page < PAGES_DOWN && cursor !== null; page++)
      cursor = (await stranger.get(`${window}?${query}&limit=100&cursor=${cursor}`)).body.cursor
    return `${query}&limit=20&cursor=${cursor}`
  }
  const shelfByPrice = await far('category=chair-1&market=us&sort=price')
  const allByPrice = await far('market=us&sort=price')
  const hueByName = await far('attribute.Colour=plum&sort=name')
  const filtered: Record<string, [goal: number, path: () => string]> = {
    'stranger: one, by slug': [FILTERED, () => `/p-${number()}`],
    'stranger: newest': [FILTERED, () => '?market=us'],
    'stranger: category': [FILTERED, () => `?market=us&category=${shelf()}`],
    'stranger: category with those below': [FILTERED, () => `?market=us&categoryId=${category()}`],
    'stranger: common attribute': [FILTERED, () => `?${hue()}`],
    'stranger: rare attribute': [FILTERED, () => `?${workshop()}`],
    'stranger: one of three values': [FILTERED, () => `?${hue()}&${hue()}&${hue()}`],
    'stranger: two attributes': [FILTERED, () => `?${hue()}&attribute.Size=${number() % 5}`],
    'stranger: common tag': [FILTERED, () => `?${tag()}`],
    'stranger: rare tag': [FILTERED, () => `?tag=rare${number() % 5_000}`],
    'stranger: price range': [FILTERED, () => `?${ranges()}`],
    'stranger: in stock': [FILTERED, () => '?inStock=true'],
    'stranger: by name': [FILTERED, () => '?sort=name'],
    'stranger: by pieces sold': [FILTERED, () => '?sort=-sold'],
    'stranger: category by pieces sold': [FILTERED, () => `?sort=-sold&category=${shelf()}`],
    'stranger: by price': [FILTERED, () => `?market=us&sort=${pick('price', '-price')}`],
    'stranger: category by price': [FILTERED, () => `?market=us&sort=${pick('price', '-price')}&category=${shelf()}`],
    'stranger: category by name': [FILTERED, () => `?sort=name&category=${shelf()}`],
    'stranger: categories below by price': [FILTERED, () => `?market=us&sort=price&categoryId=${category()}`],
    [NARROW]: [FILTERED, () => `?${ranges()}&${hue()}&sort=price&category=${shelf()}`],
    'stranger: colour, size and tag by price': [
      FILTERED,
      () => `?market=us&attribute.Colour=black&attribute.Size=${number() % 5}&tag=new&sort=price`,
    ],
    'stranger: category by price, far down': [FILTERED, () => `?${shelfByPrice}`],
    'stranger: all by price, far down': [FILTERED, () => `?${allByPrice}`],
    'stranger: colour by name, far down': [FILTERED, () => `?${hueByName}`],
    'stranger: rare attribute by price': [BOUND, () => `?market=us&sort=price&${workshop()}`],
    [NARROWER]: [BOUND, () => `?market=us&sort=price&inStock=true&${workshop()}&category=${shelf()}`],
    'stranger: words and a filter': [BOUND, () => `?market=us&query=${colour()}%20${thing()}&priceTo=50000&sort=price`],
    'facets of 10,000': [FACETS, () => `/facets?facets=attribute.Colour,attribute.Size,price&market=us&${tag()}`],
    'facets of a category': [
      FACETS,
      () => `/facets?facets=attribute.Colour,attribute.Size,price&market=us&category=${shelf()}`,
    ],
    'facets of a whole shop': [
      FACETS_OF_ALL,
      () => '/facets?facets=attribute.Colour,attribute.Size,category,tag,price&market=us',
    ],
  }
  for (const [name, [goal, path]] of Object.entries(filtered)) await time(name, stranger, () => window + path(), goal)
  for (const each of odd.slice(0, 10)) note(each.slice(0, 300))
  for (const scan of scans) note(scan)
  await api.close()
  return {
    figures: [
      { name: 'statements that read a whole table', value: scans.size, unit: '', goal: '0', ok: scans.size === 0 },
      { name: 'answers without what was asked for', value: odd.length, unit: '', goal: '0', ok: odd.length === 0 },
      ...figures,
    ],
    charts: [p95Bars('p95 of each read', times)],
  }
}

/** A category for each kind of thing, and its shelves below; public from now on. */
async function makeCategories({ admin, path }: { admin: Client; path: string }): Promise<string[]> {
  const make = async (body: object): Promise<string> => {
    const { status, text, body: made } = await admin.post(`${path}/categories`, body)
    if (status !== 201) throw new Error(text)
    return made.id
  }
  await admin.put(path, { storefront: { isPublic: true } })
  const parents: string[] = []
  for (const thing of ['shirt', 'lantern', 'chair', 'satchel', 'kettle']) {
    const parentId = await make({ name: thing, slug: thing })
    for (let shelf = 0; shelf < SHELVES; shelf++)
      await make({ name: `${thing} ${shelf}`, slug: `${thing}-${shelf}`, parentId })
    parents.push(parentId)
  }
  return parents
}
