import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stripe } from 'stripe'
import { seededRandom } from './random.ts'

export type Delivery = {
  eventId: string
  type: string
  account?: string
  /** Starts at 1. */
  attempt: number
  url: string
  payload: string
  signature?: string
  isForged: boolean
  /** `lost`: dropped on purpose. `failed`: no response; `error` says why. */
  outcome: 'answered' | 'failed' | 'lost'
  status?: number
  answer?: string
  error?: string
}

export type Mischief = {
  /** How many extra copies of each event are sent. */
  duplicate?: number
  /** Each copy is delayed by a random time in this range, and may overtake earlier ones. */
  delayMs?: [min: number, max: number]
  /** Events that happen at nearly the same time, or are held together, are sent in random order. */
  shuffle?: boolean
  /** The probability that a copy is lost for good. */
  drop?: number
}

export type WebhookSenderOptions = {
  now: () => number
  webhookSecret: string
  connectWebhookSecret?: string | undefined
  /** The delays before each retry. */
  retryMs: readonly number[]
  timeoutMs: number
}

type Copy = { event: Stripe.Event; isLost: boolean; delayMs: number; rank: number }
type Letter = Pick<Delivery, 'eventId' | 'type' | 'payload' | 'isForged' | 'attempt'> & {
  account?: string | undefined
  signature?: string | undefined
}

const SHUFFLE_WINDOW_MS = 25

export const sign = (payload: string, secret: string, timestamp: number) =>
  `t=${timestamp},v1=${createHmac('sha256', secret).update(`${timestamp}.${payload}`).digest('hex')}`

/** Delivers events to the webhook address: in order and once, unless faults are configured. */
export function createWebhookSender(options: WebhookSenderOptions) {
  const deliveries: Delivery[] = []
  const closing = new AbortController()
  let url: string | undefined
  let mischief: Mischief = {}
  let random = seededRandom(1)
  let batch: Copy[] = []
  let isHeld = false
  let isFlushing = false
  let line: Promise<void> = Promise.resolve()
  const underway = new Set<Promise<void>>()

  const secretOf = (account: string | undefined) =>
    account ? (options.connectWebhookSecret ?? options.webhookSecret) : options.webhookSecret

  /** Random choices are made when the event happens, so that they depend on the seed and not on the machine's speed. */
  function post(event: Stripe.Event): void {
    if (!url) return
    const [min, max] = mischief.delayMs ?? [0, 0]
    for (let copies = 0; copies <= (mischief.duplicate ?? 0); copies++) {
      const [luck, pace, rank] = [random(), random(), random()]
      batch.push({ event, isLost: luck < (mischief.drop ?? 0), delayMs: Math.round(min + pace * (max - min)), rank })
    }
    if (isHeld || isFlushing) return
    isFlushing = true
    track(sleep(mischief.shuffle ? SHUFFLE_WINDOW_MS : 0, undefined, { signal: closing.signal }).then(flush))
  }

  function flush(): void {
    isFlushing = false
    if (isHeld) return
    const copies = mischief.shuffle ? batch.toSorted((a, b) => a.rank - b.rank) : batch
    batch = []
    for (const copy of copies) {
      if (copy.delayMs > 0) track(later(copy.delayMs, () => bring(copy)))
      else {
        line = line.then(() => bring(copy))
        track(line)
      }
    }
  }

  async function bring({ event, isLost }: Copy): Promise<void> {
    if (isLost) {
      deliveries.push({ ...letterFor(event, 1), url: url ?? '', outcome: 'lost' })
      return
    }
    if (await isTaken(event, 1)) return
    track(bringAgain(event))
  }

  async function bringAgain(event: Stripe.Event): Promise<void> {
    for (const [index, delayMs] of options.retryMs.entries()) {
      await sleep(delayMs, undefined, { signal: closing.signal })
      if (await isTaken(event, index + 2)) return
    }
  }

  async function isTaken(event: Stripe.Event, attempt: number): Promise<boolean> {
    if (!url) return true // the webhook was removed: no retry
    const { status = 0 } = await send(letterFor(event, attempt))
    return status >= 200 && status < 300
  }

  function letterFor(event: Stripe.Event, attempt: number): Letter {
    const payload = JSON.stringify(event, null, 2)
    const { id: eventId, type, account } = event
    const signature = sign(payload, secretOf(account), options.now())
    return { eventId, type, account, attempt, payload, signature, isForged: false }
  }

  async function send(letter: Letter): Promise<Delivery> {
    if (!url) throw new Error('No webhook address is set')
    const delivery = { ...letter, url, outcome: 'failed' } as Delivery
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
          ...(letter.signature !== undefined && { 'stripe-signature': letter.signature }),
        },
        body: letter.payload,
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(options.timeoutMs)]),
      })
      delivery.answer = await response.text()
      delivery.status = response.status
      delivery.outcome = 'answered'
    } catch (error) {
      delivery.error = String((error as Error).cause ?? error)
    }
    deliveries.push(delivery)
    return delivery
  }

  function track(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => {
        if (!closing.signal.aborted) throw error
      })
      .finally(() => underway.delete(done))
    underway.add(done)
  }

  async function later(delayMs: number, work: () => Promise<void>): Promise<void> {
    await sleep(delayMs, undefined, { signal: closing.signal })
    await work()
  }

  return {
    deliveries,
    post,
    send,
    secretOf,
    sendEvent: (event: Stripe.Event) => send(letterFor(event, 1)),
    setUrl: (address: string | undefined) => {
      url = address
    },
    setMischief: (wanted: Mischief) => {
      mischief = wanted
    },
    setRandom: (seed: number) => {
      random = seededRandom(seed)
    },
    /** Holds all events until `release`. */
    hold: () => {
      isHeld = true
    },
    release: () => {
      isHeld = false
      flush()
    },
    /** Resolves when nothing is in flight or waiting for a retry. Held events do not count. */
    async settled(): Promise<void> {
      while (underway.size > 0) await Promise.all(underway)
    },
    async close(): Promise<void> {
      closing.abort()
      await Promise.allSettled(underway)
    },
  }
}
