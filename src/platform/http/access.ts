import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RouteOptions,
} from 'fastify'
import { type Actor, hasSecondFactor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { isId } from '#vocabulary/ids.ts'
import { holds, PERMISSIONS, type Permission } from '#vocabulary/permissions.ts'
import { businessSuspended, suspendedBusinessHidden } from '#vocabulary/refusals.ts'
import { nowMs } from '../clock.ts'
import type { Cell } from '../database/database.ts'
import { isDatabaseUnavailable } from '../database/errors.ts'
import { cellOf } from './cells.ts'
import * as refusal from './refusals.ts'

/**
 * The callers that a route admits: anybody, any token, any token but a guest's, holders of a permission in the route's
 * business (of a list, any one suffices), or operators of the whole service.
 *
 * `operator`: a session that has passed a second factor, never an API key; what is no GET needs a fresh proof, too.
 */
export type Access = (typeof CALLERS)[number] | Permission | readonly Permission[]
const CALLERS = ['public', 'guest', 'signed-in', 'operator'] as const

/**
 * Where a request names its business. `provider`: in the provider's own payload, checked by the handler. `token`: in that of a mailed link,
 * which begins with the business; the handler checks it and calls `enterBusiness`. `storefront`:
 * in the path, by id or slug; only a business whose shop is public is found, and no credential changes the answer.
 */
export type BusinessSource = (typeof BUSINESS_SOURCES)[number]
const BUSINESS_SOURCES = ['path', 'body', 'query', 'provider', 'token', 'storefront', 'none'] as const

export type KeyRule = 'refused' | 'unbound' | 'strangers'

type Shared = 'passwords' | 'uploads' | 'strangers'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    business?: BusinessSource
    /** A POST that creates: takes `Idempotency-Key`. */
    idempotent?: boolean
    /**
     * The API keys that may call it. By default: all but those bound to another business than the route's. `refused`:
     * none. `unbound`: only keys that are bound to no business and have all permissions of their user. `strangers`:
     * also keys of another business, treated as strangers.
     */
    keys?: KeyRule
    /**
     * Of a route without a business that refuses some or all keys: also for sessions that are limited to one business. Its
     * handler keeps to `onlyBusinessId`.
     */
    takesLimitedSessions?: true
    /** The contract returns 400 instead of 422 for some invalid bodies. */
    isBadRequest?: (body: Record<string, unknown>) => boolean
    /** Further checks for a body that its schema refuses, so that all mistakes are reported at once. */
    alsoCheck?: (body: Record<string, unknown>) => Detail[]
    /** Rejects unknown fields of the body. Without it, they are removed and named in `X-Ignored-Fields`. */
    strict?: true
    /** Accepts a file of one of these types instead of JSON. */
    uploads?: string[]
    /** Returns a file of one of these types. */
    downloads?: string[]
    /**
     * Routes that share a scarce resource, for which they wait, share one limit when the service is overloaded. It may depend on
     * the query whether one does.
     */
    shares?: Shared | ((query: Record<string, unknown>) => Shared | undefined)
    /** Has its own timeout, longer than the usual one. */
    isSlow?: true
    /** Stays open: has limits of its own instead of a place in the gate, and no deadline. */
    isStream?: true
    /** Only for pages of this service itself: `Origin` must be that of PUBLIC_URL. */
    isOwnPage?: true
    /** Further statuses that it may return, besides those that follow from the rest. */
    fails?: (401 | 403 | 404 | 409 | 502)[]
    /** How many requests it counts as, for the rate limit of storefront routes. */
    costs?: (query: Record<string, unknown>) => number
    /** The query parameters that it knows, taken from its schema. */
    parameters?: readonly string[]
    /** A prefix of query parameters whose names no schema can list. */
    parameterPrefix?: string
    /** Accepts unknown query parameters, because other software appends its own to this address. */
    takesAnyParameter?: true
    /** It may be read from a replica of the cell: it writes nothing, and nobody expects what they have just written. */
    reads?: 'replica'
    /** A record with an ETag: reads take `If-None-Match`, writes take `If-Match`. */
    versioned?: boolean
    /** A write that creates the record with `If-None-Match: *`. */
    creates?: boolean
  }
  interface FastifyRequest {
    /** The caller; undefined only on public routes. */
    caller: Actor | undefined
    /** The caller of a route that needs one. */
    actor: Actor
    /** The business that this request is for. */
    business: Business
    /** The database that holds what this business owns. */
    cell: Cell
    /** The caller's permissions in this business. */
    permissions: readonly Permission[]
    /** For a handler that has found the business by itself: from here on it is a request of that business. Throws if its cell is full. */
    enterBusiness(business: Business): void
    /** Waits for somebody else's server without taking up a place in the gate. */
    whileOutside<Result>(work: () => Promise<Result>): Promise<Result>
    /** Does not count for the caller's rate limit: it makes a request of its own in the caller's name, which does. */
    countLess(): void
  }
  interface FastifyInstance {
    routeTable: RouteInfo[]
    /** What this process knows of the business was wrong. */
    forgetBusiness(id: string): void
    /** The database in which a business lives now, for what stays open while it moves; undefined: it is gone, or its cell is. */
    findCellNow(id: string): Promise<Cell | undefined>
    /**
     * For responses that stay open: the permissions that the caller has now; undefined once this request would be
     * refused, because its token, session or key has ended, or its role, or the business is suspended.
     */
    lookAgain(request: FastifyRequest): Promise<readonly Permission[] | undefined>
    /** For bodies that handlers read: judges the caller anew once all has arrived, if that took long. Throws as the guard would now. */
    enterAgain(request: FastifyRequest, reply: FastifyReply): Promise<void>
  }
}

export type RouteInfo = {
  method: string
  url: string
  access: Access
  business: BusinessSource
  body: boolean
  keys?: KeyRule | undefined
  takesLimitedSessions?: true | undefined
  reads?: 'replica' | undefined
  isStream?: true | undefined
  isOwnPage?: true | undefined
  schema?: FastifySchema | undefined
}

export type Credential = { kind: 'bearer' | 'api-key'; value: string }

export type Maybe<Value> = Value | Promise<Value>

/** Dependencies of the guard. A plain value (not a promise) keeps the hot path synchronous. */
export type GuardOptions = {
  /** The caller from the cache, without a database query. */
  peek: (credential: Credential) => Actor | undefined
  authenticate: (credential: Credential) => Maybe<Actor | undefined>
  /** Whether we issued it, as far as that is known without the database. */
  recognises: (credential: Credential) => Maybe<boolean>
  findBusiness: (id: string) => Maybe<Business | undefined>
  /** The same for a request that writes: waits while the business moves. */
  findToWrite: (id: string) => Maybe<Business | undefined>
  forgetBusiness: (id: string) => void
  /** The business with that id or slug, if its shop is public and it is not suspended. */
  findPublicBusiness: (idOrSlug: string) => Maybe<Business | undefined>
  permissionsOf: (actor: Actor, businessId: string) => Maybe<readonly Permission[]>
  /** Throws unless the caller has proven within minutes who they are. */
  needFreshProof: (actor: Actor) => Promise<void>
  /** What reads may go by while control is away; undefined: nothing. */
  away?: WhileAway | undefined
  cells: ReadonlyMap<string, Cell>
  /** The origin of PUBLIC_URL. */
  ownOrigin: string
  /** Whether this cell lacks migrations of this version. */
  isBehind: (cell: string) => boolean
  /** A reason to refuse the request, now that its business is known, and with it the cell. */
  enterCell?: ((request: FastifyRequest, business: Business) => Error | undefined) | undefined
}

/**
 * While control is away, nobody can say what was changed there: sessions and keys that were revoked, roles that were taken. So only
 * reads go on, of businesses that are known, and of those who can see no more than their own: `findCaller` finds neither API keys
 * nor operators, and whoever has a role is refused.
 */
export type WhileAway = {
  /** Nothing to think about: control is heard. */
  isTrusted: () => boolean
  isAway: () => Promise<boolean>
  findCaller: (credential: Credential) => Promise<Actor | undefined>
  findBusiness: (id: string) => Maybe<Business | undefined>
  findPublicBusiness: (idOrSlug: string) => Maybe<Business | undefined>
  permissionsOf: (actor: Actor, businessId: string) => Maybe<readonly Permission[] | undefined>
}

const state = Symbol('guard')
type State = {
  /** Read once: `request.routeOptions` is made anew each time that it is asked for. */
  route: FastifyContextConfig
  url: string
  credential: Credential | undefined
  /** When the guard began to look at it. */
  since: number
  caller?: Actor | undefined
  business?: Business
  permissions: readonly Permission[]
  /** What it reads may lack the last seconds. */
  isPerhapsOld?: boolean
}
type Guarded = FastifyRequest & { [state]: State }
const stateOf = (request: FastifyRequest) => (request as Guarded)[state]

/** The cell of the business that this request is for, once that is known. */
export const cellNameOf = (request: FastifyRequest): string | undefined => stateOf(request)?.business?.cell

/** The business that this request is for, once that is known. */
export const businessIdOf = (request: FastifyRequest): string | undefined => stateOf(request)?.business?.id
export const businessOf = (request: FastifyRequest): Business | undefined => stateOf(request)?.business

export const isPerhapsOld = (request: FastifyRequest): boolean => stateOf(request)?.isPerhapsOld ?? false

/** A body may take two minutes to arrive. After more than this the caller is judged anew: they may have been dismissed meanwhile. */
const LONG_MS = 1_000

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

const NO_PERMISSIONS: readonly Permission[] = []

/** A caller who is limited to another business: their user has no records here, neither orders nor subscriptions. */
const asStranger = (caller: Actor): Actor => ({ ...caller, userId: 'stranger', email: undefined, formerIds: [] })

/** Everything about the caller that is known synchronously: read once, for rate limits and guard alike. */
export const recognised = (request: FastifyRequest): Pick<State, 'route' | 'url' | 'credential' | 'caller'> =>
  stateOf(request)

export function recogniseCallers(app: FastifyInstance, { peek }: Pick<GuardOptions, 'peek'>): void {
  app.decorateRequest(state as unknown as string, null)
  app.addHook('onRequest', (request, reply, done) => {
    const { config: route, url = '' } = request.routeOptions
    const credential = credentialOf(request)
    const isStorefront = route.business === 'storefront'
    const caller = isStorefront ? undefined : credential && peek(credential)
    if (isStorefront)
      void reply.header('cache-control', 'no-store') // unless there is an answer that may be kept
    ;(request as Guarded)[state] = {
      route,
      url,
      credential,
      since: performance.now(),
      caller,
      permissions: NO_PERMISSIONS,
    }
    done()
  })
}

type CountCaller = (request: FastifyRequest, reply: FastifyReply, caller: Actor) => Maybe<void>
type Counting = {
  countCaller: CountCaller
  /** For storefront routes: the key of the business that the request came with, if any. */
  countKey: (request: FastifyRequest, reply: FastifyReply, key: Actor | undefined) => Maybe<void>
  /** Throws when the business has a limit of its own, and is over it. */
  countBusiness: (business: Business, reply: FastifyReply) => Maybe<void>
}

/** Longer than a replica may be behind: before that, one of its new cell may not have it yet. */
const COMING_MS = 600_000
const hasJustCome = ({ movedAt }: Business) => movedAt !== null && movedAt.getTime() > nowMs() - COMING_MS

/**
 * Enforces the access that every route declares, before the body is read, and once more if that takes long. A route without a declaration stops the
 * server from starting.
 */
export function guardRoutes(app: FastifyInstance, options: GuardOptions, counting?: Counting): void {
  const { authenticate, findBusiness, findToWrite, findPublicBusiness, permissionsOf, needFreshProof } = options
  const { cells, ownOrigin, isBehind, enterCell, away } = options
  const countCaller = counting?.countCaller

  app.decorate('routeTable', [])
  app.decorate('forgetBusiness', options.forgetBusiness)
  app.decorate('findCellNow', async (id: string) => cells.get((await findBusiness(id))?.cell ?? ''))
  app.decorateRequest('caller', {
    getter(this: FastifyRequest) {
      return stateOf(this).caller
    },
  })
  app.decorateRequest('permissions', {
    getter(this: FastifyRequest) {
      return stateOf(this).permissions
    },
  })
  app.decorateRequest('actor', {
    getter(this: FastifyRequest) {
      const { caller } = stateOf(this)
      if (!caller) throw new TypeError('This route is public: it has a caller, perhaps, but no actor')
      return caller
    },
  })
  app.decorateRequest('business', {
    getter(this: FastifyRequest) {
      const { business } = stateOf(this)
      if (!business) throw new TypeError("This route has `business: 'none'`")
      return business
    },
  })
  app.decorateRequest('cell', {
    getter(this: FastifyRequest) {
      const { business } = this
      const cell = cellOf(cells, business, this.log)
      if (isBehind(business.cell)) throw refusal.cellBehind()
      const guarded = stateOf(this)
      if (guarded.route.reads === undefined || !cell.replica || hasJustCome(business)) return cell
      guarded.isPerhapsOld = true
      return cell.replica
    },
  })

  app.decorateRequest('enterBusiness', function (this: FastifyRequest, business: Business) {
    stateOf(this).business = business
    const refused = enterCell?.(this, business)
    if (refused) throw refused
  })

  const routes: { method: string; route: RouteOptions }[] = []
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) {
      if (method !== 'HEAD' && method !== 'OPTIONS') routes.push({ method, route })
    }
  })
  app.addHook('onReady', async () => {
    for (const { method, route } of routes) {
      const { url, config = {}, schema } = route
      const { access, business, keys, takesLimitedSessions, reads, isStream, isOwnPage } = config
      const problem = findAccessProblem({ access, business })
      if (problem || !access || !business) throw new Error(`${method} ${url} ${problem}`)
      if (isPermission(access) && (business === 'none' || business === 'provider' || business === 'token')) {
        throw new Error(`${method} ${url} asks for ${wordsOf(access)}, but names no business in which to hold it.`)
      }
      if (access === 'operator' && business !== 'none') {
        throw new Error(`${method} ${url} is for operators, who act in no business: give it business: 'none'.`)
      }
      if (reads && method !== 'GET') throw new Error(`${method} ${url} writes, and no replica takes writes.`)
      if (keys === 'strangers' && (method !== 'GET' || access !== 'guest')) {
        throw new Error(`${method} ${url} takes keys of other businesses, which only read what any guest may.`)
      }
      if (business === 'storefront' && (method !== 'GET' || access !== 'public')) {
        throw new Error(`${method} ${url} is below a storefront, where everybody reads and nobody writes.`)
      }
      const body = Boolean(schema?.body)
      const rules = { access, business, keys, takesLimitedSessions, isStream, isOwnPage }
      app.routeTable.push({ method, url, body, reads, schema, ...rules })
    }
  })

  app.addHook('onRequest', (request, reply, done) => {
    const { access, business, isOwnPage } = stateOf(request).route
    if (request.is404 || access === undefined || business === undefined) return done()
    if (isOwnPage && request.headers.origin !== ownOrigin) return done(refusal.foreignOrigin())
    if (away && !away.isTrusted() && mayGoOn(request))
      return void enterDoubtfully(away, request, reply, access, business).then(() => done(), done)
    if (business === 'storefront') return void openStorefront(request, reply).then(() => done(), done)
    const step = identify(request, reply, access)
    if (step instanceof Promise)
      return void step.then(() => enter(request, reply, access, business)).then(() => done(), done)
    const next = enter(request, reply, access, business)
    if (next instanceof Promise) return void next.then(() => done(), done)
    done()
  })

  /** Asks control as long as it answers; then goes by what was known. */
  async function enterDoubtfully(
    away: WhileAway,
    request: FastifyRequest,
    reply: FastifyReply,
    access: Access,
    business: BusinessSource,
  ): Promise<void> {
    if (await away.isAway()) return enterByMemory(away, request, reply, access, business)
    try {
      if (business === 'storefront') return await openStorefront(request, reply)
      await identify(request, reply, access)
      await enter(request, reply, access, business)
    } catch (error) {
      if (!isDatabaseUnavailable(error) || !(await away.isAway())) throw error
      await enterByMemory(away, request, reply, access, business)
    }
  }

  async function enterByMemory(
    away: WhileAway,
    request: FastifyRequest,
    reply: FastifyReply,
    access: Access,
    source: BusinessSource,
  ): Promise<void> {
    const guarded = stateOf(request)
    guarded.isPerhapsOld = true
    if (source === 'storefront') {
      const { business: asked } = request.params as { business?: unknown }
      const business = await away.findPublicBusiness(typeof asked === 'string' ? asked : '')
      if (!business) throw refusal.controlAway()
      guarded.business = business
      await counting?.countKey(request, reply, undefined)
      if (!business.storefront.isPublic || business.suspendedAt) throw refusal.businessNotFound()
      await counting?.countBusiness(business, reply)
      return
    }
    const { credential } = guarded
    if (isPermission(access)) throw refusal.controlAway()
    if (credential === TWO_DIFFERENT) throw refusal.twoCredentials()
    if (!credential && access !== 'public') throw refusal.credentialRequired()
    const caller = credential && (await away.findCaller(credential))
    if (credential && !caller) throw refusal.controlAway()
    const { businessId } = (source === 'path' ? request.params : request.query) as { businessId?: unknown }
    const business =
      typeof businessId === 'string' && isId(businessId) ? await away.findBusiness(businessId) : undefined
    if (!business) throw refusal.controlAway()
    if (caller?.onlyBusinessId !== undefined && caller.onlyBusinessId !== business.id) throw refusal.controlAway()
    // Somebody who has a role there would get their own few orders for all there are.
    const held = caller?.kind === 'user' ? await away.permissionsOf(caller, business.id) : NO_PERMISSIONS
    if (held?.length !== 0) throw refusal.controlAway()
    if (access === 'signed-in' && caller?.kind === 'guest') throw refusal.guestsRefused()
    if (business.suspendedAt && access !== 'public')
      throw access === 'guest' ? suspendedBusinessHidden() : businessSuspended()
    guarded.caller = caller
    guarded.business = business
    if (caller) await countCaller?.(request, reply, caller)
    if (access !== 'public') await counting?.countBusiness(business, reply)
  }

  /** Identifies the caller. On a public route an expired token means an anonymous caller, not an error. */
  function identify(request: FastifyRequest, reply: FastifyReply, access: Access): Maybe<void> {
    const { credential, caller } = stateOf(request)
    if (caller) return
    if (credential === TWO_DIFFERENT) {
      throw refusal.twoCredentials()
    }
    if (!credential) {
      if (access !== 'public') throw refusal.credentialRequired()
      return
    }
    const settle = (actor: Actor | undefined) => {
      if (!actor && access !== 'public') throw refusal.credentialInvalid()
      if (!actor) return
      stateOf(request).caller = actor
      return countCaller?.(request, reply, actor)
    }
    const actor = authenticate(credential)
    return actor instanceof Promise ? actor.then(settle) : settle(actor)
  }

  /** Not public, suspended and unknown look alike. The credential counts for the rate limit only. */
  async function openStorefront(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { business: asked } = request.params as { business?: unknown }
    const business = await findPublicBusiness(typeof asked === 'string' ? asked : '')
    if (business) stateOf(request).business = business // before the limits: what they refuse is its use, too
    if (counting) await counting.countKey(request, reply, business && (await findKeyOf(request, business)))
    if (!business) throw refusal.businessNotFound()
    await counting?.countBusiness(business, reply)
  }

  /** The API key that the request came with, if it is one of this business. */
  async function findKeyOf(request: FastifyRequest, business: Business): Promise<Actor | undefined> {
    const { credential } = stateOf(request)
    if (!credential) return undefined
    try {
      const actor = await authenticate(credential)
      if (actor?.kind !== 'api') return undefined
      if (actor.onlyBusinessId !== undefined) return actor.onlyBusinessId === business.id ? actor : undefined
      return thatCount(business, actor, await permissionsOf(actor, business.id)).length > 0 ? actor : undefined
    } catch (error) {
      // Who comes without a key is answered from caches, so whoever has one must be, too.
      request.log.warn({ err: error }, 'the key of a storefront request could not be looked up')
      return undefined
    }
  }

  function enter(request: FastifyRequest, reply: FastifyReply, access: Access, source: BusinessSource): Maybe<void> {
    if (access !== 'public' && access !== 'guest' && request.caller?.kind === 'guest') {
      throw refusal.guestsRefused()
    }
    if (access === 'operator') return enterAsOperator(request)
    const { keys, takesLimitedSessions } = stateOf(request).route
    if (keys === 'refused' && request.caller?.kind === 'api') {
      throw refusal.keysRefused()
    }
    const isOfAccount = source === 'none' && keys !== undefined
    if (isOfAccount && !takesLimitedSessions && isLimitedSession(request.caller)) throw refusal.ownSignInRequired()
    if (keys === 'unbound' && request.caller?.onlyBusinessId) throw refusal.keyIsBound()
    if (keys === 'unbound' && request.caller?.onlyPermissions) throw refusal.keyIsLimited()
    if (source === 'path') return open(request, reply, access, (request.params as { businessId?: unknown }).businessId)
    if (source === 'query') {
      const { businessId } = request.query as { businessId?: unknown }
      // An absent id is for the schema to refuse, with its field's name.
      if (typeof businessId === 'string') return open(request, reply, access, businessId)
    }
  }

  function enterAsOperator({ actor, method }: FastifyRequest): Maybe<void> {
    if (actor.kind !== 'user') throw refusal.keysRefused()
    if (!actor.isOperator) throw refusal.operatorsOnly()
    if (!actor.passedSecondFactor) throw refusal.operatorFactorMissing()
    if (method !== 'GET' && method !== 'HEAD') return needFreshProof(actor)
  }

  function enterWithBody(
    request: FastifyRequest,
    reply: FastifyReply,
    access: Access,
    source: BusinessSource,
  ): Maybe<void> {
    const body = (request.body ?? {}) as { businessId?: unknown }
    const { businessId } = body
    if (source === 'path' && businessId !== undefined) {
      if (businessId !== request.business.id) throw refusal.businessesDiffer()
      delete body.businessId // it repeats the path
    }
    if (source === 'body' && typeof businessId === 'string') return open(request, reply, access, businessId)
  }

  const isLate = (request: FastifyRequest) => !isRead(request) && performance.now() - stateOf(request).since > LONG_MS

  /** From caches, as a rule. The caller has been counted before, and so has the business, if it was known. */
  async function enterAgain(
    request: FastifyRequest,
    reply: FastifyReply,
    access: Access,
    source: BusinessSource,
  ): Promise<void> {
    const guarded = stateOf(request)
    if (guarded.credential) {
      guarded.caller = await authenticate(guarded.credential)
      if (!guarded.caller && access !== 'public') throw refusal.credentialInvalid()
    }
    await enter(request, reply, access, source)
    await enterWithBody(request, reply, access, source)
  }

  app.decorate('enterAgain', async (request: FastifyRequest, reply: FastifyReply) => {
    const { access = 'public', business = 'none' } = stateOf(request).route
    if (isLate(request)) await enterAgain(request, reply, access, business)
  })

  app.addHook('preValidation', (request, reply, done) => {
    const { access, business } = stateOf(request).route
    if (request.is404 || access === undefined || business === undefined) return done()
    try {
      const step = (isLate(request) ? enterAgain : enterWithBody)(request, reply, access, business)
      if (step instanceof Promise) return void step.then(() => done(), done)
    } catch (error) {
      return done(error as Error)
    }
    done()
  })

  app.addHook('preHandler', (request, _reply, done) => {
    const { route, business } = stateOf(request)
    const missing = (route.business === 'body' || route.business === 'query') && !business
    if (missing) return done(refusal.businessRequired())
    done(business && enterCell?.(request, business))
  })

  /**
   * Finds the business and what the caller may do in it. Without the permission it is 403, whether or not it exists.
   */
  function open(request: FastifyRequest, reply: FastifyReply, access: Access, businessId: unknown): Maybe<void> {
    const id = typeof businessId === 'string' ? businessId : '' // of a body that no schema has seen: of any length
    const { caller, route } = stateOf(request)
    const isElsewhere = caller?.onlyBusinessId !== undefined && caller.onlyBusinessId !== id
    if (isElsewhere) {
      if (access !== 'public' && route.keys !== 'strangers')
        throw isLimitedSession(caller) ? refusal.ownSignInRequired() : refusal.keyIsOfAnother()
      stateOf(request).caller = asStranger(caller)
    }
    const business = isRead(request) ? findBusiness(id) : findToWrite(id)
    const hasNone = !caller || caller.kind === 'guest' || isElsewhere
    const permissions = hasNone ? NO_PERMISSIONS : permissionsOf(caller, id)
    const settle = (found: Business | undefined, held: readonly Permission[]): Maybe<void> => {
      const counted = thatCount(found, caller, held)
      if (isPermission(access) && !holdsAny(counted, access)) {
        throw holdsAny(held, access)
          ? refusal.secondFactorMissing()
          : refusal.permissionMissing({ access: wordsOf(access) })
      }
      // A person goes on as a customer. A program would take their few records for all there are.
      if (access !== 'public' && caller?.kind === 'api' && counted !== held && held.length > 0)
        throw refusal.secondFactorMissing()
      if (!found)
        throw route.business === 'path' ? refusal.businessNotFound() : refusal.businessUnknown({ id: id.slice(0, 64) })
      // Public routes stay open: newsletter subscribers of a suspended business can still unsubscribe.
      if (found.suspendedAt && access !== 'public')
        throw access === 'guest' ? suspendedBusinessHidden() : businessSuspended()
      const guarded = stateOf(request)
      const isCounted = guarded.business !== undefined
      guarded.business = found
      guarded.permissions = counted
      // Nor does a limit of the business keep its readers from unsubscribing: these count for the address alone.
      return access === 'public' || isCounted ? undefined : counting?.countBusiness(found, reply)
    }
    if (business instanceof Promise || permissions instanceof Promise) {
      return Promise.all([business, permissions]).then(([found, held]) => settle(found, held))
    }
    return settle(business, permissions)
  }

  app.decorate('lookAgain', async (request: FastifyRequest) => {
    const { credential, caller: before, business: opened, route } = stateOf(request)
    const caller = credential && (await authenticate(credential))
    if (!caller || !opened || caller.userId !== before?.userId) return undefined
    if (caller.onlyBusinessId !== undefined && caller.onlyBusinessId !== opened.id) return undefined
    const [business, held] = await Promise.all([findBusiness(opened.id), permissionsOf(caller, opened.id)])
    if (!business || business.suspendedAt) return undefined
    const { access = 'public' } = route
    const counted = thatCount(business, caller, held)
    return isPermission(access) && !holdsAny(counted, access) ? undefined : counted
  })
}

/** Reads that name their business, and are answered once. */
function mayGoOn(request: FastifyRequest): boolean {
  const { business, isStream } = stateOf(request).route
  return isRead(request) && !isStream && (business === 'storefront' || business === 'path' || business === 'query')
}

/** Where a business wants a second factor, whoever has passed none is a user without a role. */
export const thatCount = (
  business: Business | undefined,
  caller: Actor | undefined,
  held: readonly Permission[],
): readonly Permission[] =>
  business?.requireSecondFactor && !hasSecondFactor(caller, business.id) ? NO_PERMISSIONS : held

/** By the sign-in provider of a business, and not confirmed by its person. */
const isLimitedSession = (caller: Actor | undefined) => caller?.kind === 'user' && caller.onlyBusinessId !== undefined

/** What is wrong with a route's access declaration. Extensions and plain JavaScript can pass what the types rule out. */
export function findAccessProblem({ access, business }: Pick<FastifyContextConfig, 'access' | 'business'>) {
  if (!access || !business)
    return "does not say who may call it. Give the route config: { access: …, business: … } (for example { access: 'PRODUCTS_WRITE', business: 'path' })."
  const allowed: readonly unknown[] = Array.isArray(access) ? PERMISSIONS : [...CALLERS, ...PERMISSIONS]
  const values: readonly unknown[] = [access].flat()
  if (values.length === 0 || !values.every((value) => allowed.includes(value)))
    return `has an unknown access, ${JSON.stringify(access)}. Use one of ${CALLERS.join(', ')}, or permissions: ${PERMISSIONS.join(', ')}.`
  if (!BUSINESS_SOURCES.includes(business))
    return `has an unknown business, ${JSON.stringify(business)}. Use one of ${BUSINESS_SOURCES.join(', ')}.`
  return undefined
}

export const isPermission = (access: Access): access is Permission | readonly Permission[] =>
  access !== 'public' && access !== 'guest' && access !== 'signed-in' && access !== 'operator'

/** The permissions of which any one suffices. */
export const permissionsIn = (access: Permission | readonly Permission[]): readonly Permission[] =>
  typeof access === 'string' ? [access] : access

const holdsAny = (held: readonly Permission[], access: Permission | readonly Permission[]) =>
  permissionsIn(access).some((permission) => holds(held, permission))

/** `ORDERS_READ or PRODUCTS_WRITE`. */
export const wordsOf = (access: Permission | readonly Permission[]) => permissionsIn(access).join(' or ')

/** Never valid: the guard refuses it, after it has been counted for the rate limit. */
const TWO_DIFFERENT: Credential = { kind: 'bearer', value: '' }

/** `X-API-Key`, or `Authorization: Bearer` with a token or a key. Two different ones are a mistake worth naming. */
function credentialOf(request: FastifyRequest): Credential | undefined {
  const { authorization, 'x-api-key': apiKey } = request.headers
  const bearer = authorization === undefined ? undefined : /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (typeof apiKey === 'string' && apiKey !== '') {
    if (bearer !== undefined && bearer !== apiKey) return TWO_DIFFERENT
    return { kind: 'api-key', value: apiKey }
  }
  if (bearer !== undefined) return { kind: 'bearer', value: bearer }
  // A header that is there but not understood is an invalid credential, not an absent one.
  return authorization === undefined ? undefined : { kind: 'bearer', value: '' }
}
