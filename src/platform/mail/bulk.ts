import { parseConnectionUrl } from 'nodemailer/lib/shared'
import { type BulkMessage, createComposer, type Dkim, isOneAddress } from './compose.ts'
import { type Delivery, deliveryOf } from './delivery.ts'
import { type Line, type LineOptions, openLine } from './smtp-line.ts'

export type { BulkMessage } from './compose.ts'
export type { Delivery } from './delivery.ts'

export type BulkMailer = {
  /** Never fails for what the server does. Of the messages given at once, those without a connection wait in line. */
  deliver(message: BulkMessage): Promise<Delivery>
  /** What waits is deferred; what is under way is brought to its end. */
  close(): void
}

export type BulkOptions = {
  connections: number
  dkim?: Dkim | undefined
  /** How long the server may take for one message. Who gives up too early does not know what became of it. */
  answerSeconds?: number | undefined
}

// As many as there may be connections. The line is undefined, or closed, until a message needs it.
type Lane = { line?: Line | undefined; isOpening: boolean; idle?: NodeJS.Timeout | undefined }

const IDLE_SECONDS = 30
const REST_SECONDS = 5

/**
 * SMTP for many messages, which says of each one what became of it. nodemailer writes the messages and speaks the
 * protocol; its pool is not used, because it sends messages again by itself, cannot give up a single one, and keeps
 * those that wait for a server that is away.
 */
export function createBulkMailer(smtpUrl: string, { connections, dkim, answerSeconds = 60 }: BulkOptions): BulkMailer {
  const compose = createComposer(dkim)
  const options = parseConnectionUrl(smtpUrl) as LineOptions
  const lanes: Lane[] = Array.from({ length: connections }, () => ({ isOpening: false }))
  const free = [...lanes]
  const waiting: ((lane: Lane | Delivery) => void)[] = []
  let isClosed = false

  const isOpen = ({ line }: Lane) => line?.isOpen() === true

  async function take(first: boolean): Promise<Lane | Delivery> {
    if (isClosed) return closed
    const lane = free.pop()
    if (!lane) return new Promise((resolve) => void (first ? waiting.unshift(resolve) : waiting.push(resolve)))
    clearTimeout(lane.idle)
    return lane
  }

  function giveBack(lane: Lane) {
    if (isClosed) return lane.line?.hangUp()
    const next = waiting.shift()
    if (next) return next(lane)
    if (!isOpen(lane)) return void free.unshift(lane) // those with a connection are taken first
    lane.idle = setTimeout(() => lane.line?.hangUp(), IDLE_SECONDS * 1_000).unref()
    free.push(lane)
  }

  function deferAll(delivery: Delivery) {
    for (const next of waiting.splice(0)) next(delivery)
  }

  async function open(lane: Lane): Promise<Line | Delivery> {
    lane.isOpening = true
    try {
      lane.line = await openLine(options, answerSeconds)
      return lane.line
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

  /** Answers undefined if this lane got no connection and another one has, or may get one. */
  async function deliverOver(lane: Lane, message: BulkMessage): Promise<Delivery | undefined> {
    let restMs = 0
    try {
      const composed = await compose(message)
      for (;;) {
        const line = lane.line && isOpen(lane) ? lane.line : await open(lane)
        if ('outcome' in line) {
          if (lanes.some((other) => other.isOpening || isOpen(other))) {
            // It lets us in, but not as often as we would like.
            restMs = REST_SECONDS * 1_000
            return undefined
          }
          deferAll(line)
          return line
        }
        const { delivery, stale } = await line.send(composed)
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
      lane.line?.hangUp()
    }
  }

  return { deliver, close }
}

const closed: Delivery = { outcome: 'DEFERRED', response: 'The mailer was closed.' }
