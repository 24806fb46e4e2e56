import { Agent, request } from 'node:http'
import { type Cell, openDatabases } from '#platform/database/database.ts'
import { verify } from '../../src/apps/verify.ts'
import type { Make } from '../support/make.ts'

export const CLIENTS = 64

/** One answer of a checkout, as far as a race needs it. */
export type Bought = { status: number; body: { orderId?: string; details?: { error: string }[] }; retryAfter: boolean }
export type Purchase = { body: object; token: string; url: string; key?: string | undefined }
type Shop = Awaited<ReturnType<Make['shop']>>

/** Sends all of it, `clients` at a time, each on a connection of its own, and answers in the same order. */
export async function buyAll(
  { path }: Pick<Shop, 'path'>,
  purchases: Iterable<Purchase>,
  clients = CLIENTS,
): Promise<Bought[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const answers: Bought[] = []
  const waiting = Iterator.from(purchases)
  let count = 0
  const buyer = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      const index = count++
      answers[index] = await send(agent, `${path}/orders/checkout`, next.value)
    }
  }
  try {
    await Promise.all(Array.from({ length: clients }, buyer))
  } finally {
    agent.destroy()
  }
  return answers
}

// Plain node:http: a third of the work of fetch, which here shares its cores with what is measured.
function send(agent: Agent, path: string, { url, token, body, key }: Purchase): Promise<Bought> {
  const payload = JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(payload),
    ...(key !== undefined && { 'idempotency-key': key }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () => {
        const retryAfter = response.headers['retry-after'] !== undefined
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Bought['body'], retryAfter })
      })
    })
    sent.on('error', reject)
    sent.end(payload)
  })
}

/** How many were sold, how many refused with each reason, and what should not have come at all. */
export function tally(answers: readonly Bought[]) {
  const refusals: Record<string, number> = {}
  for (const { status, body } of answers) {
    const reason = `${status} ${body.details?.[0]?.error ?? ''}`
    if (status !== 200) refusals[reason] = (refusals[reason] ?? 0) + 1
  }
  return {
    sold: answers.filter(({ status }) => status === 200).length,
    orders: new Set(answers.flatMap(({ body }) => body.orderId ?? [])).size,
    refusals,
    failed: answers.filter(({ status }) => status >= 500).length,
    askedToRetry: answers.filter(({ retryAfter }) => retryAfter).length,
  }
}
export type Tally = ReturnType<typeof tally>

/** What `cli verify` would find, as sentences. */
export async function findViolations(db: Cell): Promise<string[]> {
  // On a connection of its own: after a long race this reads more than a request may.
  const own = openDatabases({ control: db.address, cells: {} }, { max: 1, statementTimeoutMs: 600_000 })
  try {
    const findings = await verify(own.control)
    return findings.flatMap(({ check, violations }) =>
      violations.map((violation) => `${check}: ${JSON.stringify(violation)}`),
    )
  } finally {
    await own.close()
  }
}

type World = { make: Make; urls: readonly string[] }

const guests = async (make: Make, count: number) => {
  const tokens: string[] = []
  for (let made = 0; made < count; made++) tokens.push((await make.guest()).token)
  return (index: number) => tokens[index % tokens.length] as string
}

const FREE = [
  { marketId: 'us', price: 0 },
  { marketId: 'de', price: 0 },
]

/** A shop whose goods cost nothing, so that no payment page slows the race down, and `stock` of each variant. */
async function freeShop(make: Make, { products, stock }: { products: number; stock: number }) {
  const shop = await make.shop({ cell: 'main' })
  const made: Awaited<ReturnType<Make['product']>>[] = []
  for (let count = 0; count < products; count++) {
    const variant = { id: 'one', pricing: { markets: FREE }, inventory: { tracked: true, quantity: stock } }
    made.push(await make.product(shop, { variants: [variant] }))
  }
  return { shop, products: made, at: (index: number) => made[index] as (typeof made)[number] }
}

/** Many buyers, one article, not enough of it. */
export async function raceForStock({ make, urls }: World, { checkouts, stock }: { checkouts: number; stock: number }) {
  const { shop, at } = await freeShop(make, { products: 1, stock })
  const token = await guests(make, CLIENTS)
  const body = { market: 'us', items: [{ productId: at(0).id, variantId: 'one', quantity: 1 }] }
  const start = performance.now()
  const answers = await buyAll(
    shop,
    Array.from({ length: checkouts }, (_, index) => ({
      body,
      token: token(index),
      url: urls[index % urls.length] as string,
    })),
  )
  const seconds = (performance.now() - start) / 1000
  return { ...tally(answers), left: await at(0).stock(), seconds, violations: await findViolations(shop.db) }
}

export type Random = () => number

/** Carts of one to five lines over twenty articles, in any order, some naming an article twice. */
export async function raceCarts(
  { make, urls }: World,
  { carts, stock, random }: { carts: number; stock: number; random: Random },
) {
  const { shop, products } = await freeShop(make, { products: 20, stock })
  const token = await guests(make, CLIENTS)
  const whole = (below: number) => Math.floor(random() * below)
  const wanted = new Map<string, number>()
  const purchases = Array.from({ length: carts }, (_, index) => {
    const items = Array.from({ length: 1 + whole(5) }, () => ({
      productId: products[whole(products.length)]?.id ?? '',
      variantId: 'one',
      quantity: 1 + whole(3),
    }))
    return { body: { market: 'us', items }, token: token(index), url: urls[index % urls.length] as string }
  })
  const start = performance.now()
  const answers = await buyAll(shop, purchases)
  const seconds = (performance.now() - start) / 1000
  for (const [index, { body }] of purchases.entries()) {
    if (answers[index]?.status !== 200) continue
    for (const { productId, quantity } of body.items) wanted.set(productId, (wanted.get(productId) ?? 0) + quantity)
  }
  // What the buyers were told is what is gone.
  const wrong: string[] = []
  for (const { id, stock: read } of products) {
    const [left, sold] = [await read(), wanted.get(id) ?? 0]
    if (left < 0 || left + sold !== stock) wrong.push(`${id}: ${left} left, ${sold} sold, ${stock} in all`)
  }
  return { ...tally(answers), wrong, seconds, violations: await findViolations(shop.db) }
}

type PromoRace = {
  racers: number
  /** Each of them tries so often. */
  tries: number
  limits: { maxRedemptions?: number; maxPerCustomer?: number }
}

/** Everybody wants the code. Customers are told apart by the address that they type. */
export async function racePromo({ make, urls }: World, { racers, tries, limits }: PromoRace) {
  const { shop, at } = await freeShop(make, { products: 1, stock: racers * tries })
  const made = await shop.admin.post(`${shop.path}/promo-codes`, {
    code: 'RACE',
    type: 'PERCENT',
    value: 1_000,
    ...limits,
  })
  if (made.status !== 201) throw new Error(made.text)
  const token = await guests(make, CLIENTS)
  const purchases = Array.from({ length: racers * tries }, (_, index) => ({
    body: {
      market: 'us',
      promoCode: 'race',
      items: [{ productId: at(0).id, variantId: 'one', quantity: 1 }],
      blocks: [{ id: 'email', type: 'TEXT', value: `racer${Math.floor(index / tries)}@example.com` }],
    },
    token: token(index),
    url: urls[index % urls.length] as string,
  }))
  const answers = await buyAll(shop, purchases)
  const winners = new Set(answers.flatMap(({ status }, index) => (status === 200 ? Math.floor(index / tries) : [])))
  const { body } = await shop.admin.get(`${shop.path}/promo-codes/${made.body.id}`)
  return {
    ...tally(answers),
    winners: winners.size,
    redemptions: body.redemptions as number,
    violations: await findViolations(shop.db),
  }
}

/** Every key is sent several times at once, to every node: one order each, and all are told the same. */
export async function raceKeys({ make, urls }: World, { keys, copies }: { keys: number; copies: number }) {
  const { shop, at } = await freeShop(make, { products: 1, stock: keys * copies })
  const { token } = await make.guest()
  const body = { market: 'us', items: [{ productId: at(0).id, variantId: 'one', quantity: 1 }] }
  const purchases = Array.from({ length: keys * copies }, (_, index) => ({
    body,
    token,
    key: `key-${Math.floor(index / copies)}`,
    url: urls[index % urls.length] as string,
  }))
  const answers = await buyAll(shop, purchases)
  const told = Array.from({ length: keys }, (_, key) => {
    const mine = answers.slice(key * copies, (key + 1) * copies)
    return new Set(mine.map(({ status, body: { orderId } }) => `${status} ${orderId}`)).size
  })
  return {
    ...tally(answers),
    differentAnswers: told.filter((count) => count > 1).length,
    left: await at(0).stock(),
    violations: await findViolations(shop.db),
  }
}
