import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RouteOptions,
} from 'fastify'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import {
  badRequest,
  businessSuspended,
  type Detail,
  forbidden,
  invalid,
  notFound,
  unauthenticated,
} from '#vocabulary/errors.ts'
import { holds, type Permission } from '#vocabulary/permissions.ts'
import type { Db } from '../database/database.ts'
import { cellBehind, cellOf } from './cells.ts'

/** Who may call a route: anybody, any token, anybody but a guest, or who holds a permission in the route's business. */
export type Access = 'public' | 'guest' | 'signed-in' | Permission

/** Where a request names its business. `provider`: in what a provider sends, checked by the handler. */
export type BusinessSource = 'path' | 'body' | 'query' | 'provider' | 'none'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    business?: BusinessSource
    /** A POST that creates: takes `Idempotency-Key`. */
    idempotent?: boolean
    /** API keys that may not come here: none of them may, or those bound to one business. */
    keys?: 'refused' | 'unbound'
    /** The contract answers some failing bodies with 400 instead of 422. */
    isBadRequest?: (body: Record<string, unknown>) => boolean
    /** What no schema can say: asked of a body that its schema refuses, so that everything wrong is told at once. */
    alsoCheck?: (body: Record<string, unknown>) => Detail[]
    /** Takes a file, of one of these types, instead of JSON. */
    uploads?: string[]
    /** Answers with a file, of one of these types. */
    downloads?: string[]
    /** Routes that use up the same thing have their places together, when there is more to do than can be done. */
    shares?: 'passwords' | 'uploads'
    /** Has a limit of its own, longer than the one for all. */
    isSlow?: true
    /** What else it may answer, beside what follows from the rest. */
    fails?: (401 | 403 | 404 | 409 | 502)[]
    /** The query parameters that it knows; made from its schema. */
    parameters?: readonly string[]
    /** So do parameters begin whose names no schema can list. */
    parameterPrefix?: string
    /** Others append parameters of their own to its address. */
    takesAnyParameter?: true
    /** A record with an ETag: reads take `If-None-Match`, writes take `If-Match`. */
    versioned?: boolean
  }
  interface FastifyRequest {
    /** Who is calling; undefined only on public routes. */
    caller: Actor | undefined
    /** The caller of a route that needs one. */
    actor: Actor
    /** The business that this request is for. */
    business: Business
    /** The database that holds what this business owns. */
    cell: Db
    /** What the caller may do in this business. */
    permissions: readonly Permission[]
  }
  interface FastifyInstance {
    routeTable: RouteInfo[]
  }
}

export type RouteInfo = {
  method: string
  url: string
  access: Access
  business: BusinessSource
  body: boolean
  keys?: 'refused' | 'unbound' | undefined
  schema?: FastifySchema | undefined
}

export type Credential = { kind: 'bearer' | 'api-key'; value: string }

export type Maybe<Value> = Value | Promise<Value>

/** What the guard needs to know; the app hands it in. A plain value (not a promise) keeps the hot path free of waiting. */
export type GuardOptions = {
  /** Who that is, if we know it without asking. */
  peek: (credential: Credential) => Actor | undefined
  authenticate: (credential: Credential) => Maybe<Actor | undefined>
  /** Is it ours, as far as can be told without the database? */
  recognises: (credential: Credential) => Maybe<boolean>
  findBusiness: (id: string) => Maybe<Business | undefined>
  permissionsOf: (actor: Actor, businessId: string) => Maybe<readonly Permission[]>
  cells: ReadonlyMap<string, Db>
  /** Does this cell lack migrations of this version? */
  isBehind: (cell: string) => boolean
  /** A reason to refuse the request, now that its cell is known. */
  enterCell?: ((request: FastifyRequest, cell: string) => Error | undefined) | undefined
}

const state = Symbol('guard')
type State = {
  /** Read once: `request.routeOptions` is made anew each time that it is asked for. */
  route: FastifyContextConfig
  url: string
  credential: Credential | undefined
  caller?: Actor | undefined
  business?: Business
  permissions: readonly Permission[]
}
type Guarded = FastifyRequest & { [state]: State }
const stateOf = (request: FastifyRequest) => (request as Guarded)[state]

/** The cell of the business that this request is for, once that is known. */
export const cellNameOf = (request: FastifyRequest): string | undefined => stateOf(request)?.business?.cell

const NO_PERMISSIONS: readonly Permission[] = []

/** What there is to know of a caller before anybody waits: read once, for limits and guard alike. */
export const recognised = (request: FastifyRequest): Pick<State, 'route' | 'url' | 'credential' | 'caller'> =>
  stateOf(request)

export function recogniseCallers(app: FastifyInstance, { peek }: Pick<GuardOptions, 'peek'>): void {
  app.decorateRequest(state as unknown as string, null)
  app.addHook('onRequest', (request, _reply, done) => {
    const { config: route, url = '' } = request.routeOptions
    const credential = credentialOf(request)
    const caller = credential && peek(credential)
    ;(request as Guarded)[state] = { route, url, credential, caller, permissions: NO_PERMISSIONS }
    done()
  })
}

type CountCaller = (request: FastifyRequest, reply: FastifyReply, caller: Actor) => Maybe<void>

/** Every route declares its access as data; this enforces it before the body is even read, and refuses to start without it. */
export function guardRoutes(app: FastifyInstance, options: GuardOptions, countCaller?: CountCaller): void {
  const { authenticate, findBusiness, permissionsOf, cells, isBehind, enterCell } = options

  app.decorate('routeTable', [])
  app.decorateRequest('caller', { getter(this: FastifyRequest) { return stateOf(this).caller } }) // biome-ignore format: one line
  app.decorateRequest('permissions', { getter(this: FastifyRequest) { return stateOf(this).permissions } }) // biome-ignore format: one line
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
      if (isBehind(business.cell)) throw cellBehind()
      return cell
    },
  })

  const routes: { method: string; route: RouteOptions }[] = []
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) {
      if (method !== 'HEAD' && method !== 'OPTIONS') routes.push({ method, route })
    }
  })
  app.addHook('onReady', async () => {
    for (const { method, route } of routes) {
      const { url, config: { access, business, keys } = {}, schema } = route
      if (!access || !business) {
        throw new Error(
          `${method} ${url} does not say who may call it. Give the route config: { access: …, business: … } ` +
            "(for example { access: 'PRODUCTS_WRITE', business: 'path' }).",
        )
      }
      if (isPermission(access) && (business === 'none' || business === 'provider')) {
        throw new Error(`${method} ${url} asks for ${access}, but names no business in which to hold it.`)
      }
      app.routeTable.push({ method, url, access, business, body: Boolean(schema?.body), keys, schema })
    }
  })

  app.addHook('onRequest', (request, reply, done) => {
    const { access, business } = stateOf(request).route
    if (request.is404 || access === undefined || business === undefined) return done()
    const step = identify(request, reply, access)
    if (step instanceof Promise) return void step.then(() => enter(request, access, business)).then(() => done(), done)
    const next = enter(request, access, business)
    if (next instanceof Promise) return void next.then(() => done(), done)
    done()
  })

  /** Who is calling? On a public route a stale token is nobody, not an error. */
  function identify(request: FastifyRequest, reply: FastifyReply, access: Access): Maybe<void> {
    const { credential, caller } = stateOf(request)
    if (caller) return
    if (credential === TWO_DIFFERENT) {
      throw badRequest('Send either X-API-Key or Authorization, not two different credentials.')
    }
    if (!credential) {
      if (access !== 'public') throw unauthenticated('Send an access token or API key in the Authorization header.')
      return
    }
    const settle = (actor: Actor | undefined) => {
      if (!actor && access !== 'public') throw unauthenticated('This token or key is not valid, or no longer.')
      if (!actor) return
      stateOf(request).caller = actor
      return countCaller?.(request, reply, actor)
    }
    const actor = authenticate(credential)
    return actor instanceof Promise ? actor.then(settle) : settle(actor)
  }

  function enter(request: FastifyRequest, access: Access, source: BusinessSource): Maybe<void> {
    if (access !== 'public' && access !== 'guest' && request.caller?.kind === 'guest') {
      throw forbidden('Guests cannot do this. Log in with an account.')
    }
    const { keys } = stateOf(request).route
    if (keys === 'refused' && request.caller?.kind === 'api') {
      throw forbidden('An API key cannot do this. Log in with your account.')
    }
    if (keys === 'unbound' && request.caller?.onlyBusinessId) throw forbidden('This key works in one business only.')
    if (source === 'path') return open(request, access, (request.params as { businessId?: unknown }).businessId)
    if (source === 'query') {
      const { businessId } = request.query as { businessId?: unknown }
      // An absent id is for the schema to refuse, with its field's name.
      if (typeof businessId === 'string') return open(request, access, businessId)
    }
  }

  app.addHook('preValidation', (request, _reply, done) => {
    const { access, business } = stateOf(request).route
    const { businessId } = (request.body ?? {}) as { businessId?: unknown }
    if (request.is404 || access === undefined) return done()
    if (business === 'path' && businessId !== undefined && businessId !== request.business.id) {
      return done(invalid('businessId', 'INVALID', 'The body names another business than the path.'))
    }
    if (business !== 'body' || typeof businessId !== 'string') return done()
    try {
      const step = open(request, access, businessId)
      if (step instanceof Promise) return void step.then(() => done(), done)
    } catch (error) {
      return done(error as Error)
    }
    done()
  })

  app.addHook('preHandler', (request, _reply, done) => {
    const { route, business } = stateOf(request)
    const missing = (route.business === 'body' || route.business === 'query') && !business
    if (missing) return done(invalid('businessId', 'REQUIRED', 'Say which business this is for: fill in businessId.'))
    done(business && enterCell?.(request, business.cell))
  })

  /** Finds the business and what the caller may do in it. Without the permission it is 403, whether or not it exists. */
  function open(request: FastifyRequest, access: Access, businessId: unknown): Maybe<void> {
    const id = typeof businessId === 'string' ? businessId : ''
    const { caller } = stateOf(request)
    // Elsewhere a bound key reads what any guest may, and writes nothing.
    const isElsewhere = caller?.onlyBusinessId !== undefined && caller.onlyBusinessId !== id
    if (isElsewhere && (access === 'signed-in' || (access === 'guest' && !isRead(request)))) {
      throw forbidden('This key works in another business.')
    }
    const business = findBusiness(id)
    const permissions = caller && caller.kind !== 'guest' ? permissionsOf(caller, id) : NO_PERMISSIONS
    const settle = (found: Business | undefined, held: readonly Permission[]) => {
      if (isPermission(access) && !holds(held, access)) {
        throw forbidden(`This needs the permission ${access} in this business.`)
      }
      if (!found)
        throw stateOf(request).route.business === 'path'
          ? notFound('business')
          : invalid('businessId', 'NOT_FOUND', `There is no business ${id}.`)
      // What is public stays: whoever has a newsletter of it can still leave.
      if (found.suspendedAt && access !== 'public') throw businessSuspended(access === 'guest' ? 404 : 403)
      const guarded = stateOf(request)
      guarded.business = found
      guarded.permissions = held
    }
    if (business instanceof Promise || permissions instanceof Promise) {
      return Promise.all([business, permissions]).then(([found, held]) => settle(found, held))
    }
    settle(business, permissions)
  }
}

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

export const isPermission = (access: Access): access is Permission =>
  access !== 'public' && access !== 'guest' && access !== 'signed-in'

/** Nobody's, and told so by the guard, when it has been counted. */
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
