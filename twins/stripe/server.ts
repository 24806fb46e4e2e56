import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Stripe } from 'stripe'
import { type Behaviour, createBehaviours } from './behaviours.ts'
import { createDesk } from './http.ts'
import { keep, recall } from './memory.ts'
import { newEvent } from './objects.ts'
import { conclude, decline, expireSession, pay, sessionOf } from './payments.ts'
import { failRefund, refund } from './refunds.ts'
import { endSubscription, renew, retry } from './subscriptions.ts'
import { sweep } from './sweep.ts'
import { createCourier, type Delivery, type Mischief, sign } from './webhooks.ts'
import { createWorld } from './world.ts'

export type { Behaviour, Delivery, Mischief }

export type StripeTwinOptions = {
  /** Any free one, unless given. */
  port?: number
  secretKey: string
  webhookSecret: string
  /** For events of connected accounts; the other one unless given. */
  connectWebhookSecret?: string
  webhookUrl?: string
  /** How long to wait before each further try to deliver an event. */
  retryMs?: readonly number[]
  /** Where to keep what there is, for the next start. Without it everything is forgotten. */
  file?: string
}

export type Forgery = {
  /** The right one unless given; null leaves the signature out. */
  secret?: string | null
  timestamp?: number
  /** Changes the bytes after they were signed. */
  tamper?: (payload: string) => string
}

export type StripeTwin = Awaited<ReturnType<typeof startStripeTwin>>

/** A Stripe of our own on loopback: its API as far as we use it, its payment page and its webhooks. */
export async function startStripeTwin(options: StripeTwinOptions) {
  let time = realTime
  const now = () => Math.floor(time())
  const { secretKey, webhookSecret, connectWebhookSecret, retryMs = [50, 200, 1_000, 5_000] } = options
  const courier = createCourier({ now, webhookSecret, connectWebhookSecret, retryMs, timeoutMs: 10_000 })
  courier.setUrl(options.webhookUrl)
  const world = createWorld(now, courier.post, options.file === undefined ? undefined : recall(options.file))
  const behaviours = createBehaviours()
  const desk = createDesk({ world, secretKey, behaviours })
  const server = createServer(desk.serve)
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const ticking = setInterval(() => sweep(world), 100).unref()
  const keepLast = options.file === undefined ? undefined : keep(world, options.file)

  const copy = <T>(thing: T): T => structuredClone(thing)
  const needed = <T>(thing: T | undefined, id: string): T => {
    if (thing) return thing
    throw new Error(`There is no ${id}`)
  }
  const subscribed = (id: string) => needed(world.find('subscription', id), id)

  return {
    url,
    now,
    /** For `new Stripe(key, …)`. */
    clientOptions: { host: '127.0.0.1', port, protocol: 'http' as const },
    /** What was sent to the webhook address and what it answered, oldest first. */
    deliveries: courier.deliveries,
    /** The API calls that came, oldest first; without `status` when they got no answer. */
    requests: desk.requests,
    sessions: () => copy(world.list('checkout.session')),
    events: () => copy(world.list('event')),

    /** The customer pays. With `later` the payment is under way until `conclude`. */
    pay: (sessionId: string, { email, later }: { email?: string; later?: boolean } = {}) => {
      sweep(world)
      return copy(pay(world, sessionId, { email }, { later }))
    },
    conclude: (sessionId: string, outcome: 'paid' | 'failed') => copy(conclude(world, sessionId, outcome === 'paid')),
    decline: (sessionId: string) => {
      sweep(world)
      return copy(decline(world, sessionId))
    },
    expire: (sessionId: string) => copy(expireSession(world, sessionOf(world, sessionId))),
    /** As if somebody had pressed Refund in Stripe's dashboard: the rest, unless an amount is given. */
    refund: (intentId: string, amount?: number) =>
      copy(refund(world, needed(world.find('payment_intent', intentId), intentId), { amount })),
    failRefund: (refundId: string) => copy(failRefund(world, refundId)),
    /** The subscription's next period begins now. By itself that happens at the end of the period. */
    renew: (subscriptionId: string, { fails = false } = {}) =>
      copy(renew(world, subscribed(subscriptionId), { fails })),
    /** After a renewal that failed: its money comes after all, or fails to once more. */
    retry: (subscriptionId: string, { fails = false } = {}) =>
      copy(retry(world, subscribed(subscriptionId), { fails })),
    /** As if somebody had pressed Cancel in Stripe's dashboard, or all tries to get the money had failed. */
    cancel: (
      subscriptionId: string,
      reason: 'cancellation_requested' | 'payment_failed' = 'cancellation_requested',
    ): Stripe.Subscription => copy(endSubscription(world, subscribed(subscriptionId), reason)),

    setWebhookUrl: courier.setUrl,
    settled: async () => {
      sweep(world)
      await courier.settled()
    },
    mischief: (wanted: Mischief = {}) => courier.setMischief(wanted),
    useRandom: courier.setRandom,
    hold: courier.hold,
    release: courier.release,
    /** Sends an event again, now and once. */
    redeliver: (eventId: string): Promise<Delivery> => courier.sendEvent(needed(world.find('event', eventId), eventId)),
    /** Sends, now and once, an event that never happened or one that happened with something changed. */
    forge(event: object, { secret, timestamp = now(), tamper }: Forgery = {}): Promise<Delivery> {
      const made = newEvent({ type: 'checkout.session.completed', thing: {}, world })
      const { id, type, account, ...rest } = { ...made, ...event } as Stripe.Event
      const payload = JSON.stringify({ id, type, account, ...rest }, null, 2)
      const signature = secret === null ? undefined : sign(payload, secret ?? courier.secretOf(account), timestamp)
      const sent = tamper ? tamper(payload) : payload
      return courier.send({ eventId: id, type, account, attempt: 1, payload: sent, signature, isForged: true })
    },

    /** The next calls go wrong so. Answers a function that takes it back. */
    behave: behaviours.behave,
    /** From now on it is as late as the function says, in seconds since 1970; without one, as late as it is. */
    useTime: (clock?: () => number) => {
      time = clock ?? realTime
    },
    async close(): Promise<void> {
      clearInterval(ticking)
      await courier.close()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      keepLast?.()
    },
  }
}

const realTime = () => Date.now() / 1_000
