import { type BulkMessage, createComposer, type Dkim, isOneAddress } from './compose.ts'
import { type Delivery, deliveryOf } from './delivery.ts'
import { readSmtpUrl } from './nodemailer-internals.ts'
import { openSmtpSession, type SmtpSession } from './smtp-session.ts'

export type { BulkMessage } from './compose.ts'
export type { Delivery } from './delivery.ts'

export type BulkMailer = {
  /** Never rejects for an SMTP error. Messages without a free connection wait in line. */
  deliver(message: BulkMessage): Promise<Delivery>
  /** Defers waiting messages; finishes those under way. */
  close(): void
}

export type BulkOptions = {
  connections: number
  dkim?: Dkim | undefined
  /** How long the server may take for one message. After a timeout that is too short, the outcome is unknown. */
  answerSeconds?: number | undefined
}

// One for each possible connection. Its session is undefined, or closed, until a message needs it.
type Lane = { session?: SmtpSession | undefined; isOpening: boolean; idle?: NodeJS.Timeout | undefined }

const IDLE_SECONDS = 30
const REST_SECONDS = 5

/**
 * SMTP for many messages, with an outcome for each. nodemailer writes the messages and speaks the protocol; its pool is
 * not used, because it resends messages by itself, cannot give up a single one, and keeps messages while a server is
 * down.
 */
export function createBulkMailer(smtpUrl: string, { connections, dkim, answerSeconds = 60 }: BulkOptions): BulkMailer {
  const compose = createComposer(dkim)
  const options = readSmtpUrl(smtpUrl)
  const lanes: Lane[] = Array.from({ length: connections }, () => ({ isOpening: false }))
  const free = [...lanes]
  const waiting: ((lane: Lane | Delivery) => void)[] = []
  let isClosed = false

  const isOpen = ({ session }: Lane) => session?.isOpen() === true

  async function take(first: boolean): Promise<Lane | Delivery> {
    if (isClosed) return closed
    const lane = free.pop()
    if (!lane) return new Promise((resolve) => void (first ? waiting.unshift(resolve) : waiting.push(resolve)))
    clearTimeout(lane.idle)
    return lane
  }

  function giveBack(lane: Lane) {
    if (isClosed) return lane.session?.hangUp()
    const next = waiting.shift()
    if (next) return next(lane)
    if (!isOpen(lane)) return void free.unshift(lane) // lanes with an open connection are taken first
    lane.idle = setTimeout(() => lane.session?.hangUp(), IDLE_SECONDS * 1_000).unref()
    free.push(lane)
  }

  function deferAll(delivery: Delivery) {
    for (const next of waiting.splice(0)) next(delivery)
  }

  async function open(lane: Lane): Promise<SmtpSession | Delivery> {
    lane.isOpening = true
    try {
      lane.session = await openSmtpSession(options, answerSeconds)
      return lane.session
    } catch (error) {
      return deliveryOf(error as Error, false)
    } finally {
      lane.isOpening = false
    }
  }

  async function deliver(message: BulkMessage): Promise<Delivery> {
    if (!isOneAddress(message.to)) return { outcome: 'REFUSED', response: 'Not the address of one mailbox.' }
    for (let first = false; ; first = true) {
      const lane = await take(first)
      if ('outcome' in lane) return lane
      const delivery = await deliverOver(lane, message)
      if (delivery) return delivery
    }
  }

  /** Returns undefined if this lane got no connection and another one has, or may get one. */
  async function deliverOver(lane: Lane, message: BulkMessage): Promise<Delivery | undefined> {
    let restMs = 0
    try {
      const composed = await compose(message)
      for (;;) {
        const session = lane.session && isOpen(lane) ? lane.session : await open(lane)
        if ('outcome' in session) {
          if (lanes.some((other) => other.isOpening || isOpen(other))) {
            // The server accepts connections, but not as many as we would like.
            restMs = REST_SECONDS * 1_000
            return undefined
          }
          deferAll(session)
          return session
        }
        const { delivery, stale } = await session.send(composed)
        if (!stale) return delivery
      }
    } finally {
      if (restMs) setTimeout(() => giveBack(lane), restMs).unref()
      else giveBack(lane)
    }
  }

  function close() {
    isClosed = true
    deferAll(closed)
    for (const lane of free.splice(0)) {
      clearTimeout(lane.idle)
      lane.session?.hangUp()
    }
  }

  return { deliver, close }
}

const closed: Delivery = { outcome: 'DEFERRED', response: 'The mailer was closed.' }
