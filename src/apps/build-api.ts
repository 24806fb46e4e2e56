import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import {
  accessRoutes,
  createCustomers,
  createDirectory,
  holdCustomer,
  listHomes,
  nameCustomer,
} from '#modules/access/index.ts'
import {
  accountRoutes,
  businessLimit,
  createAttempts,
  createAuthenticator,
  createIdentityProvider,
  createOrigins,
  createTokens,
  findContact,
  idsOf,
  mailInvitation,
  openKeyring,
  readNames,
  userExists,
} from '#modules/accounts/index.ts'
import { catalogResolvers, catalogRoutes, promoRoutes, readProducts, transferRoutes } from '#modules/catalog/index.ts'
import { applyEvent, checkoutRoutes, closePageOf, resultPage } from '#modules/checkout/index.ts'
import { collectionRoutes, contentResolvers, entryRoutes, generateRoutes } from '#modules/content/index.ts'
import {
  applySubscriptionEvent,
  bounceRoutes,
  guardCollection,
  listPaidFor,
  newsletterPages,
  sendRoutes,
  subscriberTransferRoutes,
  subscriptionRoutes,
  suppressionRoutes,
} from '#modules/newsletter/index.ts'
import { findOrder, findOrderIds, orderRoutes } from '#modules/orders/index.ts'
import { webhookRoutes } from '#modules/payments/index.ts'
import { createModel } from '#platform/ai/openai-compatible.ts'
import type { Config } from '#platform/config.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import { handleOf, openDatabases, type Tx } from '#platform/database/database.ts'
import { openListener } from '#platform/database/listener.ts'
import { watchDatabases } from '#platform/database/watch.ts'
import { eventRoutes } from '#platform/events/routes.ts'
import { healthRoutes } from '#platform/http/health.ts'
import { createServer, type Server } from '#platform/http/server.ts'
import { enqueue } from '#platform/jobs/define.ts'
import {
  type Metrics,
  measureCells,
  measureOverload,
  measurePools,
  measureRequests,
  measureSharedCounts,
} from '#platform/observability/metrics.ts'
import { announceProcess } from '#platform/processes.ts'
import { openPayments } from '#platform/services.ts'
import { demoImages } from './demo/images/routes.ts'
import { findOpenCells } from './open-cells.ts'

/** A database that has not answered for so long may be hanging. */
const ANSWERING_MS = 200

const tags = [
  {
    name: 'Businesses',
    description: 'A business with its settings and markets. Almost everything else belongs to one.',
  },
  { name: 'Products', description: 'What a business sells, with variants and a price for each market.' },
  { name: 'Stock', description: 'How much there is of each variant, and a ledger of why.' },
  { name: 'Promo codes', description: 'Discounts that customers get for a word: for whom, where, when and how often.' },
  { name: 'Import and export', description: 'Many products at once, as NDJSON or CSV.' },
  { name: 'Checkout', description: 'From a cart to a paid order.' },
  { name: 'Orders', description: 'What was ordered, with a history of its state and one of its payment.' },
  { name: 'Collections', description: 'Kinds of content, each with a schema of its own.' },
  { name: 'Entries', description: 'Content: blocks with values, in a language, with a history.' },
  { name: 'Newsletters', description: 'Who subscribes, what is sent to them, and how far that is.' },
  { name: 'Roles', description: 'What the people of a business may do there.' },
  { name: 'Invitations', description: 'How people become members of a business.' },
  { name: 'Sign in', description: 'Ways in: email, an identity provider, as a guest; and what keeps a session going.' },
  { name: 'Accounts', description: 'One’s own account, its keys and sessions; users of a business.' },
  {
    name: 'Events',
    description: 'What happened: to what a business owns (events), and to the business itself (audit).',
  },
  { name: 'Health', description: 'For whoever runs the service.' },
]

export type Api = Awaited<ReturnType<typeof buildApi>>

export type ApiOptions = {
  log: Logger
  metrics: Metrics
  drainGraceMs?: number
  readerPatienceMs?: number
  /** How often databases are looked at. */
  lookEveryMs?: number
  trace?: ((app: FastifyInstance) => void) | undefined
  /** Called after every module, for routes of one's own. */
  extend?: (app: Server) => void | Promise<void>
}

/** The API, put together: what it needs, then every module's routes. This is the list of what exists. */
export async function buildApi(config: Config, options: ApiOptions) {
  const { log, metrics, trace, drainGraceMs = 1_000, readerPatienceMs = 10_000, lookEveryMs, extend } = options
  if (!config.rateLimits && config.mode === 'production') {
    log.warn('RATE_LIMITS is off: anybody may send as many requests as they like. It is meant for load tests.')
  }
  const databases = openDatabases(config.databases, {
    max: config.poolSize,
    maxAgeSeconds: config.connectionMaxAgeSeconds,
  })
  const { control, cells } = databases
  const every = lookEveryMs === undefined ? {} : { everyMs: lookEveryMs }
  const [listener, watch, presence] = await Promise.all([
    openListener(control),
    watchDatabases(databases, { log, ...every }),
    announceProcess({ control, kind: 'api', cells, findHomes: () => listHomes(control), log, ...every }),
  ])
  const box = createSecretBox(config.secretKeys)
  const keyring = openKeyring(control, box, listener)
  const tokens = createTokens(keyring, config.publicUrl)
  const directory = createDirectory(control, listener)
  const origins = createOrigins({ control, listener, publicUrl: config.publicUrl, allowed: config.allowedOrigins })
  const customers = createCustomers(control)
  const attempts = createAttempts(control, { addresses: config.rateLimits })
  const pages = { payments: openPayments(config), publicUrl: config.publicUrl, log }

  const app = await createServer({
    log,
    publicUrl: config.publicUrl,
    tags,
    trustProxy: config.trustProxy,
    limits: config.rateLimits ? config.limits : undefined,
    sharedCounts: config.redis && { ...config.redis, meter: measureSharedCounts(metrics) },
    overload: config.loadShedding
      ? {
          connections: handleOf(control).pool.options.max,
          isAnswering: (name) => handleOf(cells.get(name) ?? control).pool.hasAnswered(ANSWERING_MS),
          meter: measureOverload(metrics),
        }
      : undefined,
    compression: config.compression,
    trace,
    drainGraceMs,
    readerPatienceMs,
    guard: {
      ...directory,
      ...createAuthenticator({ control, tokens, box, listener }),
      cells,
      isBehind: (name) => watch.cells.get(name)?.state === 'behind',
    },
  })
  app.addHook('onClose', async () => {
    await Promise.all([presence.stop(), watch.stop()])
    await listener.close()
    await databases.close()
  })
  measureRequests(app, metrics, cells)
  measureCells(metrics, watch)
  measurePools(metrics, Object.fromEntries([...cells].map(([name, cell]) => [name, handleOf(cell).pool])))

  await app.register(healthRoutes, { watch, presence, providers: config.providers })
  await app.register(accountRoutes, {
    control,
    keyring,
    tokens,
    box,
    attempts,
    guestLoginsPerHour: config.limits.guestLoginsPerHour,
    origins,
    provider: createIdentityProvider(config.identity),
    publicUrl: config.publicUrl,
    providers: config.providers,
  })
  await app.register(accessRoutes, {
    control,
    findOpenCells: () => findOpenCells(control, watch),
    signup: config.businessSignup,
    mailInvitation: (tx, invitation) => mailInvitation(tx, attempts, invitation),
    countBusiness: (tx, userId) => attempts.on(tx).count(businessLimit(userId, config.businessesPerDay)),
  })
  const resolvers = { ...catalogResolvers(control), ...contentResolvers, ORDER: findOrderIds }
  await app.register(catalogRoutes, { prefix: '/v1/businesses/:businessId', resolvers })
  await app.register(transferRoutes, { prefix: '/v1/businesses/:businessId' })
  await app.register(promoRoutes, { prefix: '/v1/businesses/:businessId' })
  await app.register(orderRoutes, {
    prefix: '/v1/businesses/:businessId',
    idsOf: (userId) => idsOf(control, userId),
    userExists: (userId) => userExists(control, userId),
    holdCustomer: (businessId, userId) => holdCustomer(control, businessId, userId),
    nameCustomer: (businessId, userId) => nameCustomer(control, businessId, userId),
    closePage: (cell, businessId, orderId) => closePageOf(pages, cell, businessId, orderId),
  })
  await app.register(checkoutRoutes, {
    ...pages,
    rememberCustomer: customers.remember,
    findContact: (userId) => findContact(control, userId),
    limitsUnpaid: config.rateLimits,
    isAllowedUrl: (business, url) => origins.isAllowed(url, business.allowedOrigins),
  })
  await app.register(resultPage)
  await app.register(webhookRoutes, {
    payments: pages.payments,
    findBusiness: directory.findBusiness,
    cells,
    metrics,
    apply: (tx: Tx, event: { businessId: string; subject: string; eventId: string }) =>
      enqueue(tx, event.subject.startsWith('newsletter:') ? applySubscriptionEvent : applyEvent, event),
  })
  await app.register(collectionRoutes, { prefix: '/v1/businesses/:businessId', guard: guardCollection })
  await app.register(generateRoutes, {
    prefix: '/v1/businesses/:businessId',
    model: config.ai && createModel(config.ai),
    dailyTokens: config.ai?.dailyTokens ?? 0,
  })
  await app.register(entryRoutes, {
    prefix: '/v1/businesses/:businessId',
    resolvers,
    related: {
      PRODUCT: (cell, businessId, ids, { seesProducts }) => readProducts(cell, businessId, ids, seesProducts),
      USER: (_cell, businessId, ids) => readNames(control, businessId, ids),
    },
    findOpened: async (cell, businessId, { email, onlyBusinessId }) =>
      email === undefined || (onlyBusinessId ?? businessId) !== businessId ? [] : listPaidFor(cell, businessId, email),
    ownsOrder: async (cell, businessId, actor, orderId) => {
      if (actor.onlyBusinessId !== undefined && actor.onlyBusinessId !== businessId) return false
      const order = await findOrder(cell, businessId, orderId)
      return order !== undefined && (await idsOf(control, actor.userId)).includes(order.customerId)
    },
  })
  await app.register(subscriptionRoutes, {
    prefix: '/v1/businesses/:businessId',
    ...pages,
    box,
    hasMail: config.providers.mail,
    rememberCustomer: customers.remember,
    isAllowedUrl: (business, url) => origins.isAllowed(url, business.allowedOrigins),
  })
  await app.register(subscriberTransferRoutes, { prefix: '/v1/businesses/:businessId' })
  await app.register(sendRoutes, { publicUrl: config.publicUrl, hasMail: config.providers.mail })
  await app.register(newsletterPages, { findBusiness: directory.findBusiness, cells, box })
  await app.register(suppressionRoutes, { prefix: '/v1/businesses/:businessId' })
  await app.register(bounceRoutes, {
    ...config.newsletters.bounces,
    findBusiness: directory.findBusiness,
    cells,
    metrics,
  })
  await app.register(eventRoutes, { prefix: '/v1/businesses/:businessId' })
  await app.register(demoImages)
  await extend?.(app)

  return Object.assign(app, { services: { databases, listener, tokens, box, watch, presence } })
}
