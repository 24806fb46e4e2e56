import { sql } from 'kysely'
import { createHoldMedia, findOutcomes } from '#modules/media/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import type { Media, UploadedMedia } from '#vocabulary/media.ts'
import { productUpdated } from '../events.ts'
import { lockProducts, readLocked } from '../products/lock-products.ts'
import { MAX_FILES } from '../products/merge-product.ts'
import type { Product } from '../products/product.ts'
import { itemsOf } from '../products/product-media.ts'
import { writeProducts } from '../products/write-products.ts'
import type { PictureProblem } from './pictures.ts'

const LOOK_AGAIN_MS = 2_000
/** Less than making one ready takes: where many wait, most of them wait for longer. */
const EACH_MS = 100
const FILES = 100
const PRODUCTS = 50

const isDue = () => sql`status = 'FETCHED' and due_at <= ${now()}`

/** Whether a picture waits for its place. */
export const hasUnplaced = () => sql`exists (select from catalog.import_pictures where ${isDue()})`

/** Puts files that are READY in the place of their addresses. Those that were rejected leave them as they are. */
export async function placePictures(db: Db, publicUrl: (key: string) => string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { rows } = await sql<{ businessId: string; mediaId: string }>`
      select distinct business_id, media_id
        from (select business_id, media_id
                from catalog.import_pictures
               where ${isDue()}
               order by due_at
               limit ${FILES}) as due`.execute(db)
    if (rows.length === 0) return
    for (const [businessId, files] of Map.groupBy(rows, (row) => row.businessId)) {
      const ids = files.map(({ mediaId }) => mediaId)
      const outcomes = await findOutcomes(db, businessId, ids)
      await lookAgain(
        db,
        businessId,
        ids.filter((id) => isUnfinished(outcomes.get(id))),
      )
      for (const mediaId of ids) {
        if (signal.aborted) return
        const outcome = outcomes.get(mediaId)
        const file = { businessId, mediaId }
        if (outcome?.status === 'READY') await placeFile(db, file, publicUrl, signal)
        // Deleted since: whoever did that does not want it.
        else if (!isUnfinished(outcome)) await giveUp(db, file, outcome?.problem ?? 'FAILED')
      }
    }
  }
}

type File = { businessId: string; mediaId: string }

const giveUp = (db: Db, { businessId, mediaId }: File, problem: PictureProblem) =>
  sql`
    update catalog.import_pictures
       set status = 'FAILED', problem = ${problem}
     where business_id = ${businessId} and media_id = ${mediaId} and status = 'FETCHED'`.execute(db)

type Outcome = { status: string } | undefined
const isUnfinished = (outcome: Outcome) => outcome?.status === 'PENDING' || outcome?.status === 'PROCESSING'

async function lookAgain(db: Db, businessId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update catalog.import_pictures
       set due_at = ${new Date(nowMs() + Math.max(LOOK_AGAIN_MS, ids.length * EACH_MS))}
     where business_id = ${businessId} and media_id = any (${[...ids]}) and status = 'FETCHED'`.execute(db)
}

async function placeFile(db: Db, file: File, publicUrl: (key: string) => string, signal: AbortSignal) {
  const hold = createHoldMedia(publicUrl)
  let isMore = true
  while (isMore && !signal.aborted) isMore = await transaction(db, (tx) => placeSome(tx, file, hold))
}

type Row = { importId: string; number: number; addressHash: string; address: string; productId: string; slug: string }

/** Answers whether there may be more. */
async function placeSome(
  tx: Tx,
  { businessId, mediaId }: File,
  hold: ReturnType<typeof createHoldMedia>,
): Promise<boolean> {
  const { rows } = await sql<Row>`
    select import_id, number, address_hash, address, product_id, slug
      from catalog.import_pictures
     where business_id = ${businessId} and media_id = ${mediaId} and status = 'FETCHED'
     order by product_id, import_id, number
     limit ${PRODUCTS}
       for update`.execute(tx)
  if (rows.length === 0) return false
  const ids = [...new Set(rows.map(({ productId }) => productId))]
  await lockProducts(tx, businessId, ids)
  const locked = await readLocked(tx, businessId, ids, { lockStock: false })
  const found = (await hold(tx, businessId, [mediaId])).get(mediaId)
  if (typeof found !== 'object') return false // deleted a moment ago: the next look sees it
  const at = now()
  const byProduct = Map.groupBy(rows, ({ productId }) => productId)
  const full = new Set<string>()
  const written = locked.flatMap(({ product: before }) => {
    const addresses = new Set(byProduct.get(before.id)?.map(({ address }) => address))
    const product = withFile(before, addresses, found)
    if (!product) return []
    if (filesIn(product) > MAX_FILES) {
      full.add(before.id)
      return []
    }
    return [{ product: { ...product, version: before.version + 1, updatedAt: at }, before }]
  })
  if (written.length > 0) {
    await writeProducts(tx, businessId, written, { at })
    const data = { fields: ['gallery'] }
    await record(tx, ...written.map(({ product }) => productUpdated({ businessId, subject: product.id, data })))
    await keepUndoable(tx, businessId, rows, written)
  }
  await settle(tx, businessId, rows, full)
  await fault('import.picture-placed')
  return rows.length === PRODUCTS
}

/** The product with the file where it still has one of these addresses, each item under its own id. Undefined: it has none. */
function withFile(product: Product, addresses: ReadonlySet<string>, file: UploadedMedia): Product | undefined {
  let isChanged = false
  const place = (item: Media): Media => {
    if (item.mediaId !== undefined || !addresses.has(item.url)) return item
    isChanged = true
    return { id: item.id, ...file }
  }
  const gallery = product.gallery.map(place)
  const variants = product.variants.map((variant) => ({ ...variant, gallery: variant.gallery.map(place) }))
  return isChanged ? { ...product, gallery, variants } : undefined
}

const filesIn = (product: Product) => itemsOf(product).filter(({ mediaId }) => mediaId !== undefined).length

/** To the import it is still as it left it: its own pictures do not keep it from being undone. */
async function keepUndoable(
  tx: Tx,
  businessId: string,
  rows: readonly Row[],
  written: readonly { product: Product; before: Product }[],
): Promise<void> {
  const byId = new Map(written.map((one) => [one.product.id, one]))
  const moved = rows.flatMap(({ importId, slug, productId }) => {
    const one = byId.get(productId)
    return one
      ? [{ import_id: importId, slug, product_id: productId, was: one.before.version, now: one.product.version }]
      : []
  })
  await sql`
    update catalog.import_items as item
       set version = moved.now
      from json_to_recordset(${JSON.stringify(moved)})
           as moved (import_id text, slug text, product_id text, was integer, now integer)
     where item.business_id = ${businessId} and item.import_id = moved.import_id and item.slug = moved.slug
       and item.product_id = moved.product_id and item.version = moved.was`.execute(tx)
}

async function settle(tx: Tx, businessId: string, rows: readonly Row[], full: ReadonlySet<string>): Promise<void> {
  const settled = rows.map(({ importId, number, addressHash, productId }) => ({
    import_id: importId,
    number,
    address_hash: addressHash,
    status: full.has(productId) ? 'FAILED' : 'DONE',
    problem: full.has(productId) ? 'TOO_MANY_FILES' : null,
  }))
  await sql`
    update catalog.import_pictures as picture
       set status = settled.status, problem = settled.problem
      from json_to_recordset(${JSON.stringify(settled)})
           as settled (import_id text, number integer, address_hash text, status text, problem text)
     where picture.business_id = ${businessId} and picture.import_id = settled.import_id
       and picture.number = settled.number and picture.address_hash = settled.address_hash`.execute(tx)
}
