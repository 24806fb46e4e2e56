import http from 'node:http'
import { removeOperator, revokeSession } from '#modules/accounts/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type BusinessSource, isPermission, permissionsIn, type RouteInfo } from '#platform/http/access.ts'
import { PERMISSIONS, type Permission } from '#vocabulary/permissions.ts'
import type { holdClock } from './clock.ts'
import type { Make } from './make.ts'
import type { TestApi } from './start-api.ts'

type Headers = Record<string, string>
export type Answer = { status: number; text: string }
export type Caller = {
  name: string
  headers: Headers
  kind: 'nobody' | 'guest' | 'account'
  /** Comes with an API key: of every business of its user (null), or bound to one. */
  key?: string | null
  /** An operator of the service; `passed` a second factor in this session. */
  operator?: 'passed' | 'not passed'
  /** The key has only some of its user's permissions. */
  isLimited?: true
  /** The session comes from the sign-in provider of this business and works there only. */
  sessionOf?: string
  holds(businessId: string): readonly Permission[]
}
export type Target = { name: string; id: string; exists: boolean }
/** One meeting of a route, a caller and a business. `refusal`: the status that the route's declaration promises them. */
export type Meeting = { route: RouteInfo; caller: Caller; target: Target; refusal: number | undefined }

/** Sends requests as bare as it gets: the path goes out exactly as it is written. */
export function createSender(url: () => string) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 12 })
  const sender = {
    count: 0,
    close: () => agent.destroy(),
    /** Of a stream, only how it begins. */
    send(method: string, path: string, headers: Headers, body?: object): Promise<Answer> {
      sender.count++
      const payload = body && JSON.stringify(body)
      const { hostname, port } = new URL(url())
      const type = payload ? { 'content-type': 'application/json' } : {}
      return new Promise((resolve, reject) => {
        const request = http.request({ hostname, port, agent, method, path, headers: { ...headers, ...type } })
        request.on('error', reject)
        request.on('response', (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            text += chunk
          })
          if (response.headers['content-type']?.startsWith('text/event-stream')) {
            resolve({ status: response.statusCode ?? 0, text })
            return response.destroy()
          }
          response.on('error', reject)
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        })
        request.end(payload)
      })
    },
  }
  return sender
}
export type Sender = ReturnType<typeof createSender>

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const nothing = () => []
const only = (businessIds: string[], held: readonly Permission[]) => (id: string) =>
  businessIds.includes(id) ? held : []

/** Businesses of every kind, and everybody who may come to them. Moves the clock, so that one of them has an expired token. */
export async function makeWorld(api: TestApi, make: Make, clock: ReturnType<typeof holdClock>) {
  const expired = await make.user()
  clock.advance(2 * 3600)
  const here = await make.business({ cell: 'main' })
  const foreign = await make.business({ cell: 'second' })
  for (const { admin, path } of [here, foreign]) await admin.put(path, { storefront: { isPublic: true } })
  const elsewhere = await make.business({ cell: 'second', owner: here.admin })
  const revoked = await make.user()
  await transaction(api.services.databases.control, (tx) => revokeSession(tx, revoked.sessionId))

  const operator = await make.operator()
  const plainOperator = await make.operator({})
  const staffOperator = await make.operator({ proof: 'PROVIDER_FACTOR', staffOf: here.id })
  const letInHere = await make.sessionOf(here.admin, { proof: 'PROVIDER', staffOf: here.id })
  const letInElsewhere = await make.sessionOf(here.admin, { proof: 'PROVIDER', staffOf: elsewhere.id })
  const confirmed = await make.sessionOf(here.admin, { proof: 'PASSWORD', staffOf: elsewhere.id })
  const former = await make.operator()
  await transaction(api.services.databases.control, (tx) => removeOperator(tx, former.id))
  const proven = await make.user({ proof: 'TOTP' })

  const nobody = (name: string, headers: Headers): Caller => ({ name, headers, kind: 'nobody', holds: nothing })
  const account = (name: string, headers: Headers, holds: Caller['holds'] = nothing): Caller => ({
    name,
    headers,
    kind: 'account',
    holds,
  })
  const key = async (businessId?: string) => ({ 'x-api-key': (await make.apiKey(here.admin.id, businessId)).value })
  const adminThere = only([here.id, elsewhere.id], ['ADMIN'])
  /** A key of the ADMIN that has one permission only. */
  async function keyWith(permission: Permission, businessId?: string): Promise<Caller> {
    const { value } = await make.apiKey(here.admin.id, businessId, [permission])
    const name = `key with ${permission} alone${businessId ? ', bound to this business' : ''}`
    const where = businessId ? [businessId] : [here.id, elsewhere.id]
    return {
      ...account(name, { 'x-api-key': value }, only(where, [permission])),
      key: businessId ?? null,
      isLimited: true,
    }
  }
  const callers: Caller[] = [
    nobody('anonymous', {}),
    nobody('garbage token', bearer('garbage')),
    nobody('forged token', bearer(`${here.admin.token.slice(0, -6)}AAAAAA`)),
    nobody('garbage key', { 'x-api-key': 'garbage' }),
    nobody('not a bearer', { authorization: `Basic ${here.admin.token}` }),
    nobody('expired token', bearer(expired.token)),
    nobody('revoked session', bearer(revoked.token)),
    { ...account('guest', bearer((await make.guest()).token)), kind: 'guest' },
    account('user without role', bearer((await make.user()).token)),
    account('ADMIN', bearer(here.admin.token), adminThere),
    account('ADMIN of another business', bearer(foreign.admin.token), only([foreign.id], ['ADMIN'])),
    { ...account('key of the ADMIN', await key(), adminThere), key: null },
    { ...account('key of the ADMIN as bearer', bearer((await key())['x-api-key']), adminThere), key: null },
    { ...account('key bound to this business', await key(here.id), only([here.id], ['ADMIN'])), key: here.id },
    {
      ...account('key bound to another business', await key(elsewhere.id), only([elsewhere.id], ['ADMIN'])),
      key: elsewhere.id,
    },
    { ...account('key bound to a foreign business', await key(foreign.id)), key: foreign.id },
    { ...account('operator', bearer(operator.token)), operator: 'passed' },
    { ...account('operator without a second factor', bearer(plainOperator.token)), operator: 'not passed' },
    { ...account('operator let in by a business', bearer(staffOperator.token)), sessionOf: here.id },
    {
      ...account('ADMIN let in by this business', bearer(letInHere.token), only([here.id], ['ADMIN'])),
      sessionOf: here.id,
    },
    {
      ...account('ADMIN let in by another business', bearer(letInElsewhere.token), only([elsewhere.id], ['ADMIN'])),
      sessionOf: elsewhere.id,
    },
    account('ADMIN let in by another business, confirmed', bearer(confirmed.token), adminThere),
    account('former operator', bearer(former.token)),
    account('user with a second factor', bearer(proven.token)),
    { ...account('key of an operator', { 'x-api-key': (await make.apiKey(operator.id)).value }), key: null },
    await keyWith('ORDERS_READ'),
    await keyWith('PROMOS_WRITE', here.id),
  ]
  const targets: Target[] = [
    { name: 'own', id: here.id, exists: true },
    { name: 'foreign', id: foreign.id, exists: true },
    { name: 'own, in another cell', id: elsewhere.id, exists: true },
    { name: 'missing', id: 'biz_000000000000', exists: false },
    { name: 'malformed', id: "no such' id", exists: false },
  ]

  const members = new Map<string, Caller>()
  async function member(name: string, held: readonly Permission[]): Promise<Caller> {
    const known = members.get(name)
    if (known) return known
    const { token } = await make.member(here.id, ...held)
    const made = account(name, bearer(token), only([here.id], held))
    members.set(name, made)
    return made
  }
  async function callersOf({ access }: RouteInfo): Promise<Caller[]> {
    if (!isPermission(access)) return [...callers, await member('member without permissions', [])]
    const wanted = permissionsIn(access)
    const others = PERMISSIONS.filter((permission) => !wanted.includes(permission) && permission !== 'ADMIN')
    const exactly: Caller[] = []
    for (const permission of wanted) exactly.push(await member(`exactly ${permission}`, [permission]))
    return [...callers, await member(`all but ${wanted.join(', ')}`, others), ...exactly]
  }

  const NO_TARGET: Target = { name: 'none', id: '', exists: true }
  const meetings = async (routes: readonly RouteInfo[]): Promise<Meeting[]> => {
    const all: Meeting[] = []
    for (const route of routes)
      for (const caller of await callersOf(route))
        for (const target of isFoundByGuard(route.business) ? targets : [NO_TARGET])
          all.push({ route, caller, target, refusal: refusalFor(route, caller, target) })
    return all
  }
  /** The same for these callers instead of everybody. */
  const meetingsOf = (routes: readonly RouteInfo[], some: readonly Caller[], places: readonly Target[]): Meeting[] =>
    routes.flatMap((route) =>
      some.flatMap((caller) =>
        places.map((target) => ({ route, caller, target, refusal: refusalFor(route, caller, target) })),
      ),
    )
  return { targets, callersOf, meetings, meetingsOf, keyWith }
}

const isFoundByGuard = (business: BusinessSource) => !['none', 'provider', 'token'].includes(business)

/** What the declaration promises this caller: a status, or undefined when they may come in. */
function refusalFor(
  { access, business, keys, takesLimitedSessions, isOwnPage }: RouteInfo,
  caller: Caller,
  target: Target,
): number | undefined {
  if (isOwnPage) return 403 // none of these comes from there
  if (access !== 'public' && caller.kind === 'nobody') return 401
  if (access !== 'public' && access !== 'guest' && caller.kind === 'guest') return 403
  if (access === 'operator') return caller.operator === 'passed' ? undefined : 403
  if (keys === 'refused' && caller.key !== undefined) return 403
  if (keys === 'unbound' && (caller.key || caller.isLimited)) return 403
  const isOfAccount = business === 'none' && keys !== undefined
  if (isOfAccount && !takesLimitedSessions && caller.sessionOf !== undefined) return 403
  const boundTo = caller.key ?? caller.sessionOf
  const isElsewhere = isFoundByGuard(business) && boundTo && boundTo !== target.id
  if (isElsewhere && access !== 'public' && keys !== 'strangers') return 403
  if (isPermission(access)) {
    const held = caller.holds(target.id)
    if (!permissionsIn(access).some((each) => held.includes(each)) && !held.includes('ADMIN')) return 403
  }
  if (target.exists) return undefined
  return business === 'path' || business === 'storefront' ? 404 : 422
}

export const pathOf = (url: string, businessId: string) =>
  url
    .replace(/:business(Id)?(?=\/|$)/, encodeURIComponent(businessId))
    .replace(/:\w+/g, 'x_01jcq3v7k8f5t9x2m4n6p8r0sw')
    .replace('*', 'x')

/** The smallest request that names its business. */
export function call(sender: Sender, { route, caller, target: { id } }: Omit<Meeting, 'refusal'>): Promise<Answer> {
  const query = route.business === 'query' ? `?businessId=${encodeURIComponent(id)}` : ''
  const body = route.business === 'body' ? { businessId: id } : route.body ? {} : undefined
  return sender.send(route.method, pathOf(route.url, id) + query, caller.headers, body)
}

const CODES: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  422: 'VALIDATION_FAILED',
}

/** What is wrong with the answer; undefined when it is what was promised. */
export function complaint({ route, caller, target, refusal }: Meeting, { status, text }: Answer): string | undefined {
  const isPromised =
    refusal === undefined
      ? status !== 401 && status !== 403 && (status < 500 || text.includes('"PROVIDER_NOT_CONFIGURED"'))
      : status === refusal && text.startsWith(`{"error":"${CODES[refusal]}"`)
  if (isPromised) return undefined
  const meeting = `${route.method} ${route.url} (${String(route.access)}) as ${caller.name} on ${target.name}`
  return `${meeting}: ${refusal ?? 'allowed'}, but ${status} ${text.slice(0, 200)}`
}

/** Lets all of them happen, some at a time. */
export async function complaintsOf(sender: Sender, meetings: readonly Meeting[], parallel: number): Promise<string[]> {
  const found: string[] = []
  const queue = meetings.values()
  const work = async () => {
    for (const meeting of queue) {
      const problem = complaint(meeting, await call(sender, meeting))
      if (problem) found.push(problem)
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return found
}
