import { hashPassword } from '../../src/modules/accounts/sign-in/passwords.ts'
import { fillCatalog } from '../../test/scenarios/fill-catalog.ts'
import { onServer } from '../../test/support/database.ts'
import { recordStatements } from '../../test/support/explain.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { type Chart, type Figure, median, percentile, type Run } from '../report/figures.ts'

export const title =
  'Growing: the same requests with 1,000 and 100,000 businesses, with 1,000 and a million products in one'

const FEW = 1_000
const PASSWORD = 'a password that nobody guesses'
const SLOWER = { p50: 1.5, p99: 2 }
/** Once in a while one of them finds that a cache has grown old, and asks once more. */
const COUNTED = 9
/** Below this, a difference is the machine's. */
const GRAIN_MS = 0.5

type Size = { businesses: number; products: number }
type World = Awaited<ReturnType<typeof openWorld>>
type Ask = (world: World, turn: number) => Promise<{ status: number; text: string }>
type Seen = { ms: number[]; statements: number }

const random = (most: number) => 1 + Math.floor(Math.random() * most)
const pick = (...values: string[]) => values[random(values.length) - 1] as string
const productId = (number: number) => `prod_${String(number).padStart(26, '0')}`
const otherId = (number: number) => `biz_other${number}`
const cartOf = (number: number, variantId = 'a') => ({
  market: 'us',
  items: [{ productId: productId(number), variantId, quantity: 1 }],
})
/** The second variant of a thousand of them costs nothing: its order needs nobody to be paid. */
const freeOf = (products: number) => {
  const number = (random(FEW) - 1) * (products / FEW) + 1
  return number % 20 === 0 ? number - 1 : number
}
const MAKE_FREE = `
  update catalog.variants set prices = '[{"marketId":"us","currency":"USD","price":0}]'
    from generate_series(1, $2::integer, $3::integer) as n
   where business_id = $1 and product_id = 'prod_' || lpad(n::text, 26, '0') and id = 'b'`
/** Every twentieth is a draft, which guests do not find and nobody buys. */
const onSale = (products: number) => {
  const number = random(products)
  return number % 20 === 0 ? number - 1 : number
}

const ASKED: Record<string, { ask: Ask; why?: string }> = {
  'read one': { ask: ({ guest, shop, products }) => guest.get(`${shop.products}/${productId(onSale(products))}`) },
  'list 20': { ask: ({ guest, shop }) => guest.get(shop.products) },
  'search: a SKU': { ask: ({ guest, shop, products }) => guest.get(`${shop.products}?query=S${onSale(products)}A`) },
  'search: two common words': {
    ask: ({ guest, shop }) =>
      guest.get(`${shop.products}?query=${pick('blue', 'plum', 'olive')}%20${pick('shirt', 'chair', 'kettle')}`),
    why: 'more is found in more products, and up to 20,000 finds are ranked',
  },
  quote: {
    ask: ({ guest, shop, products }) =>
      guest.post('/v1/payments/quote', { businessId: shop.id, ...cartOf(onSale(products)) }),
  },
  'read one in a business not asked for before': {
    ask({ guest, firstOther }, turn) {
      const number = firstOther + turn
      const product = productId(number > FEW ? 1_001 : number * 1_000 + 1)
      return guest.get(`/v1/businesses/${otherId(number)}/products/${product}`)
    },
  },
  'businesses that I am in': { ask: ({ shop }) => shop.admin.get('/v1/businesses') },
  checkout: {
    ask: ({ guest, shop, products }) => guest.post(`${shop.path}/orders/checkout`, cartOf(freeOf(products), 'b')),
  },
  login: {
    ask: ({ nobody, email }) => nobody.post('/v1/users/login', { provider: 'EMAIL', email, password: PASSWORD }),
  },
  refresh: {
    async ask(world) {
      const answer = await world.nobody.post('/v1/users/refresh', {
        provider: 'EMAIL',
        refreshToken: world.refreshToken,
      })
      world.refreshToken = answer.body.refreshToken
      return answer
    },
  },
}

/** All sizes are open at once and take turns, request by request: whatever else the machine does, it does to all of them. */
export async function run({ quick, note }: Run) {
  const [many, mostProducts] = quick ? [5_000, 20_000] : [100_000, 1_000_000]
  const middle = (most: number) => Math.round(Math.sqrt(FEW * most) / 1_000) * 1_000
  const rounds = quick ? 100 : 500
  const sizes: Size[] = [
    { businesses: FEW, products: FEW },
    { businesses: middle(many), products: FEW },
    { businesses: many, products: FEW },
    { businesses: FEW, products: middle(mostProducts) },
    { businesses: FEW, products: mostProducts },
  ]
  const worlds: World[] = []
  try {
    for (const size of sizes) {
      const start = performance.now()
      worlds.push(await openWorld(size))
      const seconds = Math.round((performance.now() - start) / 1_000)
      note(`${size.businesses} businesses, ${size.products} products in one: filled in ${seconds} s`)
    }
    const seen = await askAll(worlds, rounds, note)
    return tell(worlds, seen)
  } finally {
    for (const world of worlds) await world.close()
  }
}

/** One business with many products, beside others that have one each. */
async function openWorld({ businesses, products }: Size) {
  const api = await startApi()
  const make = createMake(api)
  const shop = await make.shop({ cell: 'main' })
  const [guest, nobody] = [await make.guest(), make.anonymous()]
  const { id: userId, email } = await make.user()
  await onServer(async (client) => {
    await client.query('update accounts.users set password_hash = $2 where id = $1', [
      userId,
      await hashPassword(PASSWORD),
    ])
    await client.query(
      `with people as (
         insert into accounts.users (id, name, email, email_key, confirmed_at, created_at, updated_at)
         select 'usr_biz_other' || n, 'Reader ' || n, email, email, now(), now(), now()
           from generate_series(1, $1::integer) as n, concat('reader', n, '@example.com') as email
         returning id)
       insert into accounts.sessions (id, refresh_id, user_id, provider, created_at, last_used_at)
       select 'ses_' || id, 'ref_' || id, id, 'EMAIL', now(), now() from people`,
      [businesses],
    )
    await client.query(
      `insert into access.businesses (id, name, slug, default_locale, locales, allowed_origins, markets, cell, created_at, updated_at)
       select 'biz_other' || n, 'Business ' || n, 'other-' || n, 'en', '{en}', '{}', '[]', 'main', now(), now()
         from generate_series(1, $1::integer) as n`,
      [businesses],
    )
    await client.query(`
      insert into access.roles (business_id, id, name, permissions, created_at, updated_at)
      select id, 'role_' || id, 'Admin', '{ADMIN}', now(), now() from access.businesses where id like 'biz_other%'`)
    await client.query(`
      insert into access.memberships (business_id, user_id, role_id, created_at)
      select id, 'usr_' || id, 'role_' || id, now() from access.businesses where id like 'biz_other%'`)
    await client.query(
      'vacuum analyze access.businesses, access.roles, access.memberships, accounts.users, accounts.sessions',
    )
  }, api.databases.main.url)
  await fillCatalog(shop.db, { businessId: shop.id, products, businesses: FEW, productsEach: 1 })
  await onServer(async (client) => {
    for (const table of COPIED) await client.query(copyRows(table), [FEW + 1, businesses])
    await client.query(MAKE_FREE, [shop.id, products, products / FEW])
    await client.query(`vacuum analyze ${COPIED.join(', ')}`)
  }, api.databases.main.url)
  const { body } = await nobody.post('/v1/users/login', { provider: 'EMAIL', email, password: PASSWORD })
  return {
    businesses,
    products,
    shop,
    guest,
    nobody,
    email,
    refreshToken: body.refreshToken as string,
    firstOther: businesses > 2 * FEW ? businesses / 2 : 20,
    close: () => api.close(),
  }
}

/** Beyond the first thousand, businesses have the product of the first one; its words, 180 rows for each, are left out. */
const COPIED = ['catalog.products', 'catalog.variants', 'catalog.stock', 'catalog.search']
const copyRows = (table: string) => `
  insert into ${table}
  select copy.*
    from ${table} as first
   cross join generate_series($1::integer, $2::integer) as n
   cross join lateral jsonb_populate_record(first, jsonb_build_object('business_id', 'biz_other' || n)) as copy
   where first.business_id = 'biz_other1'`

async function askAll(worlds: readonly World[], rounds: number, note: Run['note']) {
  const seen = new Map<World, Map<string, Seen>>(worlds.map((world) => [world, new Map()]))
  for (const [name, { ask }] of Object.entries(ASKED)) {
    for (let turn = -10; turn < rounds; turn++) {
      for (const index of worlds.keys()) {
        const world = worlds.at((index + turn) % worlds.length) as World // none is always the first
        const start = performance.now()
        const { status, text } = await ask(world, turn)
        const ms = performance.now() - start
        if (status !== 200 || text.startsWith('{"items":[]')) throw new Error(`${name}: ${status} ${text}`)
        if (turn < 0) continue // warming up
        const own = seen.get(world)
        const before = own?.get(name) ?? { ms: [], statements: 0 }
        own?.set(name, { ...before, ms: [...before.ms, ms] })
      }
    }
    for (const world of worlds) {
      const counts: number[] = []
      for (let turn = rounds; turn < rounds + COUNTED; turn++) {
        const made = await recordStatements(() => ask(world, turn))
        counts.push(made.filter(({ text }) => !/^\s*(begin|commit)/i.test(text)).length)
      }
      const one = seen.get(world)?.get(name)
      if (one) one.statements = median(counts)
    }
    note(name)
  }
  return (world: World | undefined, name: string): Seen =>
    (world && seen.get(world)?.get(name)) ?? { ms: [], statements: 0 }
}

function tell(worlds: readonly World[], seen: Awaited<ReturnType<typeof askAll>>) {
  const [small, , wide, , deep] = worlds
  const growths = [
    { by: 'businesses', large: wide, line: worlds.slice(0, 3), count: ({ businesses }: World) => businesses },
    { by: 'products', large: deep, line: [...worlds.slice(0, 1), ...worlds.slice(3)], count: (w: World) => w.products },
  ]
  const figures: Figure[] = growths.flatMap(({ by, large, count }) => {
    const times = large && small ? `${count(large) / count(small)} × the ${by}` : ''
    const more = Object.keys(ASKED).filter((name) => seen(small, name).statements < seen(large, name).statements)
    const ratios = Object.entries(ASKED).flatMap(([name, { why }]) => {
      const [before, after] = [seen(small, name), seen(large, name)]
      const isExcused = why !== undefined && by === 'products'
      const slower = ([label, most]: [string, number]): Figure => {
        const [from, to] = [before, after].map(({ ms }) => percentile(ms, Number(label.slice(1)))) as [number, number]
        const ok = to <= from * most + GRAIN_MS
        const aim = isExcused ? {} : { goal: `≤ ${most} × + ${GRAIN_MS} ms`, ok }
        const note = `${from.toFixed(2)} to ${to.toFixed(2)} ms${isExcused ? `; ${why}` : ''}`
        return { name: `${times}, ${name}: ${label}`, value: to / from, unit: '×', note, ...aim }
      }
      return Object.entries(SLOWER).map(slower)
    })
    const none = { unit: '', goal: '0', ok: more.length === 0, ...(more.length > 0 && { note: more.join(', ') }) }
    return [{ name: `${times}: requests that take more statements`, value: more.length, ...none }, ...ratios]
  })
  const charts: Chart[] = growths.flatMap(({ by, line, count }) =>
    [50, 99].map((percent) => ({
      title: `p${percent}, by the number of ${by}`,
      unit: 'ms',
      x: by,
      isLogarithmic: true,
      lines: Object.keys(ASKED).map((label) => ({
        label,
        points: line.map((world): [number, number] => [count(world), percentile(seen(world, label).ms, percent)]),
      })),
    })),
  )
  const format = (value: number) => value.toFixed(1)
  const tables = [
    {
      title: 'p50 / p99 in ms, statements',
      columns: [
        '',
        ...worlds.map(
          ({ businesses, products }) =>
            `${businesses.toLocaleString('en')} businesses, ${products.toLocaleString('en')} products`,
        ),
      ],
      rows: Object.keys(ASKED).map((name) => [
        name,
        ...worlds.map((world) => {
          const { ms, statements } = seen(world, name)
          return `${format(percentile(ms, 50))} / ${format(percentile(ms, 99))}, ${statements}`
        }),
      ]),
    },
  ]
  return { figures, charts, tables }
}
