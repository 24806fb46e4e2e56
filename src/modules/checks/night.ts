import { type Selectable, sql } from 'kysely'
import { Type } from 'typebox'
import { now, nowMs } from '#platform/clock.ts'
import type { ChecksNights } from '#platform/database/cell-tables.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { withEventsSql } from '#platform/events/feed.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { newId } from '#vocabulary/ids.ts'
import type { Worker } from './check-piece.ts'
import { type Broken, cannotBeChecked, findBroken, findLarge, findWithin } from './find-broken.ts'
import { type Rule, tasksOf } from './rule.ts'
import { settle } from './settle.ts'
import { keepTurn } from './turn.ts'

export type Night = Selectable<ChecksNights>

const SLICE = 500
const KEEP_DAYS = 30
const DAY_MS = 86_400_000

/** A night that is not through by the next one goes on instead of beginning anew. */
export const beginNight = defineJob({
  name: 'checks.begin-night',
  on: 'cell',
  payload: Type.Object({}),
  cron: '10 2 * * *',
  run: (_payload, { db }) => openNight(db),
})

export async function openNight(db: Db): Promise<void> {
  await sql`
    insert into checks.nights (started_at, after)
    select ${now()}, '' where not exists (select from checks.nights where finished_at is null)
    on conflict do nothing`.execute(db)
  // The last one that was through stays, however old it is, and so does the one that is under way.
  await sql`
    delete from checks.nights
     where started_at < ${new Date(nowMs() - KEEP_DAYS * DAY_MS)}
       and started_at < (select max(started_at) from checks.nights where finished_at is not null)`.execute(db)
}

export const findNight = (db: Db): Promise<Night | undefined> =>
  db.selectFrom('checks.nights').selectAll().where('finishedAt', 'is', null).executeTakeFirst()

type Due = { businessId: string; lastNumber: number }

/**
 * Businesses in which something happened since their last check, or that have not been checked for a month, or that were checked by
 * other rules than there are now, or of which a rule is broken. (Whether one list is part of the other takes ten times as long to find
 * out as whether they differ: measured.)
 */
async function listDue(db: Db, after: string, rules: readonly Rule[]): Promise<Due[]> {
  const names = rules.map(({ name }) => name).sort()
  const { rows } = await sql<Due>`
    select counted.business_id, counted.last_number
      from (${withEventsSql}) as counted
      left join checks.businesses as checked on checked.business_id = counted.business_id
     where counted.business_id > ${after}
       and (checked.finished_at is null
            or checked.last_number < counted.last_number
            or checked.rules <> ${names}::text[]
            or checked.finished_at < ${new Date(nowMs() - KEEP_DAYS * DAY_MS)}
            or exists (select from checks.broken where broken.business_id = counted.business_id))
     order by counted.business_id
     limit ${SLICE}`.execute(db)
  return rows
}

/** The next businesses of a night: the small ones together, a statement for each rule. The large ones get a run of their own. */
export async function checkSlice(
  { db, worker, rules, log, limits, readerOf }: Worker,
  night: Night,
  rest: Rest,
): Promise<void> {
  const startedAt = now()
  const names = rules.map(({ name }) => name)
  const due = await listDue(db, night.after ?? '', rules)
  const reader = readerOf ? await readerOf(db) : db
  const ids = due.map(({ businessId }) => businessId)
  const pieces = tasksOf(rules).flatMap((task) => task.pieces ?? [])
  const within: typeof findWithin = (...statement) => rest(() => findWithin(...statement))
  let large = new Set<string>()
  const found = new Map<string, Record<string, Broken>>()
  try {
    if (ids.length > 0) large = await within(reader, limits.pieceMs, (tx) => findLarge(tx, ids, pieces))
    for (const id of ids) if (!large.has(id)) found.set(id, {})
    for (const rule of rules) {
      if (found.size === 0) break
      const broken = await within(reader, limits.pieceMs, (tx) => findBroken(tx, rule, [...found.keys()]))
      for (const [businessId, each] of broken) Object.assign(found.get(businessId) ?? {}, { [rule.name]: each })
    }
  } catch (error) {
    if (!cannotBeChecked(error)) throw error
    log.warn({ err: error, businesses: ids.length }, 'businesses could not be checked together; each is, by itself')
    large = new Set(ids)
    found.clear()
  }
  await transaction(db, async (tx) => {
    await keepTurn(tx, worker)
    await addRuns(tx, [...large])
    await settle(
      tx,
      due.flatMap(({ businessId, lastNumber }) => {
        const broken = found.get(businessId)
        return broken ? [{ businessId, lastNumber, startedAt, rules: names, found: broken, unchecked: [] }] : []
      }),
    )
    await tx
      .updateTable('checks.nights')
      .set((each) => ({
        after: due.length < SLICE ? null : (ids.at(-1) ?? null),
        businesses: each('businesses', '+', found.size),
        large: each('large', '+', large.size),
      }))
      .where('startedAt', '=', night.startedAt)
      .execute()
  })
}

/** Does some work, then rests for as long as the share of a core wants. */
export type Rest = <Result>(work: () => Promise<Result>) => Promise<Result>

async function addRuns(tx: Tx, businessIds: readonly string[]): Promise<void> {
  if (businessIds.length === 0) return
  await tx
    .insertInto('checks.runs')
    .values(businessIds.map((businessId) => ({ businessId, id: newId('chk'), isNightly: true, createdAt: now() })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** All slices are through, and so are the large businesses. */
export async function endNight(db: Db, night: Night): Promise<void> {
  await db.updateTable('checks.nights').set({ finishedAt: now() }).where('startedAt', '=', night.startedAt).execute()
}

export async function addBusy(db: Db, night: Night, ms: number): Promise<void> {
  await db
    .updateTable('checks.nights')
    .set((each) => ({ busyMs: each('busyMs', '+', Math.round(ms)) }))
    .where('startedAt', '=', night.startedAt)
    .execute()
}
