import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { StripeTwin } from '../../twins/stripe/server.ts'
import type { Make } from '../support/make.ts'
import { openNewsletter } from '../support/newsletter-api.ts'

const MAX_ANSWER_MS = 20_000
const MAX_TRIES_MS = 90_000
const STOCK = 1_000_000

type LoadOptions = {
  make: Make
  twin: StripeTwin
  /** Where the next request goes. */
  url: () => string
  clients: number
  /** Gets no second chance: whatever is not answered as it should be counts as failed. */
  isStrict?: boolean
  /** Between two requests of a client. */
  pauseMs?: number
  /** A shop with orders that were filled in, up to this id; otherwise they open one. */
  at?: { shop: Awaited<ReturnType<Make['shop']>>; filledTo: string }
}
// oxlint-disable-next-line typescript/no-explicit-any -- bodies of many routes
type Reply = { status: number; body: any }
type Sent = { method: string; path: string; as: Record<string, string>; body?: unknown; key?: string }

export type MixedLoad = Awaited<ReturnType<typeof startMixedLoad>>

/**
 * Callers who buy, pay, rename, count stock, write entries, subscribe and read, and who note down what they were told. One who gets no
 * answer asks again with the same key, as a good client does.
 */
export async function startMixedLoad(options: LoadOptions) {
  const { make, twin, url, clients, isStrict = false, pauseMs = 20 } = options
  const { shop, filledTo } = options.at ?? { shop: await make.shop({ cell: 'second' }), filledTo: '' }
  const variant = (price: number) => ({
    id: 'one',
    pricing: { markets: [{ marketId: 'us', price }] },
    inventory: { tracked: true, quantity: STOCK },
  })
  const free = await make.product(shop, { variants: [variant(0)] })
  const dear = await make.product(shop, { variants: [variant(1_000)] })
  const counted = await make.product(shop, { variants: [variant(1_000)] })
  const named = await Promise.all(Array.from({ length: clients }, () => make.product(shop)))
  const newsletter = await openNewsletter(make, { cell: 'second' })
  const owner = { 'x-api-key': (await make.apiKey(shop.admin.id, shop.id)).value }
  const editor = { 'x-api-key': (await make.apiKey(newsletter.admin.id, newsletter.id)).value }
  const shopper = { authorization: `Bearer ${(await make.user()).token}` }

  const ledger = {
    orders: new Map<string, string>(),
    paid: new Set<string>(),
    movements: new Map<string, string>(),
    entries: new Map<string, string>(),
    readers: new Set<string>(),
    names: new Map<string, string>(),
  }
  const failures: string[] = []
  const seconds: number[] = []
  let answered = 0
  let repeated = 0
  let isOver = false
  const agent = new Agent({ keepAlive: true, maxSockets: clients })

  function once({ method, path, as, body, key }: Sent): Promise<Reply> {
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      ...as,
      ...(key && { 'idempotency-key': key }),
      ...(payload !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(payload),
      }),
    }
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(MAX_ANSWER_MS)
      const sent = request(url() + path, { method, agent, headers, signal }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parse(text) }))
      })
      sent.on('error', reject)
      sent.end(payload)
    })
  }

  /** The answer, if need be after many tries; undefined when there is none, which is noted. */
  async function send(what: Sent): Promise<Reply | undefined> {
    const start = performance.now()
    for (;;) {
      const begun = performance.now()
      const reply = await once(what).catch((error: Error) => error)
      const isError = reply instanceof Error
      if (!isError && reply.status < 300) {
        answered++
        seconds.push((performance.now() - begun) / 1000)
        return reply
      }
      const isStillRunning = !isError && reply.body?.details?.[0]?.error === 'STILL_RUNNING'
      const mayRepeat = isError || reply.status >= 500 || isStillRunning
      if (isStrict || !mayRepeat || performance.now() - start > MAX_TRIES_MS) {
        const said = isError ? reply.message : `${reply.status} ${JSON.stringify(reply.body)}`
        failures.push(`${what.method} ${what.path}: ${said}`)
        return undefined
      }
      repeated++
      await sleep(100)
    }
  }

  const cart = ({ id }: { id: string }) => ({ market: 'us', items: [{ productId: id, variantId: 'one', quantity: 1 }] })
  const checkout = async (of: { id: string }) => {
    const key = randomUUID()
    const reply = await send({ method: 'POST', path: `${shop.path}/orders/checkout`, as: shopper, key, body: cart(of) })
    if (reply) ledger.orders.set(key, reply.body.orderId)
    return reply
  }
  const steps: ((client: number, turn: number) => Promise<unknown>)[] = [
    () => checkout(free),
    () => send({ method: 'GET', path: `${shop.products}?limit=10`, as: owner }),
    async () => {
      const reply = await checkout(dear)
      const pageId = String(reply?.body.checkoutUrl).split('/').at(-1) ?? ''
      const page = twin.sessions().find(({ id }) => id === pageId)
      if (!reply || page?.status !== 'open') return
      twin.pay(pageId)
      ledger.paid.add(reply.body.orderId)
    },
    async (client, turn) => {
      const { path } = named[client] ?? free
      const name = `Name ${client}.${turn}`
      if (await send({ method: 'PUT', path, as: owner, body: { name } })) ledger.names.set(path, name)
    },
    () => send({ method: 'GET', path: free.path, as: owner }),
    async () => {
      const key = randomUUID()
      const path = `${counted.path}/variants/one/stock`
      const reply = await send({ method: 'POST', path, as: owner, key, body: { delta: -1 } })
      if (reply) ledger.movements.set(key, reply.body.id)
    },
    async (client, turn) => {
      const key = randomUUID()
      const blocks = [
        { id: 'title', type: 'TEXT', value: `Title ${client}.${turn}` },
        { id: 'body', type: 'TEXT', value: 'Words' },
      ]
      const body = { collectionId: newsletter.collection.id, blocks }
      const reply = await send({ method: 'POST', path: `${newsletter.path}/entries`, as: editor, key, body })
      if (reply) ledger.entries.set(key, reply.body.id)
    },
    async (client, turn) => {
      const email = `reader-${client}-${turn}@load.example`
      const path = `${newsletter.collection.path}/subscribe`
      if (await send({ method: 'POST', path, as: shopper, body: { email } })) ledger.readers.add(email)
    },
  ]

  const running = Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let turn = client; !isOver; turn++) {
        await steps[turn % steps.length]?.(client, turn)
        await sleep(pauseMs)
      }
    }),
  )

  const rows = async (query: ReturnType<typeof sql<{ id: string }>>, db = shop.db) =>
    (await query.execute(db)).rows.map(({ id }) => id)

  return {
    shop,
    failures,
    seconds,
    answered: () => answered,
    repeated: () => repeated,
    writes: () => ledger.orders.size + ledger.movements.size + ledger.entries.size + ledger.readers.size,
    /** Lets everybody finish what they are at. */
    async stop() {
      isOver = true
      await running
      agent.destroy()
    },
    /** Orders that were paid and do not know it yet: their events are on the way, or the sweep will ask. */
    async unpaid(): Promise<number> {
      const settled = new Set(
        await rows(
          sql`select id from orders.orders where business_id = ${shop.id} and id > ${filledTo} and payment_status = 'PAID'`,
        ),
      )
      return [...ledger.paid].filter((id) => !settled.has(id)).length
    },
    /** What was acknowledged and is not there, and what is there more often than it was acknowledged. */
    async compare() {
      const orders = await rows(sql`
        select id from orders.orders where business_id = ${shop.id} and id > ${filledTo}`)
      const movements = await rows(sql`
        select number::text as id from catalog.stock_movements
         where business_id = ${shop.id} and product_id = ${counted.id} and delta = -1`)
      const entries = await rows(sql`select id from content.entries where business_id = ${newsletter.id}`)
      const readers = await rows(sql`
        select email as id from newsletter.subscriptions where business_id = ${newsletter.id}`)
      const lost = [
        ...missing('order', ledger.orders.values(), orders),
        ...missing('entry', ledger.entries.values(), entries),
        ...missing('subscription', ledger.readers, readers),
      ]
      const sums: [string, number, number][] = [
        ['orders', orders.length, ledger.orders.size],
        ['orders, by their ids', new Set(ledger.orders.values()).size, ledger.orders.size],
        ['movements of stock', movements.length, ledger.movements.size],
        ['stock', STOCK - (await counted.stock()), ledger.movements.size],
        ['entries', entries.length, ledger.entries.size],
        ['subscriptions', readers.length, ledger.readers.size],
      ]
      const doubled: string[] = []
      // Who gave up without an answer cannot know: these are counted as failures, and are neither lost nor doubled.
      for (const [what, there, told] of sums) {
        if (there < told) lost.push(`${what}: ${there} of ${told}`)
        if (there > told + failures.length) doubled.push(`${what}: ${there} instead of ${told}`)
      }
      for (const [path, name] of ledger.names) {
        const { body } = await shop.admin.get(path)
        if (body.name !== name) lost.push(`${name}: it is ${body.name}`)
      }
      return { lost, doubled }
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function missing(what: string, told: Iterable<string>, there: readonly string[]): string[] {
  const known = new Set(there)
  return [...told].filter((id) => !known.has(id)).map((id) => `${what} ${id}`)
}
