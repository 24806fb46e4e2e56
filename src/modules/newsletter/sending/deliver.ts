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
import { isHere } from '#platform/moves/fence.ts'
import type { ShownGoods } from '../automations/occasions.ts'
import { readGoods } from '../automations/read-goods.ts'
import { clicksChoiceUrlOf, clicksUrlOf, openUrlOf } from '../clicks/counted-link.ts'
import { openTemplate } from '../mail/render.ts'
import type { MarkCustomers } from '../segments/matching-readers.ts'
import { unsubscribeUrl } from '../subscriptions/token.ts'
import type { SendMeter } from './measure-sends.ts'
import { planRecipients } from './plan-recipients.ts'
import {
  abandonOwnClaims,
  type Claimed,
  claimRecipients,
  countToday,
  finishSends,
  isFinished,
  isSending,
  type Limits,
  MAX_ATTEMPTS,
  type Result,
  saveResults,
} from './recipients.ts'
import type { SendRow } from './send.ts'
import { stopSend } from './start-send.ts'

/**
 * Mails in flight per cell and process: as many may become uncertain when it dies. Not many more than there are
 * connections, because a mail that waits in line still goes to somebody who unsubscribes meanwhile.
 */
export const WINDOW = 30
const MAX_SENDS = 50
/** The smallest batch of a send when there are many sends: single mails would cost as many statements as batches. */
const MIN_SHARE = 10
const FIRST_WAIT_MS = 30_000
const MAX_WAIT_MS = 4 * 3_600_000
/**
 * Results are collected for this long: written one by one, they would load the database more than the mail server
 * (measured).
 */
const GATHER_MS = 20
const NOTE_AGAIN_MS = 1_000
/** Then newly due sends get their turn. */
const MAX_RUN_MS = 5_000
const WAIT_MS = 250
const HELD_MS = 5_000

export type DeliveryContext = {
  /** Id of this process in `newsletter.senders`. */
  sender: string
  mailer: BulkMailer
  /** The sender's address; its display name is the business's. */
  from: string
  publicUrl: string
  box: SecretBox
  limits: Limits
  /** How many letters a day the operator lets this business send; undefined: as many as it likes. */
  findDailyLimit?: (businessId: string) => Promise<number | undefined>
  /** Told of letters that were handed over. */
  noteSent?: (businessId: string, count: number) => void
  /** What readers are as customers, for sends with conditions. */
  markCustomers: MarkCustomers
  meter?: SendMeter | undefined
  log: FastifyBaseLogger
}

export type Deliverer = ReturnType<typeof createDeliverer>

/**
 * Delivers all running sends concurrently. Any number of processes may do this, each under its own sender id. Slow
 * mails block nobody: they stay in flight while others are claimed.
 */
export function createDeliverer(db: Db, context: DeliveryContext) {
  const inFlight = createGauge()
  const noteTogether = createResultWriter(db, context)
  const mails = new Map<string, Mail>()
  /** Businesses that may send no more today, and when that is looked at again: the limit may have been raised. */
  const held = new Map<string, number>()
  let failure: { error: unknown } | undefined

  /** Runs until nothing can be sent now, or its time is up. Returns how many mails it claimed. */
  async function work(signal: AbortSignal): Promise<number> {
    // Nothing is in flight here, so claims under this id got lost: their answer never arrived, or their result could
    // not be written.
    if (inFlight.count() === 0) while ((await abandonOwnClaims(db, context.sender)) > 0);
    throwFailure()
    const until = performance.now() + MAX_RUN_MS
    let handled = 0
    while (!signal.aborted && !failure && performance.now() < until) {
      const sends = await listWithWork(db)
      context.meter?.due(sends.length)
      for (const id of mails.keys()) if (!sends.some((send) => send.id === id)) mails.delete(id)
      const share = Math.max(MIN_SHARE, Math.floor(WINDOW / Math.max(1, sends.length)))
      let [taken, planned] = [0, 0]
      for (const send of sends) {
        if (!send.isPlanned) {
          if ((await planRecipients(db, send, context.markCustomers)) !== 'BUSY') planned++ // other sends get their turn before the next batch
          continue
        }
        const room = Math.min(share, WINDOW - inFlight.count())
        if (room > 0 && !isHeld(send.businessId)) taken += await takeUp(send, room)
      }
      handled += taken
      if (taken + planned === 0) break
      // Waits until a claim of several mails fits: a single one is not worth its round trips.
      await Promise.race([inFlight.fallTo(WINDOW / 2), sleep(WAIT_MS)])
    }
    await finishSends(db)
    throwFailure()
    return handled
  }

  async function takeUp(send: Running, room: number): Promise<number> {
    const mail = mails.get(send.id) ?? (await openMail(db, send, context))
    if (!mail) return 0
    mails.set(send.id, mail)
    const perDayOfBusiness = await context.findDailyLimit?.(send.businessId)
    const claimed = await claimRecipients(db, send, context.sender, room, { ...context.limits, perDayOfBusiness })
    if (claimed.length === 0 && perDayOfBusiness !== undefined) {
      if ((await countToday(db, send.businessId)) >= perDayOfBusiness) held.set(send.businessId, nowMs() + HELD_MS)
    }
    if (claimed.length > 0) await fault('deliver.claimed')
    const goods = send.automationId === null ? undefined : await readGoods(db, send, idsOf(claimed))
    for (const recipient of claimed) {
      inFlight.up()
      void deliverOne(context, mail, recipient, goods?.get(recipient.subscriptionId))
        .then((result) => noteTogether(mail, result))
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(inFlight.down)
    }
    return claimed.length
  }

  function isHeld(businessId: string): boolean {
    if ((held.get(businessId) ?? 0) > nowMs()) return true
    held.delete(businessId)
    return false
  }

  function throwFailure(): void {
    const { error } = failure ?? {}
    failure = undefined
    if (error !== undefined) throw error
  }

  return {
    work,
    /** Waits until nothing is in flight. */
    drain: () => inFlight.fallTo(0),
  }
}

/** Delivers everything that can be sent now. */
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
  await finishSends(db)
  return handled
}

/** A counter that can be awaited until it falls. */
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

type Running = Pick<SendRow, 'businessId' | 'id' | 'isPlanned' | 'automationId'>

const idsOf = (claimed: readonly Claimed[]) => claimed.map(({ subscriptionId }) => subscriptionId)

const hasWork = () => sql`
  status = 'RUNNING' and ${isHere('sends.business_id')}
  and (not is_planned
       or (select true from newsletter.recipients -- limit 1: an index lookup, even without statistics
            where business_id = sends.business_id and send_id = sends.id and state = 'PLANNED' and due_at <= ${now()}
            order by due_at, subscription_id
            limit 1))`

/** Whether there is something to send, or a send to be ended; or whether this process has claims of which it knows no more. */
export const hasUndelivered = (sender: string) => sql`
  exists (select from newsletter.sends where (${hasWork()}) or (${isFinished()})) or ${isSending(sender)}`

/** Least recently served first, so that every send gets its turn. Sends without work take no place. */
const listWithWork = async (db: Db): Promise<Running[]> => {
  const { rows } = await sql<Running>`
    select business_id, id, is_planned, automation_id
      from newsletter.sends
     where ${hasWork()}
     order by updated_at, id
     limit ${MAX_SENDS}`.execute(db)
  return rows
}

type Mail = Pick<SendRow, 'businessId' | 'id' | 'fromName' | 'replyTo' | 'onUncertain' | 'countsOpens'> & {
  countsClicks: boolean
  render: ReturnType<typeof openTemplate>
}

/** A send whose mail cannot be made is stopped with an event, so that it does not block the others. */
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
    .select([
      'businessId',
      'id',
      'fromName',
      'replyTo',
      'onUncertain',
      'subject',
      'html',
      'body',
      'links',
      'countsOpens',
    ])
    .where((send) => send.and({ businessId, id }))
    .executeTakeFirstOrThrow()
  const { subject, html, body, links, ...mail } = row as SendRow
  const template = { subject: subject ?? '', html: html ?? '', text: body ?? '', ...(links && { links }) }
  return { ...mail, countsClicks: links !== null, render: openTemplate(template) }
}

/** Writes results in batches: one statement for many mails. */
function createResultWriter(db: Db, context: DeliveryContext) {
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
      await retryUntilStored(context, () => saveResults(db, mail, context.sender, results))
      context.meter?.settled(results)
      context.noteSent?.(mail.businessId, results.filter(({ state }) => state === 'SENT').length)
      await fault('deliver.noted')
    }
  }
}

/** Retries until the database is back: claimed mails belong to this process alone. Nothing new is claimed meanwhile. */
async function retryUntilStored<Value>({ log }: DeliveryContext, work: () => Promise<Value>): Promise<Value> {
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

async function deliverOne(
  context: DeliveryContext,
  mail: Mail,
  recipient: Claimed,
  goods: ShownGoods | undefined,
): Promise<Result> {
  const { subscriptionId, email, name, market, status, isSuppressed } = recipient
  const done = (state: Result['state'], response: string): Result => ({ subscriptionId, state, response, dueAt: null })
  if (isSuppressed) return done('SUPPRESSED', 'The address is suppressed.')
  if (status !== 'ACTIVE') return done('SUPPRESSED', 'Not subscribed any more.')

  const { mailer, from, publicUrl, box } = context
  const leave = unsubscribeUrl(publicUrl, box, { businessId: mail.businessId, id: subscriptionId }, mail.id)
  try {
    const delivery = await mailer.deliver({
      ...mail.render({ name, email, market, goods, unsubscribeUrl: leave, ...clicksOf(context, mail, recipient) }),
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

/** Nothing is made for letters of which nothing is counted. */
function clicksOf({ publicUrl, box }: DeliveryContext, mail: Mail, { subscriptionId, countsClicks }: Claimed) {
  if (!mail.countsClicks && !mail.countsOpens) return {}
  const clicker = { businessId: mail.businessId, sendId: mail.id, subscriptionId }
  return {
    ...(countsClicks && mail.countsClicks && { clicksUrl: clicksUrlOf(publicUrl, box, clicker) }),
    ...(countsClicks && mail.countsOpens && { openUrl: openUrlOf(publicUrl, box, clicker) }),
    clicksChoiceUrl: clicksChoiceUrlOf(publicUrl, box, clicker),
  }
}

/** Servers like to repeat it. It stands in the subscription, and goes with it. */
const withoutAddress = (response: string, email: string) =>
  response.replaceAll(new RegExp(email.replaceAll(/[^\w@]/g, '\\$&'), 'gi'), '…')

/** Stable across attempts for a recipient of a send. Carries everything that a bounce must be traced back to. */
export const messageIdOf = ({ businessId, id }: Running | Mail, subscriptionId: string, publicUrl: string) =>
  `<newsletter.${businessId}.${id}.${subscriptionId}@${new URL(publicUrl).hostname}>`

function toResult({ subscriptionId, attempts, email }: Claimed, { onUncertain }: Mail, delivery: Delivery): Result {
  const { outcome } = delivery
  const response = withoutAddress(delivery.response, email).slice(0, 500)
  const done = (state: Result['state']): Result => ({ subscriptionId, state, response, dueAt: null })
  if (outcome === 'SENT') return done('SENT')
  if (outcome === 'UNCERTAIN' && onUncertain === 'SKIP') return done('UNCERTAIN')
  if (outcome === 'REFUSED' || attempts >= MAX_ATTEMPTS) return done(outcome === 'UNCERTAIN' ? 'UNCERTAIN' : 'FAILED')
  // Exponential backoff: half a minute, two, eight … A server that is busy or down is retried less and less often, for
  // days.
  const waitMs = Math.min(FIRST_WAIT_MS * 4 ** (attempts - 1), MAX_WAIT_MS) * (0.75 + Math.random() / 2)
  return { subscriptionId, state: 'PLANNED', response, dueAt: new Date(nowMs() + waitMs) }
}
