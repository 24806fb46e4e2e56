import { accessRoutes, audit, holdCustomer, nameCustomer } from '#modules/access/index.ts'
import {
  accountRoutes,
  addGuest,
  businessLimit,
  calloutTestLimit,
  createIdentityProvider,
  createStaffProviders,
  findByEmailPrefix,
  findConfirmedEmail,
  findContact,
  forgetGuests,
  idsOf,
  mailImportedInvitations,
  mailInvitation,
  makeGuest,
  memberRoutes,
  type Outgoing,
  pingLimit,
  readEmails,
  readNames,
  sendDeletionNotice,
  userExists,
} from '#modules/accounts/index.ts'
import { mailRoutes, savedViewRoutes, searchRoutes } from '#modules/backoffice/index.ts'
import { calloutRoutes } from '#modules/callouts/index.ts'
import {
  bulkEditRoutes,
  catalogResolvers,
  catalogRoutes,
  categoryRoutes,
  countIncompleteImports,
  createProductSearch,
  findLowStock,
  promoRoutes,
  readProducts,
  stockRoutes,
  transferRoutes,
} from '#modules/catalog/index.ts'
import { checkoutRoutes, closeOrderSession, refundRoutes, resultPage } from '#modules/checkout/index.ts'
import { checkRoutes } from '#modules/checks/index.ts'
import {
  collectionRoutes,
  contentResolvers,
  createEntrySearch,
  entryRoutes,
  eraseEntriesOf,
  generateRoutes,
} from '#modules/content/index.ts'
import { customerRoutes, markCustomers, searchCustomers } from '#modules/customers/index.ts'
import { createHoldMedia, createLogos, mediaRoutes, readLogo } from '#modules/media/index.ts'
import {
  automationRoutes,
  bounceRoutes,
  clickPages,
  countSendsOfCell,
  guardCollection,
  listPaidNewsletters,
  listSendsOfCell,
  newsletterPages,
  segmentRoutes,
  sendRoutes,
  subscriberTransferRoutes,
  subscriptionRoutes,
  suppressionRoutes,
} from '#modules/newsletter/index.ts'
import { operatorRoutes } from '#modules/operator/index.ts'
import {
  commentRoutes,
  committedSql,
  findingRoutes,
  findOrderIds,
  isOrderOf,
  orderRoutes,
  packingSlipRoutes,
  paidOrdersSql,
  returnRoutes,
  searchOrders,
  shipmentRoutes,
  timelineRoutes,
} from '#modules/orders/index.ts'
import { eraseOrderPayers, findTroubles, paymentAccountRoutes, webhookRoutes } from '#modules/payments/index.ts'
import { isFirstSql, reportRoutes } from '#modules/reports/index.ts'
import { storefrontRoutes } from '#modules/storefront/index.ts'
import { webhookEndpointRoutes } from '#modules/webhooks/index.ts'
import { createModel } from '#platform/ai/openai-compatible.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Server } from '#platform/http/server.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { rulesFor } from '#platform/outgoing/check-address.ts'
import { createFetch } from '#platform/outgoing/fetch.ts'
import { askTextRecords } from '#platform/outgoing/resolve-name.ts'
import { EVENT_READERS, EVENTS } from './events.ts'
import { MAIL_PREVIEWS } from './mail-previews.ts'
import { findOpenCells } from './open-cells.ts'
import type { Parts } from './parts.ts'
import { RULES } from './rules.ts'
import { webhookAddresses } from './webhook-addresses.ts'

// Each function registers the routes of one module, and hands in what that module needs of others without importing them. The
// architecture test reads these arrows from here.

const prefix = '/v1/businesses/:businessId'

async function wireAccounts(app: Server, parts: Parts): Promise<void> {
  const { config, control, keyring, tokens, box, attempts, origins } = parts
  const { allowLoopback, nameServers } = config.outgoing
  const outgoing: Outgoing = {
    fetch: createFetch(rulesFor(config.outgoing)),
    findTextRecords: (name) => askTextRecords(name, nameServers),
    allowsHttp: allowLoopback,
  }
  await app.register(accountRoutes, {
    control,
    keyring,
    tokens,
    box,
    attempts,
    guestLoginsPerHour: config.limits.guestLoginsPerHour,
    origins,
    provider: createIdentityProvider(config.identity),
    staff: createStaffProviders({ control, box, outgoing }),
    outgoing,
    publicUrl: config.publicUrl,
    providers: config.providers,
    hasDashboard: config.dashboard,
  })
  await app.register(memberRoutes, { prefix, control, attempts })
}

async function wireAccess(app: Server, { config, control, watch, attempts, storage }: Parts): Promise<void> {
  await app.register(accessRoutes, {
    control,
    findOpenCells: () => findOpenCells(control, watch),
    signup: config.businessSignup,
    mailInvitation: (tx, invitation) => mailInvitation(tx, attempts, invitation),
    findConfirmedEmail,
    countBusiness: (tx, userId) => attempts.on(tx).count(businessLimit(userId, config.businessesPerDay)),
    logos: createLogos(storage?.publicUrl),
  })
}

/** Tells blocks whether the records that they name exist. */
const resolversOf = ({ control }: Parts) => ({
  ...catalogResolvers(control),
  ...contentResolvers,
  ORDER: findOrderIds,
})

async function wireCatalog(app: Server, parts: Parts): Promise<void> {
  const media = createHoldMedia(parts.storage?.publicUrl)
  await app.register(catalogRoutes, { prefix, resolvers: resolversOf(parts), media })
  await app.register(stockRoutes, { prefix, committedSql })
  await app.register(transferRoutes, { prefix, control: parts.control, storage: parts.storage })
  await app.register(categoryRoutes, { prefix, media })
  await app.register(bulkEditRoutes, { prefix })
  await app.register(promoRoutes, { prefix })
}

async function wireOrders(app: Server, { config, control, paying, storage }: Parts): Promise<void> {
  await app.register(orderRoutes, {
    prefix,
    idsOf: (userId) => idsOf(control, userId),
    userExists: (userId) => userExists(control, userId),
    holdCustomer: (businessId, userId) => holdCustomer(control, businessId, userId),
    nameCustomer: (businessId, userId) => nameCustomer(control, businessId, userId),
    guests: {
      makeLater: (tx, guest) => enqueue(tx, makeGuest, guest),
      makeNow: (guest) => addGuest(control, guest),
    },
    closeSession: (cell, businessId, orderId) => closeOrderSession(paying, cell, businessId, orderId),
  })
  await app.register(returnRoutes, { prefix })
  await app.register(commentRoutes, { prefix })
  await app.register(timelineRoutes, { prefix })
  await app.register(packingSlipRoutes, {
    prefix,
    fonts: config.slipFonts,
    readLogo: (cell, business) => readLogo(storage, cell, business),
  })
  await app.register(shipmentRoutes, { prefix, idsOf: (userId) => idsOf(control, userId) })
  await app.register(findingRoutes, {
    prefix,
    idsOf: (userId) => idsOf(control, userId),
    isFirst: isFirstSql,
    noteExport: (businessId, actor, data) =>
      transaction(control, (tx) =>
        audit(tx, { businessId, action: 'orders.exported', subject: businessId, actor, data }),
      ),
  })
}

async function wireCustomers(app: Server, { control }: Parts): Promise<void> {
  await app.register(customerRoutes, {
    prefix,
    noteExport: (businessId, actor, exported) =>
      transaction(control, (tx) => audit(tx, { businessId, actor, ...exported })),
    noteErasure: (businessId, actor, { userId, ids }) =>
      transaction(control, async (tx) => {
        await audit(tx, { businessId, actor, action: 'customer.erased', subject: userId })
        await forgetGuests(tx, businessId, ids)
      }),
    erase: { erasePayers: eraseOrderPayers, eraseEntries: eraseEntriesOf },
  })
}

async function wireCallouts(app: Server, { control, box, outgoing, services, attempts }: Parts): Promise<void> {
  const countTest = (businessId: string) => attempts.count(calloutTestLimit(businessId))
  await app.register(calloutRoutes, { prefix, control, box, outgoing, services, countTest })
}

async function wireCheckout(
  app: Server,
  { config, control, customers, origins, paying, services }: Parts,
): Promise<void> {
  await app.register(checkoutRoutes, {
    ...paying,
    services,
    rememberCustomer: customers.remember,
    findContact: (userId) => findContact(control, userId),
    limitsUnpaid: config.rateLimits,
    isAllowedUrl: (business, url) => origins.isAllowed(url, business.allowedOrigins),
  })
  await app.register(refundRoutes, { prefix })
  await app.register(resultPage)
}

async function wirePayments(app: Server, { cells, directory, metrics, paying }: Parts): Promise<void> {
  const { payments, payables } = paying
  await app.register(paymentAccountRoutes, { payments })
  await app.register(webhookRoutes, { payments, payables, findBusiness: directory.findToWrite, cells, metrics })
}

async function wireContent(app: Server, parts: Parts): Promise<void> {
  const { box, config, control, storage } = parts
  await app.register(collectionRoutes, { prefix, guard: guardCollection })
  await app.register(generateRoutes, {
    prefix,
    model: config.ai && createModel(config.ai),
    dailyTokens: config.ai?.dailyTokens ?? 0,
  })
  await app.register(entryRoutes, {
    prefix,
    box,
    resolvers: resolversOf(parts),
    media: createHoldMedia(storage?.publicUrl),
    related: {
      PRODUCT: (cell, businessId, ids, { seesProducts }) => readProducts(cell, businessId, ids, seesProducts),
      USER: (_cell, businessId, ids) => readNames(control, businessId, ids),
    },
    findOpened: listPaidNewsletters,
    ownsOrder: async (cell, businessId, { userId }, orderId) =>
      isOrderOf(cell, businessId, orderId, await idsOf(control, userId)),
  })
}

async function wireMedia(app: Server, { config, storage }: Parts): Promise<void> {
  await app.register(mediaRoutes, { prefix, storage, quota: config.media?.quotaBytes ?? 0 })
}

async function wireNewsletter(app: Server, parts: Parts): Promise<void> {
  const { config, cells, box, customers, directory, metrics, origins, paying } = parts
  const hasMail = config.providers.mail
  await app.register(subscriptionRoutes, {
    prefix,
    ...paying,
    box,
    hasMail,
    rememberCustomer: customers.remember,
    isAllowedUrl: (business, url) => origins.isAllowed(url, business.allowedOrigins),
  })
  await app.register(segmentRoutes, { prefix, markCustomers })
  await app.register(subscriberTransferRoutes, { prefix })
  await app.register(automationRoutes, { prefix })
  await app.register(sendRoutes, { publicUrl: config.publicUrl, hasMail, paidOrders: paidOrdersSql })
  await app.register(newsletterPages, { findBusiness: directory.findToWrite, cells, box })
  await app.register(clickPages, { findBusiness: directory.findToWrite, cells, box })
  await app.register(suppressionRoutes, { prefix })
  await app.register(bounceRoutes, {
    ...config.newsletters.bounces,
    findBusiness: directory.findToWrite,
    cells,
    metrics,
  })
}

async function wireBackoffice(app: Server): Promise<void> {
  await app.register(mailRoutes, { prefix, mails: MAIL_PREVIEWS })
  await app.register(savedViewRoutes, { prefix })
  await app.register(searchRoutes, {
    prefix,
    findOrders: searchOrders,
    findProducts: createProductSearch(),
    findCustomers: searchCustomers,
    findEntries: createEntrySearch(),
  })
}

async function wireWebhooks(app: Server, { config, box, attempts }: Parts): Promise<void> {
  await app.register(webhookEndpointRoutes, {
    prefix,
    box,
    addresses: webhookAddresses(config),
    countPing: (endpointId) => attempts.count(pingLimit(endpointId)),
    events: EVENTS,
    readers: EVENT_READERS,
  })
}

async function wireReports(app: Server): Promise<void> {
  await app.register(reportRoutes, { prefix, findTroubles, findLowStock, countIncompleteImports })
}

async function wireChecks(app: Server): Promise<void> {
  await app.register(checkRoutes, { prefix, rules: RULES })
}

async function wireStorefront(app: Server, { box }: Parts): Promise<void> {
  await app.register(storefrontRoutes, { prefix: '/v1/storefront/:business', box })
}

async function wireOperator(app: Server, { config, control, cells, watch, presence, storage }: Parts): Promise<void> {
  await app.register(operatorRoutes, {
    prefix: '/v1/operator',
    control,
    cells,
    watch,
    presence,
    providers: config.providers,
    people: {
      findByEmailPrefix: (prefix) => findByEmailPrefix(control, prefix),
      readEmails: (ids) => readEmails(control, ids),
    },
    letters: { list: listSendsOfCell, count: countSendsOfCell },
    mailDeletion: (tx, businessId) => enqueue(tx, sendDeletionNotice, { businessId }),
    mailInvitations: mailImportedInvitations,
    storage,
  })
}

/** Every module that has routes: the list of what exists. */
export const MODULES = [
  wireAccounts,
  wireAccess,
  wireCatalog,
  wireOrders,
  wireCustomers,
  wireCallouts,
  wireCheckout,
  wirePayments,
  wireContent,
  wireMedia,
  wireNewsletter,
  wireReports,
  wireBackoffice,
  wireChecks,
  wireStorefront,
  wireWebhooks,
  wireOperator,
]
