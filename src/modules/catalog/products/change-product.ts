import { sql } from 'kysely'
import { type HoldMedia, knownMedia, usagesGone } from '#modules/media/index.ts'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { deletion, write } from '#platform/database/write.ts'
import { record } from '#platform/events/record.ts'
import type { Expected } from '#platform/http/etag.ts'
import { recordChanged } from '#platform/http/refusals.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { referencesOf } from '#vocabulary/blocks.ts'
import type { Business } from '#vocabulary/business.ts'
import { checkReferences, type Resolvers } from '#vocabulary/references.ts'
import { slugOf } from '#vocabulary/slugs.ts'
import { holdCategories, newCategories } from '../categories/hold-categories.ts'
import { productNotFound, slugExists } from '../errors.ts'
import { productCreated, productDeleted, productUpdated } from '../events.ts'
import type { NewProduct, ProductChanges } from '../schemas.ts'
import { changeStock, type StockOutcome } from '../stock/change-stock.ts'
import { toAnswer, toDocument } from './document.ts'
import { lockProducts, readLocked, type StockRow } from './lock-products.ts'
import { mergeProduct, type Places, type StockTarget, setsStock } from './merge-product.ts'
import type { Product } from './product.ts'
import { itemsOf, sentMediaIds } from './product-media.ts'
import { etagOfProduct, type FoundProduct } from './queries.ts'
import { type WrittenProduct, writeProducts } from './write-products.ts'

export type Writer = {
  business: Pick<Business, 'id' | 'markets'>
  actor: Actor
  /** What blocks may point at. */
  resolvers: Resolvers<Db>
  /** Files that pictures may name; undefined: none but those that a product has already. */
  media?: HoldMedia | undefined
}

export async function createProduct(
  tx: Tx,
  { business, actor, resolvers, media }: Writer,
  sent: NewProduct,
): Promise<FoundProduct> {
  const known = await knownMedia(tx, business.id, media, { sent: sentMediaIds(sent), stored: [] })
  const merged = mergeProduct(undefined, [], sent, { business, actor, at: now(), known })
  await checkReferences(referencesOf(merged.product.blocks), resolvers, tx, business.id)
  await holdCategories(tx, business.id, newCategories([{ product: merged.product, before: undefined }]))
  const product = await insertWithSlug(tx, merged)
  const outcomes = await setStock(tx, product, merged.targets, actor)
  await record(tx, productCreated({ businessId: business.id, subject: product.id, actor, data: {} }))
  return present(product, [], outcomes)
}

/** A slug that was sent must be free. A slug made from the name gets a suffix when it is taken. */
async function insertWithSlug(
  tx: Tx,
  { product, targets }: Pick<WrittenProduct, 'product' | 'targets'>,
): Promise<Product> {
  if (product.slug !== '') return writeOne(tx, { product, before: undefined, targets })
  const slug = slugFrom(product.name)
  await sql`savepoint slug`.execute(tx)
  try {
    return await insertWithSlug(tx, { product: { ...product, slug }, targets })
  } catch (error) {
    if (!isSlugTaken((error as Error).cause)) throw error
    await sql`rollback to savepoint slug`.execute(tx)
    return insertWithSlug(tx, { product: { ...product, slug: `${slug}-${product.id.slice(-6)}` }, targets })
  }
}

export const slugFrom = (name: string) => slugOf(name, 'product')

/** Also by a translation of another product: the slugs of all locales are one namespace. */
export const isSlugTaken = (error: unknown) =>
  ['products_slug_key', 'product_slugs_pkey'].includes(violatedConstraint(error) ?? '')

async function writeOne(tx: Tx, written: WrittenProduct): Promise<Product> {
  try {
    const [product = written.product] = await writeProducts(tx, written.product.businessId, [written])
    return product
  } catch (error) {
    if (!isSlugTaken(error)) throw error
    throw Object.assign(slugExists({ slug: written.product.slug }), { cause: error })
  }
}

export const updateProduct = (tx: Tx, writer: Writer, id: string, expected: Expected, sent: ProductChanges) =>
  changeProduct(tx, writer, { id, expected, isStockSent: setsStock(sent), changesOf: () => sent })

export type Change = {
  id: string
  expected: Expected
  isStockSent: boolean
  /** What is to be changed, seen from the product as it is now. */
  changesOf: (product: Product) => ProductChanges
  places?: Places
}

/** Locks the product, applies the changes to it as it then stands, and writes it. */
export async function changeProduct(
  tx: Tx,
  { business, actor, resolvers, media }: Writer,
  { id, expected, isStockSent, changesOf, ...placed }: Change,
): Promise<FoundProduct> {
  await lockProducts(tx, business.id, [id])
  const [found] = await readLocked(tx, business.id, [id], { lockStock: isStockSent })
  if (!found) throw productNotFound()
  checkVersions(expected, found.product.version, stockVersionOf(found.stock), isStockSent)

  const sent = changesOf(found.product)
  const known = await knownMedia(tx, business.id, media, {
    sent: sentMediaIds(sent),
    stored: itemsOf(found.product, found.removed),
  })
  const context = { business, actor, at: now(), known, ...placed }
  const { product: merged, targets } = mergeProduct(found.product, found.removed, sent, context)
  await checkReferences(newReferences(merged, found.product), resolvers, tx, business.id)
  const written = { product: merged, before: found.product, targets }
  await holdCategories(tx, business.id, newCategories([written]))
  const product = await writeOne(tx, written)
  const outcomes = await setStock(tx, product, targets, actor)
  const fields = Object.keys(sent)
  await record(tx, productUpdated({ businessId: business.id, subject: id, actor, data: { fields } }))
  return present(product, found.stock, outcomes)
}

/**
 * References that were stored before are not checked again: their target may be gone, which must not block other edits.
 */
export function newReferences({ blocks }: Product, before: Product | undefined) {
  const known = new Set(referencesOf(before?.blocks ?? []).map(({ targetType, id }) => `${targetType} ${id}`))
  return referencesOf(blocks).filter(({ targetType, id }) => !known.has(`${targetType} ${id}`))
}

/** Soft delete. Orders, stock and ledger keep their rows, and the slug becomes free. */
export async function deleteProduct(
  tx: Tx,
  { business, actor }: Omit<Writer, 'resolvers'>,
  id: string,
  expected: Expected,
): Promise<void> {
  const [found] = await lockProducts(tx, business.id, [id])
  if (!found) throw productNotFound()
  checkVersions(expected, found.version, 0, false)
  await tx
    .updateTable('catalog.products')
    .set({ status: 'DELETED', pricesChangeAt: null, version: found.version + 1, updatedAt: now() })
    .where((product) => product.and({ businessId: business.id, id }))
    .execute()
  const gone = [{ businessId: business.id, productId: id }]
  await write(
    tx,
    deletion('catalog.search', gone),
    deletion('catalog.productSlugs', gone),
    deletion('catalog.listing', gone),
    usagesGone(business.id, 'PRODUCT', id),
  )
  await record(tx, productDeleted({ businessId: business.id, subject: id, actor }))
}

/**
 * Optimistic locking by `"<version>.<stockVersion>"`: a sale does not make an edit stale, unless the edit sets the
 * stock.
 */
function checkVersions(expected: Expected, version: number, stockVersion: number, isStockSent: boolean): void {
  if (!expected || expected.includes('*')) return
  const etag = etagOfProduct(version, stockVersion)
  const fits = (tag: string) =>
    isStockSent ? tag === etag : tag.split('.')[0]?.replaceAll('"', '') === String(version)
  if (!expected.some(fits)) throw recordChanged()
}

const stockVersionOf = (stock: readonly StockRow[]) =>
  stock.reduce((sum, { position, version }) => sum + (position === null ? 0 : version), 0)

const setStock = (tx: Tx, { businessId, id: productId }: Product, targets: readonly StockTarget[], actor: Actor) =>
  changeStock(
    tx,
    businessId,
    targets.map(({ variantId, quantity }) => ({ productId, variantId, quantity })),
    { kind: 'MANUAL', userId: actor.userId },
  )

/** The response, equal to what a read right after the commit returns. */
function present(product: Product, stock: readonly StockRow[], outcomes: readonly StockOutcome[]): FoundProduct {
  const known = new Map([...stock, ...outcomes].map((row) => [row.variantId, row]))
  const rows = product.variants.map(({ id }) => known.get(id) ?? { quantity: 0, version: 0 })
  const quantities = rows.length > 0 ? rows.map(({ quantity }) => quantity).join(',') : null
  const stockVersion = rows.reduce((sum, { version }) => sum + version, 0)
  return { text: toAnswer(toDocument(product), quantities, true), etag: etagOfProduct(product.version, stockVersion) }
}
