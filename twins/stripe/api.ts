import { createHash, timingSafeEqual } from 'node:crypto'
import type { Stripe } from 'stripe'
import { createCoupon } from './coupons.ts'
import { invalid, noSuchAccount, unauthorized, unknownUrl } from './errors.ts'
import { expand } from './expand.ts'
import { decodeForm, type Reader, readForm } from './form.ts'
import { listOf } from './objects.ts'
import { expireSession } from './payments.ts'
import { createRefund } from './refunds.ts'
import { createSession } from './sessions.ts'
import { cancelSubscription, updateSubscription } from './subscriptions.ts'
import type { Kept, World } from './world.ts'

export type Call = {
  method: string
  path: string
  query: string
  body: string
  account: string | undefined
  authorization: string | undefined
  /** The host that the caller used: payment pages are served there too. */
  host: string
}

type Context = { world: World; params: Reader; account: string | undefined; id: string; baseUrl: string }
type Page = { from: Kept[]; url: string }
type Route = [method: string, path: string, handle: (context: Context) => Kept | Page]

const ROUTES: Route[] = [
  ['POST', '/v1/checkout/sessions', (at) => createSession(at.world, at.params, at.account, at.baseUrl)],
  [
    'GET',
    '/v1/checkout/sessions',
    (at) => list(at, 'checkout.session', '/v1/checkout/sessions', ['payment_intent', 'status', 'subscription']),
  ],
  ['GET', '/v1/checkout/sessions/:id', (at) => read(at, 'checkout.session', 'session')],
  [
    'POST',
    '/v1/checkout/sessions/:id/expire',
    (at) => expireSession(at.world, read(at, 'checkout.session', 'session')),
  ],
  ['GET', '/v1/payment_intents/:id', (at) => read(at, 'payment_intent', 'intent')],
  ['GET', '/v1/charges/:id', (at) => read(at, 'charge')],
  ['POST', '/v1/coupons', (at) => createCoupon(at.world, at.params, at.account)],
  ['POST', '/v1/refunds', (at) => createRefund(at.world, at.params, at.account)],
  ['GET', '/v1/refunds', (at) => list(at, 'refund', '/v1/refunds', ['payment_intent', 'charge'])],
  ['GET', '/v1/refunds/:id', (at) => read(at, 'refund')],
  ['GET', '/v1/subscriptions/:id', (at) => read(at, 'subscription')],
  ['POST', '/v1/subscriptions/:id', (at) => updateSubscription(at.world, get(at, 'subscription'), at.params)],
  ['DELETE', '/v1/subscriptions/:id', (at) => cancelSubscription(at.world, get(at, 'subscription'), at.params)],
  ['GET', '/v1/invoices/:id', (at) => read(at, 'invoice')],
  ['GET', '/v1/events', (at) => listEvents(at)],
  ['GET', '/v1/events/:id', (at) => read(at, 'event')],
]

const get = <K extends Kept['object']>({ world, id, account }: Context, kind: K, param?: string) =>
  world.get(kind, id, account, param)

function read<K extends Kept['object']>(context: Context, kind: K, param?: string) {
  context.params.only('expand')
  return get(context, kind, param)
}

function list(context: Context, kind: Kept['object'], url: string, filters: string[]): Page {
  const { world, params, account } = context
  params.only('limit', 'starting_after', 'ending_before', 'expand', ...filters)
  const wanted = filters.flatMap((key) => (params.text(key) ? [[key, params.text(key)] as const] : []))
  const mine = world.list(kind).filter(({ id }) => world.accountOf(id) === account)
  const fits = (thing: Kept) =>
    wanted.every(([key, value]) => (thing as unknown as Record<string, unknown>)[key] === value)
  return { url, from: mine.filter(fits).toReversed() }
}

function listEvents({ world, params, account }: Context): Page {
  params.only('limit', 'starting_after', 'ending_before', 'expand', 'type', 'types', 'created')
  const types = [...params.texts('types'), ...(params.text('type') ? [params.text('type')] : [])]
  const created = params.inside('created')
  created?.only('gt', 'gte', 'lt', 'lte')
  const bound = (key: string, otherwise: number) => created?.integer(key, 0) ?? otherwise
  const from = Math.max(bound('gte', 0), bound('gt', -1) + 1)
  const to = Math.min(bound('lte', Number.POSITIVE_INFINITY), bound('lt', Number.POSITIVE_INFINITY) - 1)
  const fits = (event: Stripe.Event) =>
    world.accountOf(event.id) === account &&
    (types.length === 0 || types.includes(event.type)) &&
    event.created >= from &&
    event.created <= to
  return { url: '/v1/events', from: world.list('event').filter(fits).toReversed() }
}

/** One page, newest first, by `limit`, `starting_after` and `ending_before`. */
function pageOf({ from, url }: Page, params: Reader) {
  const limit = params.integer('limit', 1, 100) ?? 10
  const [after, before] = [params.text('starting_after'), params.text('ending_before')]
  const start = after ? from.findIndex(({ id }) => id === after) + 1 : 0
  const end = before ? from.findIndex(({ id }) => id === before) : from.length
  if ((after && start === 0) || end < 0) throw invalid(`No such object: '${after ?? before}'`, 'starting_after')
  const rest = from.slice(start, end)
  return listOf(before ? rest.slice(-limit) : rest.slice(0, limit), url, rest.length > limit)
}

export function checkCaller({ authorization, account }: Call, secretKey: string): void {
  const key = authorization?.replace(/^Bearer /, '')
  if (!key) throw unauthorized('You did not provide an API key.')
  if (!isSame(key, secretKey)) throw unauthorized(`Invalid API Key provided: ${key.slice(0, 8)}***`)
  if (account !== undefined && !/^acct_\w+$/.test(account)) throw noSuchAccount(account)
}

const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))
const digest = (text: string) => createHash('sha256').update(text).digest()

/** The call has taken effect when this returns; when it throws a Refusal, it has not. */
export function answer(world: World, call: Call, baseUrl: string): object {
  const [route, id] = findRoute(call)
  const params = readForm(decodeForm(call.query, call.body))
  const made = route({ world, params, account: call.account, id, baseUrl })
  const shown = structuredClone('object' in made ? made : pageOf(made, params))
  for (const path of params.texts('expand')) expand(world, shown, path)
  return shown
}

function findRoute({ method, path }: Call): [Route[2], id: string] {
  for (const [itsMethod, itsPath, handle] of ROUTES) {
    const match = new RegExp(`^${itsPath.replace(':id', '([^/]+)')}$`).exec(path)
    if (match && itsMethod === method) return [handle, decodeURIComponent(match[1] ?? '')]
  }
  throw unknownUrl(method, path)
}
