import assert from 'node:assert/strict'
import { sql } from 'kysely'
import pino from 'pino'
import { markCustomers } from '#modules/customers/index.ts'
import { createDailyLimits, createDeliverer, deliverAll, recordHeartbeat, startDue } from '#modules/newsletter/index.ts'
import { type Purpose, tokenOf } from '#modules/newsletter/subscriptions/token.ts'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { createBulkMailer } from '#platform/mail/bulk.ts'
import { newId } from '#vocabulary/ids.ts'
import type { Answer, Client } from './client.ts'
import type { Make } from './make.ts'
import type { TestApi } from './start-api.ts'

export type Newsletter = Awaited<ReturnType<typeof openNewsletter>>
export type SendWorker = ReturnType<typeof createSendWorker>

/** Two that are free, two that are not. */
export const PLANS = [
  { id: 'free', name: 'Free' },
  { id: 'friend', name: 'Friend', price: { amount: 0, currency: 'eur', interval: 'MONTHLY' } },
  { id: 'monthly', name: 'Monthly', price: { amount: 500, currency: 'eur', interval: 'MONTHLY' } },
  { id: 'yearly', name: 'Yearly', price: { amount: 5_000, currency: 'eur', interval: 'YEARLY' } },
]
const TITLE = { id: 'title', type: 'TEXT', required: true }
const BODY = { id: 'body', type: 'TEXT', required: true }

type Poster = Pick<Client, 'post'>
type Opened = Awaited<ReturnType<Make['business']>>
type NewsletterOptions = { cell?: string; contactEmail?: string; business?: Opened; [field: string]: unknown }

let count = 0

/** A business (a new one, unless given) and its newsletter, PUBLISHED and without plans unless told; `owner` is a key, which lasts however the clock is moved. */
export async function openNewsletter(
  make: Make,
  { cell, contactEmail, business: known, ...fields }: NewsletterOptions = {},
) {
  const business = known ?? (await make.business(cell === undefined ? {} : { cell }))
  const { admin, path, db, id: businessId } = business
  if (contactEmail !== undefined) expect(200, await admin.put(path, { contactEmail }))
  const owner = await make.apiKey(admin.id, businessId)
  const name = `Letters ${++count}`
  const collection = { name, type: 'NEWSLETTER', blocks: [TITLE, BODY], statuses: [{ status: 'PUBLISHED' }], ...fields }
  const made = expect(201, await admin.post(`${path}/collections`, collection))
  const at = `${path}/collections/${made.id}`

  const row = (email: string) =>
    db
      .selectFrom('newsletter.subscriptions')
      .selectAll()
      .where((row) => row.and({ businessId, collectionId: made.id, emailKey: email.toLowerCase() }))
      .executeTakeFirstOrThrow()

  return {
    ...business,
    owner,
    collection: { id: made.id as string, name: made.name as string, path: at },
    subscribe: (caller: Poster, body: object, headers?: Record<string, string>) =>
      caller.post(`${at}/subscribe`, body, headers),
    /** A subscription as the API answers it. */
    subscribed: async (caller: Poster, body: object) => expect(201, await caller.post(`${at}/subscribe`, body)),
    unsubscribe: (token: string, body: object = {}, caller: Poster = make.anonymous()) =>
      caller.post(`${path}/collections/unsubscribe`, { token, ...body }),
    subscribers: async (query = '') => expect(200, await owner.get(`${at}/subscribers?limit=100${query}`)).items,
    /** What the address has: `ACTIVE monthly`. */
    async state(email: string): Promise<string> {
      const { items } = expect(200, await owner.get(`${at}/subscribers?email=${encodeURIComponent(email)}`))
      return items
        .map((item: { status: string; planId?: string }) => [item.status, item.planId].join(' ').trim())
        .join()
    },
    row,
    /** As it stands in mails. */
    tokenOf: async (email: string, purpose: Purpose = 'leave') => tokenOf(make.box, await row(email), purpose),
    /** Makes subscribers by SQL; answers their addresses. */
    fill: (number: number, domain = 'readers.example') => fill(db, businessId, made.id, number, domain),
    /** An entry that could be sent. */
    async entry(blocks: object[] = letter(), fields: object = {}) {
      const body = { collectionId: made.id, blocks, ...fields }
      const entry = expect(201, await admin.post(`${path}/entries`, body))
      return { id: entry.id as string, path: `${path}/entries/${entry.id}` }
    },
    /** Asks for an entry to be sent; answers the send and where it is. */
    async send(entry: { path: string }, body: object = {}) {
      const send = expect(202, await owner.post(`${entry.path}/send`, body))
      return watchSend(db, owner, `${entry.path}/sends/${send.id}`, send.id)
    },
    /** What the business was told about it, oldest first. */
    async eventsOf(subject: string): Promise<string[]> {
      const { rows } = await sql<{ type: string }>`
        select type from cell.event_outbox where business_id = ${businessId} and subject = ${subject} order by position`.execute(
        db,
      )
      return rows.map(({ type }) => type)
    },
  }
}

export const letter = (title = 'Spring is here', body = 'Dear {{ subscriber.name }}, the boats are out.') => [
  { ...TITLE, value: title },
  { ...BODY, value: body },
]

function expect(status: number, answer: Answer) {
  assert.equal(answer.status, status, answer.text)
  return answer.body
}

async function fill(db: Db, businessId: string, collectionId: string, number: number, domain: string) {
  const rows = Array.from({ length: number }, (_, index) => {
    const email = `reader${index + 1}@${domain}`
    return {
      businessId,
      id: newId('sub'),
      collectionId,
      email,
      emailKey: email,
      name: `Reader ${index + 1}`,
      status: 'ACTIVE',
      activatedAt: now(),
      createdAt: now(),
      updatedAt: now(),
    }
  })
  await db.insertInto('newsletter.subscriptions').values(rows).execute()
  return rows.map(({ email }) => email)
}

const COUNTERS = ['sent', 'failed', 'suppressed', 'uncertain', 'planned'] as const

function watchSend(db: Db, owner: Client, path: string, id: string) {
  const get = async () => {
    const send = expect(200, await owner.get(path))
    const sum = COUNTERS.reduce((total, name) => total + send[name], 0)
    assert.equal(sum, send.total, 'the counters add up')
    return send
  }
  return {
    id,
    path,
    get,
    /** `RUNNING sent 2 planned 1`: what is 0 is left out. */
    async state(): Promise<string> {
      const send = await get()
      const counters = COUNTERS.filter((name) => send[name] > 0).map((name) => `${name} ${send[name]}`)
      return [send.status, ...counters].join(' ')
    },
    move: (to: 'pause' | 'resume' | 'cancel') => owner.post(`${path}/${to}`, undefined),
    recipients: () => db.selectFrom('newsletter.recipients').selectAll().where('sendId', '=', id).execute(),
  }
}

type SendWorkerOptions = {
  smtpUrl: string
  sender?: string
  perSecond?: number
  perSecondOfBusiness?: number
  connections?: number
  /** How long the mail server may take. */
  answerSeconds?: number
}

/** What the worker does to send newsletters, once and now. */
export function createSendWorker({ services, config }: TestApi, options: SendWorkerOptions) {
  const { smtpUrl, sender = newId('snr'), perSecond, perSecondOfBusiness, connections = 5, answerSeconds } = options
  const mailer = createBulkMailer(smtpUrl, { connections, answerSeconds })
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const { publicUrl } = config
  const limits = { perSecond, perSecondOfBusiness }
  const context = {
    sender,
    mailer,
    from: 'letters@kontor.example',
    publicUrl,
    box: services.box,
    limits,
    markCustomers,
    findDailyLimit: createDailyLimits(services.databases.control),
    log,
  }
  return {
    sender,
    lines,
    open: (db: Db) => createDeliverer(db, context),
    start: (db: Db) => startDue(services.databases.control, db, publicUrl, log),
    deliver: (db: Db, signal = new AbortController().signal) => deliverAll(db, context, signal),
    async run(db: Db): Promise<number> {
      await recordHeartbeat(db, sender)
      await this.start(db)
      return this.deliver(db)
    },
    close: () => mailer.close(),
  }
}
