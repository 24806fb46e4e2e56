import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Cell, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { inTurns } from '#platform/transfer/define-import.ts'
import { type ImportJob, ImportPayload } from '#platform/transfer/kind.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { AppError } from '#vocabulary/errors.ts'
import { appendStatuses } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { holdCategories, newCategories } from '../categories/hold-categories.ts'
import { importUndone, productUpdated } from '../events.ts'
import { isSlugTaken } from '../products/change-product.ts'
import { type LockedProduct, lockProducts, readLocked } from '../products/lock-products.ts'
import type { Product } from '../products/product.ts'
import { type WrittenProduct, writeProducts } from '../products/write-products.ts'
import { leaveAlone } from './leave-alone.ts'

const BATCH = 200

type Undoing = { businessId: string; id: string; position: number; undoneBy: Actor | null }
type PutBack = WrittenProduct & { number: number }
type ItemRow = {
  number: number
  productId: string
  version: number
  before: (Omit<Product, 'createdAt' | 'updatedAt' | 'pricesChangeAt'> & { createdAt: string }) | null
}

/**
 * Puts back what an import has changed, from its last line to its first, and archives what it created. Stock stays as
 * it is, and so does every product that somebody has changed since.
 */
export const undoImportJob: ImportJob = defineJob({
  name: 'catalog.undo-import',
  on: 'cell',
  payload: ImportPayload,
  async run({ businessId, importId }, { db, fence, signal }) {
    // What a stopped import did not come to is not to be undone.
    const step = async () =>
      (await leaveAlone(db, businessId, importId)) > 0 || (await undoBatch(db, businessId, importId, fence))
    await inTurns({ db, fence, signal }, step, (tx) => enqueue(tx, undoImportJob, { businessId, importId }))
  },
})

type Fence = (tx: Tx) => Promise<void>

/**
 * False: nothing is left to do. If somebody else has a slug by now that a product of the batch had, the products are put back
 * one by one, and the one that cannot be stays as it is.
 */
async function undoBatch(db: Cell, businessId: string, importId: string, fence: Fence): Promise<boolean> {
  const attempts = [{ most: BATCH }, { most: 1 }, { most: 1, isKept: true }]
  for (const [index, attempt] of attempts.entries()) {
    try {
      return await undoItems(db, businessId, importId, fence, attempt)
    } catch (error) {
      if (!isSlugTaken(error) || index === attempts.length - 1) throw error
    }
  }
  return false
}

type Attempt = { most: number; isKept?: boolean }

const undoItems = (db: Cell, businessId: string, importId: string, fence: Fence, { most, isKept = false }: Attempt) =>
  transaction(db, async (tx): Promise<boolean> => {
    await fence(tx)
    const { rows } = await sql<Undoing>`
      select business_id, id, position, undone_by
        from catalog.imports
       where business_id = ${businessId} and id = ${importId} and status = 'UNDOING'
         for update`.execute(tx)
    const [undoing] = rows
    if (!undoing) return false
    const items = await nextItems(tx, undoing, most)
    if (items.length === 0) {
      await finish(tx, undoing)
      return false
    }
    const undone = isKept ? [] : await putBack(tx, undoing, items)
    await note(tx, undoing, items, undone)
    await fault('import.before-undone')
    return true
  })

/** The last ones that are left, each about another product: the next batch sees what this one has put back. */
async function nextItems(tx: Tx, { businessId, id, position }: Undoing, most: number): Promise<ItemRow[]> {
  const { rows } = await sql<ItemRow>`
    select number, product_id, version, before
      from catalog.import_items
     where business_id = ${businessId} and import_id = ${id} and number < ${position}
       and (status = 'CREATED' or (status = 'CHANGED' and before is not null))
     order by number desc
     limit ${most}`.execute(tx)
  const seen = new Set<string>()
  const repeated = rows.findIndex(({ productId }) => seen.size === seen.add(productId).size)
  return repeated === -1 ? rows : rows.slice(0, repeated)
}

async function putBack(tx: Tx, { businessId, id: importId, undoneBy }: Undoing, items: readonly ItemRow[]) {
  const actor = undoneBy ?? undefined
  const ids = items.map(({ productId }) => productId)
  await lockProducts(tx, businessId, ids)
  const locked = await readLocked(tx, businessId, ids, { lockStock: false })
  const known = new Map(locked.map((found) => [found.product.id, found]))
  const written = items.flatMap(({ number, productId, version, before }): PutBack[] => {
    const found = known.get(productId)
    const product = found?.product.version === version ? asBefore(found, before, actor) : undefined
    return found && product ? [{ product, before: found.product, number }] : []
  })
  if (written.length === 0) return []
  await holdCategories(tx, businessId, newCategories(written))
  await writeProducts(tx, businessId, written)
  await record(
    tx,
    ...written.map(({ product }) => productUpdated({ businessId, subject: product.id, actor, data: { importId } })),
  )
  return written
}

/**
 * As it was, but for its history of statuses, which only grows. What had not been there is archived. Undefined: the history is
 * full, so it cannot be.
 */
function asBefore(
  { product }: LockedProduct,
  before: ItemRow['before'],
  actor: Actor | undefined,
): Product | undefined {
  const at = now()
  const status = before ? before.statuses.at(-1)?.status : 'ARCHIVED'
  const put = { field: 'statuses', actor, atSeconds: toSeconds(at) }
  const statuses = status ? grow(product.statuses, status, put) : product.statuses
  if (!statuses) return undefined
  return {
    ...product,
    ...before,
    statuses,
    pricesChangeAt: product.pricesChangeAt,
    version: product.version + 1,
    createdAt: product.createdAt,
    updatedAt: at,
  }
}

function grow(
  history: Product['statuses'],
  status: Product['statuses'][number]['status'],
  put: Parameters<typeof appendStatuses>[2],
): Product['statuses'] | undefined {
  try {
    return appendStatuses(history, [{ status }], put)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/**
 * Lines further up that changed the same product left it in the state that is there again now: to them it is as they
 * left it.
 */
async function note(
  tx: Tx,
  { businessId, id }: Undoing,
  items: readonly ItemRow[],
  undone: readonly PutBack[],
): Promise<void> {
  const numbers = undone.map(({ number }) => number)
  const byNumber = new Map(items.map((item) => [item.number, item]))
  const again = undone.flatMap(({ number, product: { slug, version } }) => {
    const before = byNumber.get(number)?.before
    return before ? [{ slug, product_id: before.id, was: before.version, now: version }] : []
  })
  await sql`
    update catalog.import_items as item
       set version = again.now
      from json_to_recordset(${JSON.stringify(again)}) as again (slug text, product_id text, was integer, now integer)
     where item.business_id = ${businessId} and item.import_id = ${id} and item.slug = again.slug
       and item.product_id = again.product_id and item.version = again.was`.execute(tx)
  await sql`
    update catalog.import_items
       set status = case when number = any (${numbers}::integer[]) then 'UNDONE' else 'KEPT' end
     where business_id = ${businessId} and import_id = ${id}
       and number = any (${items.map(({ number }) => number)}::integer[])`.execute(tx)
  await sql`
    update catalog.imports
       set position = ${items.at(-1)?.number ?? 0}, undone = undone + ${undone.length},
           kept = kept + ${items.length - undone.length}, updated_at = ${now()}
     where business_id = ${businessId} and id = ${id}`.execute(tx)
}

async function finish(tx: Tx, { businessId, id, undoneBy }: Undoing): Promise<void> {
  const { rows } = await sql<{ undone: number; kept: number }>`
    update catalog.imports
       set status = 'UNDONE', updated_at = ${now()}
     where business_id = ${businessId} and id = ${id}
    returning undone, kept`.execute(tx)
  const { undone = 0, kept = 0 } = rows[0] ?? {}
  await record(tx, importUndone({ businessId, subject: id, actor: undoneBy ?? undefined, data: { undone, kept } }))
}
