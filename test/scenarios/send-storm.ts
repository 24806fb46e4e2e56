import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { WINDOW } from '#modules/newsletter/sending/deliver.ts'
import type { Db } from '#platform/database/database.ts'
import { type Child, startChild } from '../support/child.ts'
import { createMake } from '../support/make.ts'
import { letter, type Newsletter, openNewsletter } from '../support/newsletter-api.ts'
import { type Manners, openRoughServer, type Stage } from '../support/rough-smtp.ts'
import { market } from '../support/shop.ts'
import { startApi } from '../support/start-api.ts'
import { until } from '../support/until.ts'

export const STATES = ['SENT', 'FAILED', 'SUPPRESSED', 'UNCERTAIN', 'PLANNED', 'SENDING'] as const
type State = (typeof STATES)[number]

export type SendWorld = Awaited<ReturnType<typeof openSendWorld>>

/** An API, a mail server in this process that remembers which mails it took, and as many workers as are started. */
export async function openSendWorld({ manners }: { manners?: Manners } = {}) {
  const server = await openRoughServer()
  if (manners) server.behave(manners)
  const mail = { SMTP_URL: server.url, MAIL_FROM: 'Letters <letters@kontor.example>' }
  const api = await startApi({ env: mail })
  const make = createMake(api)
  const workers = new Set<Child>()
  const accepted = new Map<string, number>()
  const listeners = new Set<(content: string) => void>()
  return {
    api,
    make,
    /** What a worker is told of the mail server. */
    mail,
    open: () => openNewsletter(make, { cell: 'main' }),
    /** How often each Message-ID was taken. The mails themselves are not kept: there may be very many. */
    accepted() {
      for (const { content } of server.taken.splice(0)) {
        const id = /^message-id:\s*(\S+)/im.exec(content)?.[1] ?? '' // a long one stands on a line of its own
        accepted.set(id, (accepted.get(id) ?? 0) + 1)
        for (const listener of listeners) listener(content)
      }
      return accepted
    },
    /** Called with each mail, as it came, when `accepted` looks. */
    listen: (listener: (content: string) => void) => void listeners.add(listener),
    /** The real one, which sends up to so many mails a second, if told. */
    async work({ perSecond = 100_000 } = {}) {
      const rates = { NEWSLETTER_RATE: String(perSecond), NEWSLETTER_BUSINESS_RATE: String(perSecond) }
      const worker = await startChild('worker', { ...mail, ...rates, DATABASE_URL: api.databases.main.url })
      workers.add(worker)
      void worker.exited.then(() => workers.delete(worker))
      return worker
    },
    stopWorkers: () => Promise.all([...workers].map((worker) => worker.stop())),
    async close() {
      await Promise.all([...workers].map((worker) => worker.kill()))
      await api.close()
      await server.close()
    },
  }
}

/**
 * Subscribers straight into the table: as many as one likes, within seconds. With `usUntil`, readers up to it are of one
 * market, the others of another.
 */
export async function fillSubscribers(
  db: Db,
  { id, collection }: Newsletter,
  number: number,
  usUntil?: number,
): Promise<void> {
  const step = 20_000 // each within the time that a statement may take
  for (let from = 1; from <= number; from += step) {
    await sql`
      insert into newsletter.subscriptions
             (business_id, id, collection_id, email, email_key, name, status, activated_at, created_at, updated_at, market)
      select ${id}, 'sub_' || lpad(n::text, 26, '0'), ${collection.id}, email, email, 'Reader ' || n, 'ACTIVE',
             now(), now(), now(), case when n <= ${usUntil ?? null}::int then 'us' when n > ${usUntil ?? null}::int then 'de' end
        from generate_series(${from}::int, ${Math.min(number, from + step - 1)}::int) as n,
             lateral (select 'reader' || n || '@readers.example' as email) as address`.execute(db)
  }
}

/** Of a thousand mails some ten are turned down for now, and some three times it hangs up; the same for the same seed. */
export function roughManners(seed: number) {
  let state = seed
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
  const count = { deferred: 0, dropped: 0, droppedAfterContent: 0 }
  const manners: Manners = (stage) => {
    const chance = random()
    if (chance < 0.0005) {
      count.dropped++
      if (AFTER_CONTENT.has(stage)) count.droppedAfterContent++
      return { and: 'DROP' }
    }
    if (chance > 0.997 && TURNS_DOWN.has(stage)) {
      count.deferred++
      return { say: '451 4.3.0 Not now' }
    }
    return undefined
  }
  return { manners, count }
}
const AFTER_CONTENT: ReadonlySet<Stage> = new Set(['CONTENT', 'END', 'TAKEN'])
const TURNS_DOWN: ReadonlySet<Stage> = new Set(['MAIL', 'RCPT', 'DATA', 'END'])

export type StormReport = {
  status: string
  seconds: number
  /** Until all but what had to wait (for a second try, or for the dead) was sent. */
  busySeconds: number
  total: number
  states: Record<State, number>
  /** As the API tells them. */
  counters: Record<string, number>
  accepted: number
  /** Message-IDs that the server took more than once. */
  duplicates: string[]
  /** Mails that the server took, of recipients who are neither SENT nor UNCERTAIN. */
  unaccounted: string[]
  /** Recipients who are SENT, of whom the server has no mail. */
  missing: string[]
  /** Mails that do not show the product at the price of their market, or whose link to it is not counted. */
  incomplete: number
  /** Recipients whom the conditions leave out. */
  unwanted: number
  /** How many a killed process left behind, kill by kill as it happened. */
  left: number[]
  deferred: number
  dropped: number
  droppedAfterContent: number
  /** More than this cannot be uncertain: what a killed process had under way, and what the server did not answer. */
  maxUncertain: number
}

type StormOptions = {
  recipients: number
  kills: number
  seed: number
  perSecond?: number
  withinMs: number
  note?: (text: string) => void
}

const PRODUCT = { id: 'boat', type: 'RELATIONSHIP', settings: { targetType: 'PRODUCT' } }
const LEFT_OUT = 10

/** A letter that shows a product, counts clicks, and goes to the readers of one of two markets. */
async function openRich({ make }: SendWorld, recipients: number) {
  const blocks = [{ id: 'title', type: 'TEXT' }, { id: 'body', type: 'TEXT' }, PRODUCT]
  const newsletter = await openNewsletter(make, { cell: 'main', blocks, countClicks: true })
  const { admin, path, db } = newsletter
  const { status, text } = await admin.put(path, {
    markets: [market(), market({ id: 'de', name: 'Germany', currency: 'EUR' })],
    allowedOrigins: ['https://shop.example'],
    storefront: { productUrl: 'https://shop.example/p/{slug}' },
  })
  if (status !== 200) throw new Error(text)
  const prices = [
    { marketId: 'us', price: 1_999 },
    { marketId: 'de', price: 2_499 },
  ]
  const variants = [{ id: 'one', pricing: { markets: prices } }]
  const boat = await make.product({ admin, products: `${path}/products` }, { name: 'Boat', slug: 'boat', variants })
  await fillSubscribers(db, newsletter, recipients + LEFT_OUT, recipients)
  const entry = await newsletter.entry([...letter(), { ...PRODUCT, value: boat.id }])
  return { newsletter, entry, conditions: [{ field: 'market', values: ['us'] }] }
}

/** With its sign: a price alone is easily found in the proof of a link. */
const isComplete = (content: string) => {
  const text = content.replaceAll('=\r\n', '')
  return /\$19\.99/.test(text) && !/=E2=82=AC(=C2=A0)?24[.,]99/.test(text) && /\/newsletters\/go\//.test(text)
}

/**
 * Two workers send one newsletter over real SMTP to a server that drops connections and turns mails down at random, while one of
 * them is killed again and again in the middle of it, and started again. Tells what became of every recipient.
 */
export async function sendStorm(options: StormOptions): Promise<StormReport> {
  const { recipients, kills, seed, perSecond, withinMs, note = () => {} } = options
  const { manners, count } = roughManners(seed)
  const world = await openSendWorld({ manners })
  const limit = perSecond === undefined ? {} : { perSecond }
  const stopping = new AbortController()
  try {
    const { newsletter, entry, conditions } = await openRich(world, recipients)
    const { db } = newsletter
    let incomplete = 0
    world.listen((content) => {
      if (!isComplete(content)) incomplete++
    })
    await world.work(limit) // the one that lives
    const known = new Set([await newSender(db, new Set())])
    let victim = await world.work(limit)
    const send = await newsletter.send(entry, { conditions })
    const start = performance.now()
    const since = () => (performance.now() - start) / 1000
    const hurrying = hurry(db, stopping.signal)
    const busy = until('most are sent', () => world.accepted().size > recipients * 0.95, { withinMs }).then(since)
    busy.catch(() => {}) // then there is a better reason

    const left: number[] = []
    for (let turn = 1; turn <= kills; turn++) {
      const due = (recipients * turn) / (kills + 2)
      await until('it is time for the next kill', () => world.accepted().size >= due, { withinMs })
      left.push(await killInTheMiddle(db, victim, known))
      note(`kill ${turn} of ${kills} after ${world.accepted().size} mails: ${left.at(-1)} were under way`)
      victim = await world.work(limit)
    }
    const { status } = await until(
      'everybody has a final state',
      async () => {
        const current = await send.get()
        return current.status === 'DONE' && current
      },
      { withinMs, everyMs: 200 },
    )
    const seconds = since()
    stopping.abort()
    await hurrying
    await world.stopWorkers() // whatever they still had to say is said

    const rows = await db
      .selectFrom('newsletter.recipients')
      .select(['subscriptionId', 'state'])
      .where('sendId', '=', send.id)
      .execute()
    const accepted = world.accepted()
    const { total, sent, failed, suppressed, uncertain, planned } = await send.get()
    return {
      status,
      seconds,
      busySeconds: await busy,
      total,
      counters: { sent, failed, suppressed, uncertain, planned },
      ...judge(rows as Recipient[], accepted),
      incomplete,
      unwanted: rows.filter(({ subscriptionId }) => Number(subscriptionId.slice(4)) > recipients).length,
      left,
      ...count,
      maxUncertain: kills * WINDOW + count.droppedAfterContent,
    }
  } finally {
    stopping.abort()
    await world.close()
  }
}

type Recipient = { subscriptionId: string; state: State }

function judge(rows: readonly Recipient[], accepted: ReadonlyMap<string, number>) {
  const stateOf = new Map(rows.map(({ subscriptionId, state }) => [subscriptionId, state]))
  const reached = new Set([...accepted.keys()].map((messageId) => /\.([^.]+)@/.exec(messageId)?.[1] ?? messageId))
  const isAccounted = (id: string) => ['SENT', 'UNCERTAIN'].includes(stateOf.get(id) ?? '')
  return {
    states: Object.fromEntries(
      STATES.map((state) => [state, rows.filter((row) => row.state === state).length]),
    ) as Record<State, number>,
    accepted: accepted.size,
    duplicates: [...accepted].filter(([, times]) => times > 1).map(([messageId]) => messageId),
    unaccounted: [...reached].filter((id) => !isAccounted(id)),
    missing: rows.flatMap(({ subscriptionId, state }) =>
      state === 'SENT' && !reached.has(subscriptionId) ? subscriptionId : [],
    ),
  }
}

const newSender = (db: Db, known: ReadonlySet<string>): Promise<string> =>
  until('a new worker has given its name', async () => {
    const rows = await db.selectFrom('newsletter.senders').select('id').execute()
    return rows.find(({ id }) => !known.has(id))?.id
  })

/** Kills the worker whose name is not known yet while it has mails under way; answers how many. */
async function killInTheMiddle(db: Db, victim: Child, known: Set<string>): Promise<number> {
  const name = await newSender(db, known)
  known.add(name)
  const busy = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*) from newsletter.recipients where state = 'SENDING' and sender = ${name}`.execute(db)
    return rows[0]?.count
  }
  await until('the worker is sending', busy, { everyMs: 5 })
  await victim.kill()
  return (await busy()) ?? 0
}

/** What has to wait for its next try does not wait for long: hours pass in no time. */
async function hurry(db: Db, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sql`
      update newsletter.recipients set due_at = now()
       where state = 'PLANNED' and due_at > now()`.execute(db)
    await sleep(500, undefined, { signal }).catch(() => {})
  }
}
