import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { type Expected, etagOf } from '#platform/http/etag.ts'
import { isHere } from '#platform/moves/fence.ts'
import { AppError } from '#vocabulary/errors.ts'
import { entryPublishFailed } from '../events.ts'
import { updateEntry, type Writer } from './change-entry.ts'

const BATCH = 50

type Due = { publishAt: Date; businessId: string; id: string }

/** Whether an entry is to be published. */
export const hasUnpublished = () =>
  sql`exists (select from content.entries where publish_at <= ${now()} and ${isHere('business_id')})`

/**
 * Publishes entries that are due, each in its own transaction. One that fails is skipped and tried again in the next
 * run, so that failing entries never block the others.
 */
export async function publishDue(db: Db, log: FastifyBaseLogger): Promise<number> {
  const until = now()
  let count = 0
  for (let after: Due | undefined; ; ) {
    const due = await findNext(db, until, after)
    for (const entry of due) {
      try {
        await publish(db, entry)
      } catch (error) {
        log.error({ err: error, businessId: entry.businessId, entryId: entry.id }, 'an entry cannot be published yet')
      }
    }
    count += due.length
    after = due.at(-1)
    if (!after || due.length < BATCH) return count
  }
}

async function findNext(db: Db, until: Date, after: Due | undefined): Promise<Due[]> {
  const { rows } = await sql<Due>`
    select publish_at, business_id, id
      from content.entries
     where publish_at <= ${until} and ${isHere('business_id')}
       and (publish_at, business_id, id) > (${after?.publishAt ?? '-infinity'}, ${after?.businessId ?? ''}, ${after?.id ?? ''})
     order by publish_at, business_id, id
     limit ${BATCH}`.execute(db)
  return rows
}

async function publish(db: Db, { businessId, id }: Due): Promise<void> {
  // Neither a default locale nor resolvers are needed: locale and references were checked when the entry was written.
  const writer = { business: { id: businessId, defaultLocale: '' }, actor: undefined, seesOrders: true, resolvers: {} }
  try {
    await transaction(db, async (tx) => {
      const expected = await findDue(tx, businessId, id)
      if (expected) await updateEntry(tx, writer, id, expected, { statuses: [{ status: 'PUBLISHED' }] })
      await fault('publish.before-commit')
    })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.status === 422) await transaction(db, (tx) => giveUp(tx, writer, id, error))
  }
}

/**
 * The schema has changed since the entry was planned, and the entry no longer matches: cancels the plan and records an
 * event.
 */
async function giveUp(tx: Tx, writer: Writer, id: string, { details }: AppError): Promise<void> {
  const businessId = writer.business.id
  const expected = await findDue(tx, businessId, id)
  if (!expected) return
  await updateEntry(tx, writer, id, expected, { publishAt: null })
  const data = { details: details.map(({ field, error }) => ({ field, error })) }
  await record(tx, entryPublishFailed({ businessId, subject: id, data }))
}

/** The version that is due; one that was changed meanwhile, or published by another worker, is not found. */
async function findDue(tx: Tx, businessId: string, id: string): Promise<Expected> {
  const row = await tx
    .selectFrom('content.entries')
    .select('version')
    .where((entry) => entry.and({ businessId, id }))
    .where('publishAt', '<=', now())
    .executeTakeFirst()
  return row && [etagOf(row.version)]
}
