import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { Db } from '#platform/database/database.ts'
import { isDatabaseUnavailable } from '#platform/database/errors.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import type { BulkMailer, Delivery } from '#platform/mail/bulk.ts'
import {
  type Claimed,
  claim,
  finishDone,
  giveUpOwn,
  type Limits,
  MAX_ATTEMPTS,
  note,
  type Result,
} from './recipients.ts'
import { openTemplate } from './render.ts'
import type { SendRow } from './send.ts'
import { planSome, stopSend } from './start-send.ts'
import { unsubscribeUrl } from './token.ts'

/**
 * Mails of a cell that are under way in a process: as many may become uncertain when it dies. Not many more than there are
 * connections, or somebody who leaves meanwhile still gets one that waits in line.
 */
export const WINDOW = 30
const MAX_SENDS = 50
/** Of a send at a time, when there are many: one by one, each mail would cost as many statements as a batch. */
const MIN_SHARE = 10
const FIRST_WAIT_MS = 30_000
const MAX_WAIT_MS = 4 * 3_600_000
/** With every single result written at once, the database would have more to do than the mail server (measured). */
const GATHER_MS = 20
const NOTE_AGAIN_MS = 1_000
/** Then sends that have become due meanwhile get their turn. */
const MAX_RUN_MS = 5_000
const WAIT_MS = 250

export type DeliveryContext = {
  /** This process, as `sign` knows it. */
  sender: string
  mailer: BulkMailer
  /** The address that mails come from; their name is the business's. */
  from: string
  publicUrl: string
  box: SecretBox
  limits: Limits
  log: FastifyBaseLogger
}

export type Deliverer = ReturnType<typeof createDeliverer>

/**
 * Works off running sends, all of them side by side. Any number of processes may do this at the same time, each as a sender of its
 * own. Mails that take long hold up nobody else: they stay under way while others are taken up.
 */
export function createDeliverer(db: Db, context: DeliveryContext) {
  const inFlight = createGauge()
  const noteTogether = createNoter(db, context)
  const mails = new Map<string, Mail>()
  let failure: { error: unknown } | undefined

  /** Until there is nothing left that could be sent now, or its time is up. Answers how many mails it took up. */
  async function work(signal: AbortSignal): Promise<number> {
    // Nothing is under way: what still bears this name was claimed without anybody hearing of it, or could not be noted.
    if (inFlight.count() === 0) while ((await giveUpOwn(db, context.sender)) > 0);
    throwFailure()
    const until = performance.now() + MAX_RUN_MS
    let handled = 0
    while (!signal.aborted && !failure && performance.now() < until) {
      const sends = await listWithWork(db)
      for (const id of mails.keys()) if (!sends.some((send) => send.id === id)) mails.delete(id)
      const share = Math.max(MIN_SHARE, Math.floor(WINDOW / Math.max(1, sends.length)))
      let [taken, planned] = [0, 0]
      for (const send of sends) {
        if (!send.isPlanned) {
          if ((await planSome(db, send)) !== 'BUSY') planned++ // the others get their turn before the next batch
          continue
        }
        const room = Math.min(share, WINDOW - inFlight.count())
        if (room > 0) taken += await takeUp(send, room)
      }
      handled += taken
      if (taken + planned === 0) break
      // A claim is worth its round trips when there is room for some.
      await Promise.race([inFlight.fallTo(WINDOW / 2), sleep(WAIT_MS)])
    }
    await finishDone(db)
    throwFailure()
    return handled
  }

  async function takeUp(send: Running, room: number): Promise<number> {
    const mail = mails.get(send.id) ?? (await openMail(db, send, context))
    if (!mail) return 0
    mails.set(send.id, mail)
    const claimed = await claim(db, send, context.sender, room, context.limits)
    if (claimed.length > 0) await fault('deliver.claimed')
    for (const recipient of claimed) {
      inFlight.up()
      void deliverOne(context, mail, recipient)
        .then((result) => noteTogether(mail, result))
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(inFlight.down)
    }
    return claimed.length
  }

  function throwFailure(): void {
    const { error } = failure ?? {}
    failure = undefined
    if (error !== undefined) throw error
  }

  return {
    work,
    /** Waits until nothing is under way any more. */
    drain: () => inFlight.fallTo(0),
  }
}

/** All that can be sent now, to the end. */
export async function deliverAll(db: Db, context: DeliveryContext, signal: AbortSignal): Promise<number> {
  const deliverer = createDeliverer(db, context)
  let handled = 0
  try {
    for (let taken = -1; taken !== 0; handled += taken) {
      taken = await deliverer.work(signal)
      await deliverer.drain()
    }
  } finally {
    await deliverer.drain()
  }
  await finishDone(db)
  return handled
}

/** How many there are, and a way to wait until there are fewer. */
function createGauge() {
  let count = 0
  let waiting = { limit: 0, wake: () => {} }
  return {
    count: () => count,
    up: () => void count++,
    down() {
      if (--count <= waiting.limit) waiting.wake()
    },
    fallTo: (limit: number) =>
      new Promise<void>((wake) => {
        waiting = { limit, wake }
        if (count <= limit) wake()
      }),
  }
}

type Running = Pick<SendRow, 'businessId' | 'id' | 'isPlanned'>

/** Those that have waited longest come first: however many there are, each gets its turn. One that only waits takes nobody's place. */
const listWithWork = async (db: Db): Promise<Running[]> => {
  const { rows } = await sql<Running>`
    select business_id, id, is_planned
      from newsletter.sends
     where status = 'RUNNING'
       and (not is_planned
            or (select true from newsletter.recipients -- one look along the index, whatever is known of how many there are
                 where business_id = sends.business_id and send_id = sends.id and state = 'PLANNED' and due_at <= ${now()}
                 order by due_at, subscription_id
                 limit 1))
     order by updated_at, id
     limit ${MAX_SENDS}`.execute(db)
  return rows
}

type Mail = Pick<SendRow, 'businessId' | 'id' | 'fromName' | 'replyTo' | 'onUncertain'> & {
  render: ReturnType<typeof openTemplate>
}

/** One whose mail cannot be made is stopped, and somebody told: it must not keep the others from going out. */
async function openMail(db: Db, send: Running, { log }: DeliveryContext): Promise<Mail | undefined> {
  try {
    return await readMail(db, send)
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    log.error({ err: error, sendId: send.id }, 'the mail of a newsletter cannot be made')
    await transaction(db, (tx) => stopSend(tx, send, 'PAUSED', 'The mail cannot be made.'))
    return undefined
  }
}

async function readMail(db: Db, { businessId, id }: Running): Promise<Mail> {
  const row = await db
    .selectFrom('newsletter.sends')
    .select(['businessId', 'id', 'fromName', 'replyTo', 'onUncertain', 'subject', 'html', 'body'])
    .where((send) => send.and({ businessId, id }))
    .executeTakeFirstOrThrow()
  const { subject, html, body, ...mail } = row as SendRow
  return { ...mail, render: openTemplate({ subject: subject ?? '', html: html ?? '', text: body ?? '' }) }
}

/** Results that come shortly after one another are written together: one statement for many mails. */
function createNoter(db: Db, context: DeliveryContext) {
  const gathering = new Map<string, { results: Result[]; noted: Promise<void> }>()
  return (mail: Mail, result: Result): Promise<void> => {
    const batch = gathering.get(mail.id) ?? gather(mail)
    batch.results.push(result)
    return batch.noted
  }

  function gather(mail: Mail) {
    const results: Result[] = []
    const batch = { results, noted: write() }
    gathering.set(mail.id, batch)
    return batch

    async function write(): Promise<void> {
      await sleep(GATHER_MS)
      gathering.delete(mail.id)
      await insist(context, () => note(db, mail, context.sender, results))
      await fault('deliver.noted')
    }
  }
}

/** What was claimed is in nobody else's hands: however long the database is away. Nothing new is claimed meanwhile. */
async function insist<Value>({ log }: DeliveryContext, work: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
      log.warn({ err: error }, 'what becomes of mails cannot be noted yet')
      await sleep(NOTE_AGAIN_MS)
    }
  }
}

async function deliverOne(context: DeliveryContext, mail: Mail, recipient: Claimed): Promise<Result> {
  const { subscriptionId, email, name, status, isSuppressed } = recipient
  const done = (state: Result['state'], response: string): Result => ({ subscriptionId, state, response, dueAt: null })
  if (isSuppressed) return done('SUPPRESSED', 'The address is suppressed.')
  if (status !== 'ACTIVE') return done('SUPPRESSED', 'Not subscribed any more.')

  const { mailer, from, publicUrl, box } = context
  const leave = unsubscribeUrl(publicUrl, box, { businessId: mail.businessId, id: subscriptionId })
  try {
    const delivery = await mailer.deliver({
      ...mail.render({ name, email, unsubscribeUrl: leave }),
      to: email,
      from: { name: mail.fromName ?? '', address: from },
      replyTo: mail.replyTo ?? undefined,
      messageId: messageIdOf(mail, subscriptionId, publicUrl),
      headers: { 'List-Unsubscribe': `<${leave}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    })
    await fault('deliver.delivered')
    return toResult(recipient, mail, delivery)
  } catch (error) {
    context.log.error({ err: error, sendId: mail.id }, 'a mail could not be made')
    return done('FAILED', 'The mail could not be made.')
  }
}

/** The same for the same recipient of the same send, however often it is tried. Names all that a bounce must lead back to. */
export const messageIdOf = ({ businessId, id }: Running | Mail, subscriptionId: string, publicUrl: string) =>
  `<newsletter.${businessId}.${id}.${subscriptionId}@${new URL(publicUrl).hostname}>`

function toResult({ subscriptionId, attempts }: Claimed, { onUncertain }: Mail, delivery: Delivery): Result {
  const { outcome } = delivery
  const response = delivery.response.slice(0, 500)
  const done = (state: Result['state']): Result => ({ subscriptionId, state, response, dueAt: null })
  if (outcome === 'SENT') return done('SENT')
  if (outcome === 'UNCERTAIN' && onUncertain === 'SKIP') return done('UNCERTAIN')
  if (outcome === 'REFUSED' || attempts >= MAX_ATTEMPTS) return done(outcome === 'UNCERTAIN' ? 'UNCERTAIN' : 'FAILED')
  // Half a minute, two, eight …: a server that is busy, or away, is left alone for longer each time, and is asked for days.
  const waitMs = Math.min(FIRST_WAIT_MS * 4 ** (attempts - 1), MAX_WAIT_MS) * (0.75 + Math.random() / 2)
  return { subscriptionId, state: 'PLANNED', response, dueAt: new Date(nowMs() + waitMs) }
}
