import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { tokenOf } from '#modules/newsletter/subscriptions/token.ts'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { newId } from '#vocabulary/ids.ts'
import type { Answer, Client } from './client.ts'
import { PUBLISHED, TITLE } from './content.ts'
import type { Make } from './make.ts'

export type SeededBusiness = Awaited<ReturnType<typeof seedBusiness>>

function expect(status: number, { status: actual, text, body }: Answer): Answer['body'] {
  assert.equal(actual, status, text)
  return body
}

const csv = (admin: Client, path: string, raw: string) =>
  admin.send('POST', path, { raw, headers: { 'content-type': 'text/csv' } })

/** A business with one of everything. `canary` is in every text of it, so that it can be seen wherever it gets to. */
export async function seedBusiness(make: Make, { canary, cell = 'main' }: { canary: string; cell?: string }) {
  const shop = await make.shop({ cell, name: canary })
  const { admin, path, id, db } = shop
  const post = async (at: string, body: object, status = 201) => expect(status, await admin.post(`${path}${at}`, body))
  const [customer, customerEmail] = [await make.user(), `${canary}@readers.example`]

  const variant = (sku: string) => ({
    id: 'one',
    name: canary,
    sku,
    pricing: { markets: [{ marketId: 'us', price: 1_000 }] },
    inventory: { tracked: true, quantity: 100 },
  })
  const productBody = {
    name: canary,
    description: `<p>${canary}</p>`,
    category: canary,
    variants: [variant('SKU-A')],
    statuses: [{ status: 'ACTIVE' }],
  }
  const product = await post('/products', productBody)
  const bulkEditBody = {
    list: 'products',
    select: { ids: [product.id] },
    changes: [{ field: 'tags', op: 'add', value: canary }],
  }
  const bulkEdit = await post('/bulk-edits', bulkEditBody, 202)
  // The worker makes the dry run; here there is none, and one that is under way keeps others waiting.
  await sql`update catalog.bulk_edits set status = 'READY', unchanged = 1 where business_id = ${id}`.execute(db)
  await sql`update catalog.bulk_edit_items set status = 'UNCHANGED', version = 1 where business_id = ${id}`.execute(db)
  const categoryBody = {
    name: canary,
    description: canary,
    image: { url: `https://cdn.example/${canary}.png`, mimeType: 'image/png' },
    seo: { title: canary, description: canary },
    translations: { de: { name: canary, slug: `${canary.toLowerCase()}-waren`, description: canary } },
  }
  const category = await post('/categories', categoryBody)
  const stocktakeBody = { items: [{ productId: product.id, variantId: 'one', delta: 1 }], reason: canary }
  const stocktake = await post('/stocktakes', stocktakeBody)
  const promoBody = { code: 'TEN', type: 'PERCENT', value: 1_000 }
  const promo = await post('/promo-codes', promoBody)
  const roleBody = { name: canary, permissions: ['PRODUCTS_WRITE'] }
  const role = await post('/roles', roleBody)
  const unused = await post('/roles', { ...roleBody, name: `${canary} unused` })
  const invitationBody = { email: `invited-${canary}@example.com`, roleId: role.id }
  const invitation = await post('/invitations', invitationBody)

  const line = { productId: product.id, variantId: 'one', quantity: 1, unitPrice: 1_000, totalPrice: 1_000 }
  const orderBody = {
    customerId: customer.id,
    market: 'us',
    lines: [line],
    subtotal: 1_000,
    tax: 0,
    shipping: 0,
    total: 1_000,
    contactEmail: customerEmail,
  }
  const order = await post('/orders', orderBody)
  // The worker writes customers after the events of orders; here there is none.
  await sql`
    insert into customers.customers (business_id, user_id, name, email, words, sort_name, orders, created_at, updated_at)
    values (${id}, ${customer.id}, ${canary}, ${customerEmail}, ${[canary.toLowerCase()]}, ${canary}, 1, now(), now())`.execute(
    db,
  )
  const remark = await post(`/customers/${customer.id}/comments`, { text: canary })
  const viewBody = { list: 'orders', name: canary, filters: { query: canary }, columns: [canary], isShared: true }
  const view = await post('/saved-views', viewBody)
  const comment = await post(`/orders/${order.id}/comments`, { text: canary })
  const sent = await post('/orders', { ...orderBody, statuses: [{ status: 'PROCESSING' }] })
  const parcel = { carrier: canary, trackingNumber: canary, notify: false }
  const shipment = await post(`/orders/${sent.id}/shipments`, parcel)
  const cart = { market: 'us', items: [{ productId: product.id, variantId: 'one', quantity: 1 }] }
  const bought = expect(200, await customer.post(`${path}/orders/checkout`, cart))

  const link = { id: 'link', type: 'RELATIONSHIP', settings: { targetType: 'PRODUCT' } }
  const collectionBody = { name: canary, blocks: [TITLE, link], statuses: PUBLISHED }
  const collection = await post('/collections', collectionBody)
  const titled = (text: string) => ({ id: 'title', type: 'TEXT', value: text })
  const blocks = [titled(canary), { id: 'link', type: 'RELATIONSHIP', value: product.id }]
  const entryBody = { collectionId: collection.id, blocks, statuses: PUBLISHED }
  const entry = await post('/entries', entryBody)
  expect(200, await admin.put(`${path}/entries/${entry.id}`, { blocks: [titled(`${canary} again`)] }))

  const letterBlocks = [TITLE, { id: 'body', type: 'TEXT' }]
  const newsletterBody = { name: `${canary} letters`, type: 'NEWSLETTER', blocks: letterBlocks, statuses: PUBLISHED }
  const newsletter = await post('/collections', newsletterBody)
  const letterBody = {
    collectionId: newsletter.id,
    blocks: [titled(canary), { id: 'body', type: 'TEXT', value: canary }],
  }
  const letter = await post('/entries', letterBody)
  const subscriptionBody = { email: customerEmail, name: canary }
  const subscription = await post(`/collections/${newsletter.id}/subscribe`, subscriptionBody)
  const welcome = await post('/entries', letterBody)
  const reminder = await post('/entries', letterBody)
  const automationBody = { trigger: 'WELCOME', entryId: welcome.id, isEnabled: false }
  const automation = await post(`/collections/${newsletter.id}/automations`, automationBody)
  const send = await post(`/entries/${letter.id}/send`, { scheduledAt: 4_000_000_000 }, 202)

  const productFile = `name,slug\n${canary},${canary.toLowerCase()}-imported\n,\n`
  const productImport = expect(201, await csv(admin, `${path}/products/imports`, productFile))
  const readerFile = `email,name\nother-${canary}@readers.example,${canary}\nwrong,wrong\n`
  const importAt = `${path}/collections/${newsletter.id}/subscribers/import`
  const readerImport = expect(201, await csv(admin, importAt, readerFile))
  const suppressed = `gone-${canary}@readers.example`.toLowerCase()
  await db
    .insertInto('newsletter.suppressions')
    .values({ businessId: id, emailKey: suppressed, reason: 'BOUNCE', createdAt: now() })
    .execute()

  const mediaId = await insertFile(db, id, canary)

  return {
    ...shop,
    canary,
    customer,
    /** The ids of what there is, by the part of the address before them. */
    records: {
      businesses: [id],
      products: [product.id],
      variants: ['one'],
      categories: [category.id],
      media: [mediaId],
      stocktakes: [stocktake.id],
      'bulk-edits': [bulkEdit.id],
      'promo-codes': [promo.id],
      roles: [unused.id, role.id],
      invitations: [invitation.id],
      orders: [bought.orderId, order.id, sent.id],
      comments: [comment.id, remark.id],
      customers: [customer.id],
      'saved-views': [view.id],
      shipments: [shipment.id],
      collections: [collection.id, newsletter.id],
      entries: [entry.id, letter.id],
      versions: ['1', '2'],
      sends: [send.id],
      automations: [automation.id],
      imports: [productImport.id, readerImport.id],
      suppressions: [suppressed],
      'entry-types': ['NEWSLETTER'],
      subscriptions: [subscription.id],
      users: [customer.id, admin.id],
    } as Record<string, string[]>,
    /** Bodies that do what they are for. */
    bodies: {
      createProduct: { ...productBody, variants: [variant('SKU-B')] },
      updateProduct: { ...productBody, name: `${canary} two` },
      putVariant: { name: canary },
      putPrice: { price: 1_200 },
      createStocktake: stocktakeBody,
      changeStock: { delta: 1, reason: canary },
      createBulkEdit: bulkEditBody,
      correctImportLine: { product: { name: canary } },
      createCategory: { ...categoryBody, translations: {}, parentId: category.id },
      updateCategory: { ...categoryBody, position: 1 },
      createMedia: { fileName: canary, mimeType: 'image/png', size: 9, sha256: 'b'.repeat(64) },
      updateMedia: { tags: [canary] },
      moveCategory: { parentId: null, beforeId: null },
      createPromoCode: { ...promoBody, code: 'SPRING' },
      updatePromoCode: { value: 500 },
      createRole: { ...roleBody, name: `${canary} two` },
      updateRole: { permissions: ['CONTENT_WRITE'] },
      createInvitation: { ...invitationBody, email: `two-${canary}@example.com` },
      createOrder: orderBody,
      updateOrder: { id: order.id, contactEmail: null },
      setOrderStatus: { status: 'PROCESSING' },
      setPaymentStatus: { status: 'PAID' },
      refundOrder: { amount: 1 },
      quoteRefund: { amount: 1 },
      returnOrderLines: { lines: [{ lineId: order.lines[0].id, quantity: 1 }], reason: canary },
      commentOnOrder: { text: canary },
      commentOnCustomer: { text: canary },
      updateCustomer: { tags: [canary] },
      createSavedView: viewBody,
      updateSavedView: { name: `${canary} two` },
      shipOrder: parcel,
      shipOrders: { items: [{ orderId: sent.id, carrier: canary }], notify: false },
      updateShipment: parcel,
      quote: { businessId: id, ...cart },
      tryPromoCode: { promo: promoBody, market: cart.market, lines: cart.items },
      checkout: cart,
      createCollection: { ...collectionBody, name: `${canary} two` },
      updateCollection: { description: canary },
      createEntry: entryBody,
      updateEntry: { blocks },
      subscribe: { ...subscriptionBody, email: `two-${canary}@readers.example` },
      createAutomation: { trigger: 'BACK_IN_STOCK', entryId: reminder.id },
      updateAutomation: { delayMinutes: 5 },
      sendEntry: { scheduledAt: 4_000_000_000, resend: true },
      countMatchingReaders: { conditions: [{ field: 'tag', values: [canary] }] },
      updateBusiness: { contactEmail: customerEmail },
      createBusiness: { name: `${canary} two` },
      setRole: { businessId: id, userId: customer.id, roleId: role.id },
      updateMe: { name: canary },
      updateMyBusinessConfig: { settings: { theme: 'dark' } },
      register: { provider: 'EMAIL_REGISTER', email: `new-${canary}@example.com`, password: 'harbour lantern teapot' },
      login: { provider: 'GUEST' },
      forgotPassword: { email: customer.email },
      resendConfirmation: { email: customer.email },
      unsubscribe: { token: tokenOf(make.box, { businessId: id, id: subscription.id }, 'leave') },
      generateBlocks: { prompt: canary, blocks: [{ id: 'title', type: 'TEXT' }] },
    } as Record<string, Record<string, unknown>>,
    files: { importProducts: productFile, importSubscribers: readerFile } as Record<string, string>,
    /** The newsletter comes second in `records`, as does its letter. */
    newsletter: { id: newsletter.id as string, letterId: letter.id as string },
  }
}

/** A file that is READY, without a store that has its bytes. */
async function insertFile(db: Db, businessId: string, canary: string): Promise<string> {
  const id = newId('med')
  const at = now()
  await db
    .insertInto('media.files')
    .values({
      businessId,
      id,
      status: 'READY',
      fileName: `${canary}.pdf`,
      sortName: `${canary}.pdf`,
      mimeType: 'application/pdf',
      kind: 'application',
      size: 9,
      sha256: 'a'.repeat(64),
      alt: JSON.stringify({ en: canary }),
      tags: [],
      words: [],
      uploadExpiresAt: at,
      createdAt: at,
      updatedAt: at,
    })
    .execute()
  await db.insertInto('media.used').values({ businessId, bytes: 9 }).execute()
  return id
}
