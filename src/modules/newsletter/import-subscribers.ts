import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { type Collection, isPaidPlan, lockCollection } from '#modules/content/index.ts'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { findUnstorable, isTooDeep } from '#platform/http/json-body.ts'
import { toKeptDetail } from '#platform/http/uploads.ts'
import { createChecker } from '#platform/http/validation.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { OneOf } from '#vocabulary/schemas.ts'
import { planNotFound, planRequired } from './errors.ts'
import { NewSubscription } from './schemas.ts'
import { NOTHING, type Outcome, subscribeMany, type Wish } from './subscribe-many.ts'
import { presentImport, type SubscriberImport } from './subscriber-imports.ts'

const BATCH_ROWS = 500

export type ImportContext = {
  businessId: string
  importId: string
  /** Called first in every transaction: refuses when somebody else has taken over. */
  fence?: (tx: Tx) => Promise<void>
}

/**
 * Imports the next rows, all that came of them in one transaction: a crash leaves no subscription without its row being ticked
 * off. Undefined when there is nothing to be done any more.
 */
export const importBatch = (db: Db, context: ImportContext): Promise<SubscriberImport | undefined> =>
  transaction(db, async (tx) => {
    const { businessId, importId } = context
    await context.fence?.(tx)
    const running = await lockImport(tx, businessId, importId)
    if (!running) return undefined
    const collection = await lockCollection(tx, businessId, running.collectionId, 'share') // until then, no plan goes away
    const rows = await nextRows(tx, businessId, importId, running.position)
    const parsed = rows.map((row) => parse(row, collection))
    const failed = parsed.filter((row) => row.details !== null)
    const wishes = parsed.flatMap(({ wish }) => wish ?? [])
    const outcome = wishes.length > 0 ? await subscribeMany(tx, businessId, running.collectionId, wishes) : NOTHING
    await tick(tx, businessId, importId, rows, failed)
    await fault('subscriber-import.before-commit')
    const counts = { ...outcome, failed: failed.length, position: rows.at(-1)?.number }
    return advance(tx, businessId, importId, counts)
  })

const lockImport = (tx: Tx, businessId: string, id: string) =>
  tx
    .selectFrom('newsletter.imports')
    .select(['position', 'collectionId'])
    .where((row) => row.and({ businessId, id, status: 'RUNNING' }))
    .forUpdate()
    .executeTakeFirst()

type Row = { number: number; line: string; details: Detail[] | null }

const nextRows = (tx: Tx, businessId: string, importId: string, position: number): Promise<Row[]> =>
  tx
    .selectFrom('newsletter.importRows')
    .select(['number', 'line', 'details'])
    .where((row) => row.and({ businessId, importId }))
    .where('number', '>', position)
    .orderBy('number')
    .limit(BATCH_ROWS)
    .execute() as Promise<Row[]>

const Imported = Type.Object({
  email: NewSubscription.properties.email,
  name: NewSubscription.properties.name,
  planId: NewSubscription.properties.planId,
  status: Type.Optional(OneOf(['ACTIVE', 'CANCELLED'])),
})
type Imported = Static<typeof Imported>
const check = createChecker(Imported)

/** The line as the body of a request would be read. */
function parse(row: Row, collection: Collection | undefined): Row & { wish?: Wish } {
  const refuse = (details: Detail[]) => ({ ...row, details })
  const refuseLine = (message: string) => refuse([{ field: '', error: 'INVALID', message }])
  if (row.details) return row
  if (collection?.type !== 'NEWSLETTER') return refuseLine('The newsletter is not there any more.')
  if (isTooDeep(row.line)) return refuseLine('The line is nested too deeply.')
  let body: unknown
  try {
    body = JSON.parse(row.line)
  } catch (error) {
    return refuseLine(`The line is not valid JSON: ${(error as Error).message}.`)
  }
  const unstorable = findUnstorable(body, '')
  if (unstorable !== undefined) return refuseLine(`${unstorable || 'The line'} holds a NUL or half a surrogate pair.`)
  const result = check(body)
  if ('details' in result) return refuse(result.details)
  const { email, name, status = 'ACTIVE' } = result.value
  const plan = planOf(collection, result.value)
  return 'details' in plan ? refuse(plan.details) : { ...row, wish: { email, name, status, ...plan } }
}

/** Who has left is told apart by the address alone, whatever plan it was. */
function planOf({ plans }: Collection, { planId, status }: Imported): Pick<Wish, 'planId'> | { details: Detail[] } {
  if (status === 'CANCELLED') return { planId: undefined }
  if (planId === undefined) return plans.length > 0 ? planRequired() : { planId: null }
  const plan = plans.find(({ id }) => id === planId)
  if (!plan) return planNotFound('planId')
  return isPaidPlan(plan) ? { details: [PAID_PLAN] } : { planId }
}

const PAID_PLAN = { field: 'planId', error: 'PAID_PLAN', message: 'Who subscribes to a paid plan has to pay: it cannot be imported.' } // biome-ignore format: one line

/** What was imported is forgotten, what failed is kept with its errors. */
async function tick(tx: Tx, businessId: string, importId: string, rows: readonly Row[], failed: readonly Row[]) {
  const [first, last] = [rows[0]?.number ?? 0, rows.at(-1)?.number ?? 0]
  const wrong = JSON.stringify(failed.map(({ number, details }) => ({ number, details: details?.map(toKeptDetail) })))
  // Both look only between first and last, whatever the planner believes to know of millions that have just come.
  await sql`
    with done as (
      delete from newsletter.import_rows
       where business_id = ${businessId} and import_id = ${importId} and number between ${first} and ${last}
         and number <> all (${failed.map(({ number }) => number)}::integer[])
    )
    update newsletter.import_rows
       set details = failed.details
      from json_to_recordset(${wrong}) as failed (number integer, details jsonb)
     where business_id = ${businessId} and import_id = ${importId} and import_rows.number between ${first} and ${last}
       and import_rows.number = failed.number`.execute(tx)
}

type Counts = Outcome & { failed: number; position: number | undefined }

async function advance(tx: Tx, businessId: string, id: string, counts: Counts): Promise<SubscriberImport> {
  const { created, updated, skipped, failed, position } = counts
  const isDone = position === undefined // there was no row left
  const row = await tx
    .updateTable('newsletter.imports')
    .set((old) => ({
      created: old('created', '+', created),
      updated: old('updated', '+', updated),
      skipped: old('skipped', '+', skipped),
      failed: old('failed', '+', failed),
      updatedAt: now(),
      ...(isDone ? { status: 'DONE', finishedAt: now() } : { position }),
    }))
    .where((known) => known.and({ businessId, id }))
    .returningAll()
    .executeTakeFirstOrThrow()
  // One event for all of them: millions would keep everybody else's waiting.
  if (isDone) {
    const data = { collectionId: row.collectionId, created: row.created, updated: row.updated, skipped: row.skipped, failed: row.failed } // biome-ignore format: one line
    await record(tx, { businessId, type: 'subscriber-import.finished', subject: id, data })
  }
  return presentImport(row)
}
