import type { Stripe } from 'stripe'
import type { Discount } from './coupons.ts'
import { missing } from './errors.ts'
import { newEvent } from './objects.ts'

export type Kept =
  | Stripe.Checkout.Session
  | Stripe.PaymentIntent
  | Stripe.Charge
  | Stripe.Refund
  | Stripe.Coupon
  | Stripe.Subscription
  | Stripe.Invoice
  | Stripe.Event
export type Kind = Kept['object']
/** A reference by id, or the expanded object. */
export type Reference = string | { id: string } | null | undefined
export type KeptAs<K extends Kind> = Extract<Kept, { object: K }>

/** The parts of a session's request that it does not show, but needs once it is paid. */
export type Draft = {
  lines: Stripe.LineItem[]
  discount?: Discount | undefined
  business: string
  intent: { description?: string; metadata: Record<string, string> }
  subscription: { description?: string; metadata: Record<string, string> }
}

export type World = ReturnType<typeof createWorld>

/** A saved world. Events are not saved. */
export type Saved = { things: Kept[]; owners: [string, string][]; drafts: [string, Draft][] }

/** All objects of this fake Stripe, each with the account that owns it. */
export function createWorld(now: () => number, onEvent: (event: Stripe.Event) => void, saved?: Saved) {
  const things = new Map<string, Kept>(saved?.things.map((thing) => [thing.id, thing]))
  const owners = new Map<string, string>(saved?.owners)
  const drafts = new Map<string, Draft>(saved?.drafts)
  let nextDue = saved ? 0 : Number.POSITIVE_INFINITY

  const world = {
    now,
    drafts,
    /** The current API call: events refer to it. */
    request: { id: null as string | null, idempotency_key: null as string | null },

    add<T extends Kept>(thing: T, account: string | undefined): T {
      things.set(thing.id, thing)
      if (account) owners.set(thing.id, account)
      return thing
    },
    save(): Saved {
      const lasting = [...things.values()].filter(({ object }) => object !== 'event')
      return {
        things: lasting,
        owners: [...owners].filter(([id]) => things.get(id)?.object !== 'event'),
        drafts: [...drafts],
      }
    },
    accountOf: (id: string) => owners.get(id),
    find<K extends Kind>(kind: K, reference: Reference): KeptAs<K> | undefined {
      const thing = things.get(typeof reference === 'string' ? reference : (reference?.id ?? ''))
      return thing?.object === kind ? (thing as KeptAs<K>) : undefined
    },
    /** For the API: objects of another account are not found. */
    get<K extends Kind>(kind: K, id: string, account: string | undefined, param?: string): KeptAs<K> {
      const thing = world.find(kind, id)
      if (!thing || owners.get(id) !== account) throw missing(kind, id, param)
      return thing
    },
    /** Oldest first. */
    list: <K extends Kind>(kind: K) =>
      [...things.values()].filter((thing): thing is KeptAs<K> => thing.object === kind),

    emit(type: Stripe.Event['type'], thing: Exclude<Kept, Stripe.Event>, previous?: object): void {
      const account = owners.get(thing.id)
      const event = newEvent({ type, thing: structuredClone(thing), account, previous, world })
      world.add(event, account)
      onEvent(event)
    },

    /** Schedules a sweep at that time. */
    remind(at: number): void {
      nextDue = Math.min(nextDue, at)
    },
    takeDue(): boolean {
      if (now() < nextDue) return false
      nextDue = Number.POSITIVE_INFINITY
      return true
    },
  }
  return world
}
