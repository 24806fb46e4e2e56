import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import type pg from 'pg'
import { toAnswer } from '../../src/modules/catalog/products/document.ts'
import { toPublicAnswer } from '../../src/modules/catalog/products/public-document.ts'
import { GET_PRODUCTS, GET_PUBLIC, LIST } from '../../src/modules/catalog/products/queries.ts'
import { recordStatements, type Statement } from '../../test/support/explain.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import type { Run } from '../report/figures.ts'
import {
  bestFigures,
  type Contest,
  clientCharts,
  clientTable,
  FASTIFY,
  inline,
  JSON_TYPE,
  KONTOR,
  listen,
  load,
  nameOf,
  openBarePool,
  PGBENCH,
  pgbench,
  ratio,
  takeTurns,
} from './support.ts'

export const title = 'Reading, searching and quoting products: Kontor, bare Fastify with the same SQL, and pgbench'

const PRODUCTS = 500
/** The product that is looked for where the words are recorded; no other value has this number in it. */
const SOUGHT = 437
/** More than anything costs: a filter that keeps all, and differs from request to request. */
const MANY = 1_000_000

/** Side by side in one run, interleaved, all on this machine: the ratio is what counts. */
export async function run(options: Run) {
  const { note } = options
  const api = await startApi()
  const make = createMake(api)
  const shop = await make.shop({ cell: 'main' })
  const guest = await make.guest()
  const ids: string[] = []
  for (let index = 0; index < PRODUCTS; index++) ids.push((await make.product(shop, exampleProduct(index))).id)
  note(`${PRODUCTS} products of ${(await guest.get(`${shop.products}/${ids[0]}`)).text.length} characters`)

  // Kontor's own statements, as it says them: the others say the same.
  const cart = { businessId: shop.id, market: 'us', items: [{ productId: ids[7], variantId: 'm', quantity: 2 }] }
  const find = (number: number) => `${shop.products}?query=linen%20${number}`
  const search = await onlyStatement(() => guest.get(find(SOUGHT)))
  const goods = await onlyStatement(() => guest.post('/v1/payments/quote', cart))
  await shop.admin.put(shop.path, { storefront: { isPublic: true } })
  const stranger = make.anonymous()
  const window = `/v1/storefront/${shop.id}/products`
  const filter = (priceTo: number) => `${window}?market=us&sort=price&category=shirts&priceTo=${priceTo}`
  await sleep(1_500) // the business has changed: all processes ask for it anew
  const newest = await onlyStatement(() => stranger.get(`${window}?market=us`))
  await stranger.get(filter(MANY))
  const filtered = await recordStatements(() => stranger.get(filter(MANY)))

  const { url: databaseUrl } = api.databases.main
  const pool = openBarePool(databaseUrl)
  const bare = await startBare(pool, { businessId: shop.id, search, goods, newest, filtered })
  const token = { authorization: `Bearer ${guest.token}` }
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(cart) } as const
  const withToken = { ...post, headers: { ...post.headers, ...token } }
  const get = (url: string, paths: string[], headers = {}) => {
    const requests = paths.map((path) => ({ path }))
    return (clients: number, seconds: number) => load({ url, requests, headers, clients, seconds })
  }
  const say = (statement: Pick<Statement, 'text' | 'values'>) => (clients: number, seconds: number) =>
    pgbench({ url: databaseUrl, script: inline(statement), clients, seconds })
  const contest: Contest = {
    one: {
      [KONTOR]: get(
        api.url,
        ids.map((id) => `${shop.products}/${id}`),
        token,
      ),
      [FASTIFY]: get(
        bare.url,
        ids.map((id) => `/one/${id}`),
      ),
      [PGBENCH]: say({ text: GET_PRODUCTS, values: [[shop.id], [ids[7]]] }),
    },
    'list 20': {
      [KONTOR]: get(api.url, [shop.products], token),
      [FASTIFY]: get(bare.url, ['/list']),
      [PGBENCH]: say({ text: LIST, values: [shop.id, ['ACTIVE'], 21, '~'] }),
    },
    search: {
      // Each for something else: those who wait for the same page would get it from one statement.
      [KONTOR]: get(
        api.url,
        ids.map((_, number) => find(number)),
        token,
      ),
      [FASTIFY]: get(
        bare.url,
        ids.map((_, number) => `/search/${number}`),
      ),
      [PGBENCH]: say(search),
    },
    'stranger: one': {
      [KONTOR]: get(
        api.url,
        ids.map((id) => `${window}/${id}?market=us`),
      ),
      [FASTIFY]: get(
        bare.url,
        ids.map((id) => `/public/${id}`),
      ),
    },
    'stranger: list 20': {
      [KONTOR]: get(api.url, [`${window}?market=us`]),
      [FASTIFY]: get(bare.url, ['/newest']),
    },
    'stranger: filter and sort': {
      [KONTOR]: get(
        api.url,
        ids.map((_, number) => filter(MANY + number)),
      ),
      [FASTIFY]: get(
        bare.url,
        ids.map((_, number) => `/filtered/${MANY + number}`),
      ),
    },
    quote: {
      [KONTOR]: (clients, seconds) =>
        load({ url: api.url, requests: [{ path: '/v1/payments/quote', ...withToken }], clients, seconds }),
      [FASTIFY]: (clients, seconds) =>
        load({ url: bare.url, requests: [{ path: '/quote', ...post }], clients, seconds }),
      [PGBENCH]: say(goods),
    },
  }
  const rates = await takeTurns(contest, options)
  await bare.close()
  await pool.end()
  await api.close()
  return {
    figures: [
      ...bestFigures(rates, '/s'),
      ratio(rates, 'one', FASTIFY, 0.8),
      ratio(rates, 'list 20', FASTIFY, 0.8),
      ratio(rates, 'search', FASTIFY),
      ratio(rates, 'quote', FASTIFY),
      ...Object.keys(contest)
        .filter((what) => what.startsWith('stranger'))
        .map((what) => ratio(rates, what, FASTIFY, 1)),
      ...Object.keys(contest)
        .filter((what) => PGBENCH in (contest[what] ?? {}))
        .map((what) => ratio(rates, what, PGBENCH)),
    ],
    charts: clientCharts(rates, 'answers/s'),
    tables: [clientTable(rates, 'answers/s')],
  }
}

/** The last one of a second request: by then all that is cached is. */
async function onlyStatement(ask: () => Promise<{ status: number; text: string }>): Promise<Statement> {
  const { status, text } = await ask()
  if (status !== 200 || text.includes('"items":[]')) throw new Error(text)
  const statements = await recordStatements(ask)
  const [statement] = statements
  if (!statement || statements.length > 1) throw new Error(`${statements.length} statements instead of one`)
  return statement
}

type Known = { businessId: string; search: Statement; goods: Statement; newest: Statement; filtered: Statement[] }

/** What a stranger asks for here. */
const READER = { market: 'us', locales: [], showQuantity: false }

/** The least that a server can do: the same statements, the stock put in, no token, no access, no prices, no headers. */
async function startBare(pool: pg.Pool, { businessId, search, goods, newest, filtered }: Known) {
  const app = Fastify()
  const rows = async (text: string, values: unknown[]) =>
    (await pool.query<[string, string, string | null]>({ name: nameOf(text), text, values, rowMode: 'array' })).rows
  app.get<{ Params: { id: string } }>('/one/:id', async (request, reply) => {
    const [row] = await rows(GET_PRODUCTS, [[businessId], [request.params.id]])
    return reply.header('content-type', JSON_TYPE).send(row && toAnswer(row[1], row[2], false))
  })
  app.get('/list', async (_request, reply) => {
    const page = (await rows(LIST, [businessId, ['ACTIVE'], 21, '~'])) as unknown as [string, string | null][]
    const texts = page.slice(0, 20).map(([document, stock]) => toAnswer(document, stock, false))
    return reply.header('content-type', JSON_TYPE).send(`{"items":[${texts.join(',')}]}`)
  })
  app.get<{ Params: { number: string } }>('/search/:number', async (request, reply) => {
    const { text } = search // planned each time, as Kontor has it done: the words decide the plan
    const query = String(search.values.at(-1)).replaceAll(String(SOUGHT), request.params.number)
    const values = [...search.values.slice(0, -1), query]
    const found = await pool.query<[string, number, string, string | null]>({ text, values, rowMode: 'array' })
    const texts = found.rows.slice(0, 20).map(([, , document, stock]) => toAnswer(document, stock, false))
    return reply.header('content-type', JSON_TYPE).send(`{"items":[${texts.join(',')}]}`)
  })
  app.get<{ Params: { id: string } }>('/public/:id', async (request, reply) => {
    const [row] = await rows(GET_PUBLIC, [[businessId], [request.params.id]])
    return reply.header('content-type', JSON_TYPE).send(row && toPublicAnswer(row[1], row[2], READER))
  })
  app.get('/newest', async (_request, reply) => {
    const page = (await rows(newest.text, newest.values)) as unknown as [string, string | null][]
    const texts = page.slice(0, 20).map(([document, stock]) => toPublicAnswer(document, stock, READER))
    return reply.header('content-type', JSON_TYPE).send(`{"items":[${texts.join(',')}]}`)
  })
  app.get<{ Params: { most: string } }>('/filtered/:most', async (request, reply) => {
    let rows: unknown[][] = []
    for (const { text, values } of filtered) {
      const wanted = values.map((value) => (value === MANY ? Number(request.params.most) : value))
      ;({ rows } = await pool.query<unknown[]>({ text, values: wanted, rowMode: 'array' })) // planned each time, as Kontor has it done
    }
    const texts = rows.slice(0, 20).map((row) => toPublicAnswer(String(row[6]), row[7] as string | null, READER))
    return reply.header('content-type', JSON_TYPE).send(`{"items":[${texts.join(',')}]}`)
  })
  app.post('/quote', async () => (await pool.query(goods.text, goods.values)).rows)
  return { url: await listen(app), close: () => app.close() }
}

const exampleProduct = (index: number) => ({
  name: `Linen shirt ${index}`,
  category: 'shirts',
  description: 'Woven from long-staple linen, washed twice, with mother-of-pearl buttons and a straight hem. '.repeat(
    6,
  ),
  gallery: [1, 2, 3].map((n) => ({
    url: `https://cdn.example.com/linen-shirt-${index}-${n}.jpg`,
    mimeType: 'image/jpeg',
  })),
  variants: ['S', 'M', 'L', 'XL'].map((size, position) => ({
    id: size.toLowerCase(),
    name: `Size ${size}`,
    sku: `LS-${index}-${size}`,
    attributes: [
      { name: 'Size', value: size },
      { name: 'Colour', value: 'Natural' },
    ],
    pricing: {
      markets: [
        { marketId: 'us', price: 4900 + position, compareAtPrice: 5900 },
        { marketId: 'de', price: 4500 },
      ],
    },
    inventory: { tracked: true, quantity: 50 + position, lowStockThreshold: 5 },
  })),
})
