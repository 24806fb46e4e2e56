import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Stripe } from 'stripe'
import { type Behaviour, createBehaviours } from './behaviours.ts'
import { createRequestHandler } from './http.ts'
import { keep, recall } from './memory.ts'
import { newEvent } from './objects.ts'
import { conclude, decline, expireSession, pay, sessionOf } from './payments.ts'
import { failRefund, refund } from './refunds.ts'
import { endSubscription, renew, retry } from './subscriptions.ts'
import { sweep } from './sweep.ts'
import { createWebhookSender, type Delivery, type Mischief, sign } from './webhooks.ts'
import { createWorld } from './world.ts'

export type { Behaviour, Delivery, Mischief }

export type StripeTwinOptions = {
  /** Any free port by default. */
  port?: number
  secretKey: string
  webhookSecret: string
  /** For events of connected accounts; by default the same secret. */
  connectWebhookSecret?: string
  webhookUrl?: string
  /** The delays before each retry of a webhook. */
  retryMs?: readonly number[]
  /** A file for the state, reused at the next start. Without it everything is lost. */
  file?: string
}

export type Forgery = {
  /** The right secret by default; null omits the signature. */
  secret?: string | null
  timestamp?: number
  /** Changes the payload after it was signed. */
  tamper?: (payload: string) => string
}

export type StripeTwin = Awaited<ReturnType<typeof startStripeTwin>>

/** A fake Stripe on loopback: the part of its API that we use, its payment page and its webhooks. */
export async function startStripeTwin(options: StripeTwinOptions) {
  let time = realTime
  const now = () => Math.floor(time())
  const { secretKey, webhookSecret, connectWebhookSecret, retryMs = [50, 200, 1_000, 5_000] } = options
  const webhooks = createWebhookSender({ now, webhookSecret, connectWebhookSecret, retryMs, timeoutMs: 10_000 })
  webhooks.setUrl(options.webhookUrl)
  const world = createWorld(now, webhooks.post, options.file === undefined ? undefined : recall(options.file))
  const behaviours = createBehaviours()
  const handler = createRequestHandler({ world, secretKey, behaviours })
  const server = createServer(handler.serve)
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
    /** The webhook deliveries and their responses, oldest first. */
    deliveries: webhooks.deliveries,
    /** The received API calls, oldest first; without `status` if they got no response. */
    requests: handler.requests,
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
    /** Like Refund in Stripe's dashboard: the remaining amount by default. */
    refund: (intentId: string, amount?: number) =>
      copy(refund(world, needed(world.find('payment_intent', intentId), intentId), { amount })),
    failRefund: (refundId: string) => copy(failRefund(world, refundId)),
    /** Starts the subscription's next period now. Otherwise it starts when the current one ends. */
    renew: (subscriptionId: string, { fails = false } = {}) =>
      copy(renew(world, subscribed(subscriptionId), { fails })),
    /** After a failed renewal: the payment succeeds after all, or fails again. */
    retry: (subscriptionId: string, { fails = false } = {}) =>
      copy(retry(world, subscribed(subscriptionId), { fails })),
    /** Like Cancel in Stripe's dashboard, or like the end of all payment retries. */
    cancel: (
      subscriptionId: string,
      reason: 'cancellation_requested' | 'payment_failed' = 'cancellation_requested',
    ): Stripe.Subscription => copy(endSubscription(world, subscribed(subscriptionId), reason)),

    setWebhookUrl: webhooks.setUrl,
    settled: async () => {
      sweep(world)
      await webhooks.settled()
    },
    mischief: (wanted: Mischief = {}) => webhooks.setMischief(wanted),
    useRandom: webhooks.setRandom,
    hold: webhooks.hold,
    release: webhooks.release,
    /** Sends an event again, at once and without retries. */
    redeliver: (eventId: string): Promise<Delivery> =>
      webhooks.sendEvent(needed(world.find('event', eventId), eventId)),
    /** Sends a forged event, made up or altered, at once and without retries. */
    forge(event: object, { secret, timestamp = now(), tamper }: Forgery = {}): Promise<Delivery> {
      const made = newEvent({ type: 'checkout.session.completed', thing: {}, world })
      const { id, type, account, ...rest } = { ...made, ...event } as Stripe.Event
      const payload = JSON.stringify({ id, type, account, ...rest }, null, 2)
      const signature = secret === null ? undefined : sign(payload, secret ?? webhooks.secretOf(account), timestamp)
      const sent = tamper ? tamper(payload) : payload
      return webhooks.send({ eventId: id, type, account, attempt: 1, payload: sent, signature, isForged: true })
    },

    /** Injects a fault into the next calls. Returns a function that cancels it. */
    behave: behaviours.behave,
    /** Sets the clock, in Unix seconds; without a function, back to the real time. */
    useTime: (clock?: () => number) => {
      time = clock ?? realTime
    },
    async close(): Promise<void> {
      clearInterval(ticking)
      await webhooks.close()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      keepLast?.()
    },
  }
}

const realTime = () => Date.now() / 1_000
