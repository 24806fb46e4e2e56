// Fields that nobody asked for: for every write, what it may change is declared here, and everything else must stay as it is.
import { setTimeout as sleep } from 'node:timers/promises'
import { startStripeTwin } from '../../twins/stripe/server.ts'
import { createMake } from '../support/make.ts'
import { type SeededBusiness, seedBusiness } from '../support/seed-business.ts'
import { startApi } from '../support/start-api.ts'
import { type OpenApi, type Operation, operationsOf, realPath } from './fuzz-requests.ts'
import type { Schema } from './fuzz-values.ts'
import { type Change, changesBetween, snapshot } from './row-diff.ts'

const SENTINEL = 'sentinel-7f3a'
const SENTINEL_NUMBER = 424_242_417

/** What any write may leave behind: its event, its audit, its key, the time a token was used. */
const ALWAYS =
  /^(cell\.(event_outbox|event_counters|events\w*|idempotency_keys)|control\.idempotency_keys|access\.(event_outbox|audit_log\w*|customers)|accounts\.(attempts|sessions|oauth_flows))$/
const PRODUCT = [
  'catalog.products',
  'catalog.variants',
  'catalog.stock',
  'catalog.stock_movements',
  'catalog.search',
  'catalog.spellings',
  'catalog.product_slugs',
  'catalog.price_history',
  'catalog.listing',
]
const CATEGORY = ['catalog.categories', 'catalog.category_slugs', 'catalog.category_locks']
const MEDIA = ['media.files', 'media.words', 'media.used']
const ENTRY = [
  'content.entries',
  'content.entry_values',
  'content.entry_versions',
  'content.search',
  'content.spellings',
]
const ORDER = [
  'orders.orders',
  'catalog.stock',
  'catalog.stock_movements',
  'catalog.promo_codes',
  'catalog.promo_customers',
]
const COLLECTION = ['content.collections', 'content.collection_schemas', ...ENTRY]

/** The tables that each write is for. */
const TABLES: Record<string, readonly string[]> = {
  createProduct: PRODUCT,
  updateProduct: PRODUCT,
  putVariant: PRODUCT,
  putPrice: PRODUCT,
  changeStock: ['catalog.stock', 'catalog.stock_movements'],
  createStocktake: ['catalog.stock', 'catalog.stock_movements', 'catalog.stocktakes'],
  createBulkEdit: ['catalog.bulk_edits', 'catalog.bulk_edit_items'],
  correctImportLine: ['catalog.imports', 'catalog.import_rows', 'catalog.import_items'],
  createCategory: CATEGORY,
  updateCategory: CATEGORY,
  createMedia: MEDIA,
  updateMedia: MEDIA,
  createPromoCode: ['catalog.promo_codes'],
  updatePromoCode: ['catalog.promo_codes'],
  createRole: ['access.roles'],
  updateRole: ['access.roles'],
  createInvitation: ['access.invitations'],
  createOrder: ORDER,
  updateOrder: ORDER,
  setOrderStatus: ORDER,
  setPaymentStatus: ORDER,
  quoteRefund: [],
  returnOrderLines: ORDER,
  commentOnOrder: ['orders.comments'],
  shipOrder: [...ORDER, 'orders.shipments'],
  shipOrders: [...ORDER, 'orders.shipments'],
  updateShipment: [...ORDER, 'orders.shipments'],
  quote: [],
  checkout: [...ORDER, 'payments.payments'],
  createCollection: COLLECTION,
  updateCollection: COLLECTION,
  createEntry: ENTRY,
  updateEntry: ENTRY,
  subscribe: ['newsletter.subscriptions'],
  createAutomation: ['newsletter.automations', 'newsletter.feed_positions'],
  updateAutomation: ['newsletter.automations'],
  sendEntry: ['newsletter.sends'],
  updateBusiness: ['access.businesses', 'accounts.origins'],
  createBusiness: ['access.businesses', 'access.roles', 'access.memberships', 'accounts.origins'],
  setRole: ['access.memberships'],
  updateMe: ['accounts.users', 'accounts.api_keys', 'accounts.verified_phones'],
  updateMyBusinessConfig: ['accounts.business_configs'],
  register: ['accounts.users'],
  login: ['accounts.users', 'accounts.sessions', 'accounts.guest_aliases'],
  forgotPassword: ['accounts.reset_tokens'],
  resendConfirmation: ['accounts.users', 'accounts.reset_tokens'],
  unsubscribe: ['newsletter.subscriptions', 'newsletter.suppressions'],
}
/** Columns of a row that stays that no write ever changes. */
const FIXED = [
  'business_id',
  'id',
  'created_at',
  'cell',
  'customer_key',
  'is_guest',
  'secret',
  'password_hash',
  'email_key',
]

type Sent = { kind: string; body: Record<string, unknown>; isSmuggled: boolean }

/** Sends each write with each field in ways that it is not meant, and holds what changed in the databases against the list. */
export async function smuggle({ note, only }: { note(text: string): void; only?: readonly string[] }) {
  const twin = await startStripeTwin({
    secretKey: 'sk_test_twin',
    webhookSecret: 'whsec_twin',
    connectWebhookSecret: 'whsec_connected',
  })
  const env = {
    STRIPE_SECRET_KEY: 'sk_test_twin',
    STRIPE_WEBHOOK_SECRET: 'whsec_twin',
    STRIPE_API_URL: twin.url,
    STRIPE_SHARED_ACCOUNT: 'true',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'hello@kontor.example',
  }
  const api = await startApi({ env })
  try {
    const make = createMake(api)
    const document = api.app.openApiDocument() as unknown as OpenApi
    const urls = [api.databases.main.url, api.databases.second.url]
    const writes = operationsOf(document).filter(
      ({ method, content }) => method !== 'GET' && content?.['application/json'],
    )
    const covered = writes.filter(({ id }) => TABLES[id] && (only?.includes(id) ?? true))
    const findings = new Set<string>()
    const fields = new Set<string>()
    let [requests, accepted, changed] = [0, 0, 0]
    const other = await seedBusiness(make, { canary: 'other' })
    const names = await fieldNames(document, urls) // by now there are rows, with columns

    for (const [index, operation] of covered.entries()) {
      const home = await seedBusiness(make, { canary: `home${index}` })
      const schema = operation.content?.['application/json']?.schema ?? {}
      const resolve = (part: Schema): Schema =>
        part.$ref ? (document.components.schemas[part.$ref.split('/').at(-1) ?? ''] ?? {}) : part
      const golden = home.bodies[operation.id] ?? {}
      let before = await settled(urls)
      let round = 0
      let meant = new Set<string>()
      for (const { kind, body, isSmuggled } of bodiesFor(golden, schema, resolve, names, other)) {
        const fresh = renew(body, golden, ++round)
        const answer = await home.admin.send(operation.method, realPath(operation, home.records), {
          body: fresh,
        })
        requests++
        fields.add(`${operation.id} ${kind}`)
        const after = await snapshot(urls)
        const changes = changesBetween(before, after)
        before = after
        changed += changes.length
        if (kind === 'as it is meant') meant = new Set(changes.map(shapeOf))
        if (isSmuggled && answer.status < 400) {
          const others = changes.filter((change) => change.kind === 'inserted' && !meant.has(shapeOf(change)))
          for (const change of others)
            findings.add(`${operation.id}, ${kind}: ${shapeOf(change)}, unlike what it is for`)
        }
        if (answer.status < 400) accepted++
        const add = (what: string) => findings.add(`${operation.id}, ${kind}: ${what}`)
        if (kind === 'another business' && answer.status < 400 && operation.path.includes('{businessId}'))
          add('accepted')
        if (answer.status >= 500) add(`${answer.status} ${answer.text.slice(0, 200)}`)
        if (isSmuggled && answer.status >= 400) add(`refused, ${answer.text.slice(0, 200)}`)
        for (const what of complaints(operation, changes, { home, isSmuggled, isRefused: answer.status >= 400 }))
          add(what)
      }
      note(`${operation.id}: ${round} requests`)
    }
    const uncovered = writes.filter(({ id }) => !TABLES[id]).map(({ id }) => id)
    return {
      findings: [...findings],
      operations: covered.length,
      uncovered,
      fields: fields.size,
      names: names.length,
      requests,
      accepted,
      changed,
    }
  } finally {
    await api.close()
    await twin.close()
  }
}

/** Which columns of a new row have a value: what is smuggled in may neither fill one nor empty it. */
const shapeOf = ({ table, kind, columns, row }: Change) =>
  `${table} ${kind}: ${columns.filter((name) => row[name] !== null).join()}`

/** What is remembered after an answer (who was seen when) is written a moment later. */
async function settled(urls: readonly string[]) {
  await sleep(300)
  return snapshot(urls)
}

type Case = { home: SeededBusiness; isSmuggled: boolean; isRefused: boolean }

function complaints(
  { id, path }: Operation,
  changes: readonly Change[],
  { home, isSmuggled, isRefused }: Case,
): string[] {
  const found: string[] = []
  const tables = TABLES[id] ?? []
  const addressed = realPath({ id, path } as Operation, home.records)
  for (const { table, kind, columns, row } of changes) {
    const what = `${table} ${kind}`
    const text = JSON.stringify(row)
    const isAllowed = tables.includes(table) || ALWAYS.test(table)
    if (!isAllowed) found.push(`${what}, which it is not for (${columns.slice(0, 8).join()})`)
    if (isRefused && !ALWAYS.test(table)) found.push(`${what}, although it was refused`)
    if (isSmuggled && (text.includes(SENTINEL) || text.includes(String(SENTINEL_NUMBER))))
      found.push(
        `${what}, with a field that nobody asked for: ${columns.filter((name) => /sentinel|424242417/.test(JSON.stringify(row[name]))).join()}`,
      )
    const businessId = row.business_id
    if (typeof businessId === 'string' && businessId !== home.id && id !== 'createBusiness')
      found.push(`${what}, of business ${businessId}`)
    const fixed = kind === 'updated' && !ALWAYS.test(table) ? columns.filter((name) => FIXED.includes(name)) : []
    if (fixed.length > 0) found.push(`${what}, its ${fixed.join()}`)
    // Of the table that is addressed only the record itself may change.
    const main = tables[0]
    const isRecord = table === main && kind === 'updated' && typeof row.id === 'string' && path.includes('{id}')
    if (isRecord && !addressed.includes(row.id as string) && id !== 'updateOrder')
      found.push(`${what}, another record: ${String(row.id)}`)
  }
  return found
}

/** Every name of a field in any answer, and of a column in any table, in both spellings. */
async function fieldNames(document: OpenApi, urls: readonly string[]): Promise<string[]> {
  const names = new Set(['is_admin', 'isAdmin', 'admin', '_id', 'owner_id', 'ownerId', 'tenant', 'tenantId'])
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { properties } = value as Schema
    if (properties && !Array.isArray(properties)) for (const name of Object.keys(properties)) names.add(name)
    for (const inner of Object.values(value)) walk(inner)
  }
  walk(document)
  for (const { row } of (await snapshot(urls)).values()) {
    for (const column of Object.keys(row)) {
      names.add(column)
      names.add(column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()))
    }
  }
  return [...names]
}

function* bodiesFor(
  golden: Record<string, unknown>,
  schema: Schema,
  resolve: (part: Schema) => Schema,
  names: readonly string[],
  other: SeededBusiness,
): Generator<Sent> {
  yield { kind: 'as it is meant', body: golden, isSmuggled: false }
  const odd = {
    text: SENTINEL,
    null: null,
    number: SENTINEL_NUMBER,
    object: { id: SENTINEL },
    array: [SENTINEL],
    'id of the other': other.id,
  }
  for (const [kind, value] of Object.entries(odd)) {
    const body = addUnasked(golden, schema, resolve, names, value) as Record<string, unknown>
    yield { kind: `unasked fields, ${kind}`, body, isSmuggled: true }
  }
  yield { kind: 'another business', body: { ...golden, businessId: other.id }, isSmuggled: false }
  for (const field of Object.keys(resolve(schema).properties ?? {})) {
    for (const [kind, value] of Object.entries({
      ...odd,
      product: other.records.products?.[0],
      collection: other.records.collections?.[0],
    })) {
      yield { kind: `${field}, ${kind}`, body: { ...golden, [field]: value }, isSmuggled: false }
    }
  }
}

/** A copy in which every object also has the fields that its schema does not know. */
function addUnasked(
  value: unknown,
  schema: Schema,
  resolve: (part: Schema) => Schema,
  names: readonly string[],
  odd: unknown,
): unknown {
  const known = resolve(schema)
  const inner = (part: unknown, of: Schema) => addUnasked(part, of, resolve, names, odd)
  if (Array.isArray(value)) return value.map((item) => inner(item, known.items ?? {}))
  if (typeof value !== 'object' || value === null || !known.properties || known.additionalProperties) return value
  const { properties } = known
  const unasked = names.filter((name) => !(name in properties) && name !== 'businessId').map((name) => [name, odd])
  const own = Object.entries(value).map(([name, part]) => [name, inner(part, properties[name] ?? {})])
  return { ...Object.fromEntries(unasked), ...Object.fromEntries(own) }
}

/** What must be unique is made so, where the body still has it as it was. */
function renew(body: Record<string, unknown>, golden: Record<string, unknown>, round: number): Record<string, unknown> {
  const made: Record<string, unknown> = { ...body }
  for (const field of ['name', 'code', 'email'] as const) {
    const value = body[field]
    if (typeof value !== 'string' || value !== golden[field]) continue
    made[field] = field === 'email' ? `r${round}-${value}` : field === 'code' ? `${value}${round}` : `${value} ${round}`
  }
  return made
}
