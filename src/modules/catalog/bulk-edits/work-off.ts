import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Cell, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { AppError, type Detail } from '#vocabulary/errors.ts'
import { holdCategories, newCategories } from '../categories/hold-categories.ts'
import { type LockedProduct, lockProducts, readLocked } from '../products/lock-products.ts'
import { mergeProduct } from '../products/merge-product.ts'
import { type WrittenProduct, writeProducts } from '../products/write-products.ts'
import { type BulkEditRow, isRunning } from './bulk-edit.ts'
import { productGone } from './errors.ts'
import { type FieldChange, fieldChanges, toProductChanges, warningsOf } from './field-changes.ts'
import { finishWork } from './finish-work.ts'
import { findBulkEdit, lockBulkEdit } from './queries.ts'
import { type Failure, type ItemStatus, MAX_PRODUCTS, type Warning } from './schemas.ts'
import { addItems, findSelected } from './select-products.ts'

const BATCH = 200
/** Texts of products in one transaction: large ones make it a short one, too. */
const BATCH_BYTES = 2_000_000

export type Turn = {
  business: Pick<Business, 'id' | 'markets'>
  bulkEditId: string
  /** The fencing check, called first in every transaction: fails when another worker has taken over. */
  fence: (tx: Tx) => Promise<void>
}

/** Does the next piece of work. Whether there is more. */
export async function workOff(db: Cell, turn: Turn): Promise<boolean> {
  const edit = await findBulkEdit(db, turn.business.id, turn.bulkEditId)
  if (!edit || !isRunning(edit.status)) return false
  if (edit.status === 'DRY_RUN' && edit.selectedUpTo !== null) return selectMore(db, turn, edit)
  return transaction(db, (tx) => workOffBatch(tx, turn))
}

/** Follows the filters. The place where to go on is kept with the products that were found: none comes twice. */
async function selectMore(db: Cell, turn: Turn, { filters, selectedUpTo }: BulkEditRow): Promise<boolean> {
  const { id: businessId } = turn.business
  const found = await findSelected(db, businessId, filters ?? {}, selectedUpTo ?? '')
  return transaction(db, async (tx) => {
    await turn.fence(tx)
    const edit = await lockBulkEdit(tx, businessId, turn.bulkEditId)
    if (edit?.status !== 'DRY_RUN' || edit.selectedUpTo !== selectedUpTo) return edit !== undefined
    if (!found || edit.total + found.ids.length > MAX_PRODUCTS) return fail(tx, edit, 'TOO_MANY')
    const added = await addItems(tx, edit, found.ids)
    await update(tx, edit, { total: edit.total + added, selectedUpTo: found.reached ?? null })
    await fault('bulk-edit.before-commit')
    return true
  })
}

/** Nothing more is done for it, until somebody asks. */
export async function fail(tx: Tx, edit: BulkEditRow, failure: Failure): Promise<false> {
  await update(tx, edit, { status: 'FAILED', failure })
  return false
}

type Item = { number: number; productId: string; version: number | null; changes: FieldChange[] | null }

/** Products, their items and the place where to go on are one transaction: a worker that dies has done nothing by half, or twice. */
async function workOffBatch(tx: Tx, turn: Turn): Promise<boolean> {
  await turn.fence(tx)
  const edit = await lockBulkEdit(tx, turn.business.id, turn.bulkEditId)
  if (!edit || !isRunning(edit.status)) return false
  const { waiting, work } = WORKS[edit.status as keyof typeof WORKS]
  const items = await nextItems(tx, edit, waiting)
  if (items.length === 0) {
    if (edit.status === 'DRY_RUN') await update(tx, edit, { status: 'READY' })
    else await finishWork(tx, edit, { isStopped: false })
    return false
  }
  const outcomes = await work(tx, edit, items, turn.business)
  await settleItems(tx, edit, outcomes)
  await advance(tx, edit, outcomes)
  await fault('bulk-edit.before-commit')
  return true
}

type Outcome = {
  number: number
  status: ItemStatus
  version?: number
  changes?: FieldChange[]
  warnings?: Warning[]
  details?: Detail[]
}
type Work = (tx: Tx, edit: BulkEditRow, items: readonly Item[], business: Turn['business']) => Promise<Outcome[]>

const WORKS: Record<'DRY_RUN' | 'APPLYING' | 'UNDOING', { waiting: string; work: Work }> = {
  DRY_RUN: { waiting: 'SELECTED', work: tryItems },
  APPLYING: {
    waiting: 'PENDING',
    work: (tx, { appliedBy }, items, business) =>
      writeItems(tx, items, { business, actor: appliedBy, side: 'after', written: 'APPLIED', passedOver: 'SKIPPED' }),
  },
  UNDOING: {
    waiting: 'APPLIED',
    work: (tx, { undoneBy }, items, business) =>
      writeItems(tx, items, { business, actor: undoneBy, side: 'before', written: 'UNDONE', passedOver: 'KEPT' }),
  },
}

/** The next ones, as many as fit into a short transaction. */
async function nextItems(tx: Tx, { businessId, id, position }: BulkEditRow, status: string): Promise<Item[]> {
  const { rows } = await sql<Item>`
    select number, product_id, version, changes
      from (select next.*, sum(bytes) over (order by number) - bytes as before
              from (select number, product_id, version, changes
                      from catalog.bulk_edit_items
                     where business_id = ${businessId} and bulk_edit_id = ${id} and number > ${position} and status = ${status}
                     order by number
                     limit ${BATCH}) as next
             cross join lateral (
               select coalesce((select octet_length(document) from catalog.products
                                 where business_id = ${businessId} and products.id = next.product_id), 0) as bytes) as weighed
           ) as counted
     where before < ${BATCH_BYTES}
     order by number`.execute(tx)
  return rows
}

/** What would become of them. Nothing is written but the items. */
async function tryItems(
  tx: Tx,
  { changes }: BulkEditRow,
  items: readonly Item[],
  business: Turn['business'],
): Promise<Outcome[]> {
  const ids = items.map(({ productId }) => productId)
  const found = toMap(await readLocked(tx, business.id, ids, { lockStock: false }))
  const at = now()
  return items.map(({ number, productId }): Outcome => {
    const one = found.get(productId)
    if (!one) return { number, status: 'REFUSED', details: [productGone()] }
    const { version } = one.product
    const tried = unlessRefused(() => {
      const changed = fieldChanges(one.product, changes, business)
      const sent = toProductChanges(one.product, changed, 'after', business.markets)
      if (changed.length > 0) mergeProduct(one.product, one.removed, sent, { business, actor: undefined, at })
      return changed
    })
    if ('details' in tried) return { number, version, status: 'REFUSED', details: tried.details }
    const { result } = tried
    if (result.length === 0) return { number, version, status: 'UNCHANGED' }
    return { number, version, status: 'PENDING', changes: result, warnings: warningsOf(result) }
  })
}

type Writing = {
  business: Turn['business']
  actor: Actor | null
  side: 'before' | 'after'
  written: ItemStatus
  passedOver: ItemStatus
}

/** Writes those that nobody has changed since, as a `PUT` of each would. */
async function writeItems(
  tx: Tx,
  items: readonly Item[],
  { business, actor, side, written, passedOver }: Writing,
): Promise<Outcome[]> {
  const ids = items.map(({ productId }) => productId)
  await lockProducts(tx, business.id, ids)
  const found = toMap(await readLocked(tx, business.id, ids, { lockStock: false }))
  const isSame = ({ productId, version }: Item) => found.get(productId)?.product.version === version
  const at = now()
  const products: WrittenProduct[] = []
  const outcomes = items.map((item): Outcome => {
    const { number, productId, changes } = item
    const one = found.get(productId)
    if (!one || !isSame(item)) return { number, status: passedOver }
    const merged = unlessRefused(() => {
      const sent = toProductChanges(one.product, changes ?? [], side, business.markets)
      return mergeProduct(one.product, one.removed, sent, { business, actor: actor ?? undefined, at })
    })
    // A market changed its currency in between, say.
    if ('details' in merged)
      return { number, status: side === 'after' ? 'REFUSED' : passedOver, details: merged.details }
    const { product } = merged.result
    products.push({ product, before: one.product })
    return { number, status: written, version: product.version }
  })
  await holdCategories(tx, business.id, newCategories(products))
  if (products.length > 0) await writeProducts(tx, business.id, products, { at })
  return outcomes
}

const toMap = (found: readonly LockedProduct[]) => new Map(found.map((one) => [one.product.id, one]))

function unlessRefused<Result>(work: () => Result): { result: Result } | { details: Detail[] } {
  try {
    return { result: work() }
  } catch (error) {
    if (error instanceof AppError) return { details: error.details }
    throw error
  }
}

async function settleItems(tx: Tx, { businessId, id }: BulkEditRow, outcomes: readonly Outcome[]): Promise<void> {
  const [first, last] = [outcomes[0]?.number ?? 0, outcomes.at(-1)?.number ?? 0]
  // Bounded by first and last, so that the plan is right while statistics know nothing of rows as young as these.
  await sql`
    update catalog.bulk_edit_items as item
       set status = outcome.status, version = coalesce(outcome.version, item.version),
           changes = coalesce(outcome.changes, item.changes), warnings = coalesce(outcome.warnings, item.warnings),
           details = coalesce(outcome.details, item.details)
      from json_to_recordset(${JSON.stringify(outcomes)}::json)
        as outcome (number integer, status text, version integer, changes json, warnings text[], details json)
     where business_id = ${businessId} and bulk_edit_id = ${id} and item.number between ${first} and ${last}
       and item.number = outcome.number`.execute(tx)
}

/** Counts what became of the items. */
async function advance(tx: Tx, edit: BulkEditRow, outcomes: readonly Outcome[]): Promise<void> {
  const count = (status: ItemStatus) => outcomes.filter((outcome) => outcome.status === status).length
  const isDryRun = edit.status === 'DRY_RUN'
  const refused = count('REFUSED')
  const warnings = { ...edit.warnings }
  for (const warning of outcomes.flatMap((outcome) => outcome.warnings ?? []))
    warnings[warning] = (warnings[warning] ?? 0) + 1
  await update(tx, edit, {
    position: outcomes.at(-1)?.number ?? edit.position,
    changing: edit.changing + (isDryRun ? count('PENDING') : -refused),
    unchanged: edit.unchanged + count('UNCHANGED'),
    refused: edit.refused + refused,
    applied: edit.applied + count('APPLIED'),
    skipped: edit.skipped + count('SKIPPED'),
    undone: edit.undone + count('UNDONE'),
    kept: edit.kept + count('KEPT'),
    changedValues: edit.changedValues + outcomes.reduce((sum, { changes }) => sum + (changes?.length ?? 0), 0),
    warned: edit.warned + outcomes.filter((outcome) => (outcome.warnings?.length ?? 0) > 0).length,
    warnings,
  })
}

async function update(tx: Tx, { businessId, id }: BulkEditRow, changes: Partial<BulkEditRow>): Promise<void> {
  await tx
    .updateTable('catalog.bulkEdits')
    .set({ ...changes, updatedAt: now() } as never)
    .where((edit) => edit.and({ businessId, id }))
    .execute()
}
