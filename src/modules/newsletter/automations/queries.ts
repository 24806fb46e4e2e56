import { sql } from 'kysely'
import { type Collection, checkComplete, type Entry, findEntry } from '#modules/content/index.ts'
import { nowMs } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import type { AppError } from '#vocabulary/errors.ts'
import { isRefusal } from '#vocabulary/errors.ts'
import { currentOf } from '#vocabulary/status-history.ts'
import { automationNotFound, letterGone, letterNotPublished } from '../errors.ts'
import { getNewsletter } from '../subscriptions/newsletter.ts'
import type { AutomationRow, Sendings } from './automation.ts'

const DAY_MS = 24 * 3_600_000
const LATELY_DAYS = 30

/** Those of a newsletter, in the order of their triggers; or one of them. */
export async function listAutomations(
  db: Db,
  { businessId, id: collectionId }: Collection,
  id?: string,
): Promise<(AutomationRow & Sendings)[]> {
  const since = new Date(nowMs() - LATELY_DAYS * DAY_MS)
  const { rows } = await sql<AutomationRow & Sendings>`
    select automation.*, lately.*
      from newsletter.automations as automation
     cross join lateral (
       select coalesce(sum(sent) filter (where started_at >= ${since}), 0)::integer as sent_lately, max(id) as latest_send_id
         from (select sends.id, sends.sent, sends.started_at
                 from newsletter.sends
                where sends.business_id = automation.business_id and sends.automation_id = automation.id
                order by sends.id desc
                limit ${LATELY_DAYS * 24 + 24}) as newest) as lately -- one an hour at most
     where automation.business_id = ${businessId} and automation.collection_id = ${collectionId}
           ${id === undefined ? sql`` : sql`and automation.id = ${id}`}
     order by array_position(array['WELCOME', 'CHECKOUT_UNFINISHED', 'BACK_IN_STOCK'], automation.trigger)`.execute(db)
  return rows
}

/** With what is wrong with their letters now. There are three at most. */
export async function readAutomations(db: Db, businessId: string, collectionId: string, id?: string) {
  const newsletter = await getNewsletter(db, businessId, collectionId, 'collectionId')
  const rows = await listAutomations(db, newsletter, id)
  return Promise.all(
    rows.map(async (row) => {
      const problem = problemOf(newsletter, await findEntry(db, businessId, row.entryId))
      return { ...row, problem: problem?.message ?? row.problem }
    }),
  )
}

export async function readAutomation(db: Db, businessId: string, collectionId: string, id: string) {
  const [found] = await readAutomations(db, businessId, collectionId, id)
  if (!found) throw automationNotFound()
  return found
}

export async function lockAutomation(
  tx: Tx,
  businessId: string,
  collectionId: string,
  id: string,
): Promise<AutomationRow> {
  const row = await tx
    .selectFrom('newsletter.automations')
    .selectAll()
    .where((automation) => automation.and({ businessId, collectionId, id }))
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw automationNotFound()
  return row as AutomationRow
}

/** Why this letter cannot go out by itself; whether it is a valid template shows when it is composed. */
export function problemOf(newsletter: Collection | undefined, entry: Entry | undefined): AppError | undefined {
  if (!newsletter || entry?.collectionId !== newsletter.id) return letterGone()
  if (currentOf(entry.statuses) !== 'PUBLISHED') return letterNotPublished()
  try {
    checkComplete(newsletter, entry)
    return undefined
  } catch (error) {
    if (isRefusal(error)) return error
    throw error
  }
}
