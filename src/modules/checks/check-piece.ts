import type { FastifyBaseLogger } from 'fastify'
import { type Selectable, sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { ChecksRuns } from '#platform/database/cell-tables.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { withEventsSql } from '#platform/events/feed.ts'
import { isHere } from '#platform/moves/fence.ts'
import { type Broken, cannotBeChecked, findBroken, findPieceEnd, findWithin } from './find-broken.ts'
import { nameOf, type Rule, type Task, tasksOf } from './rule.ts'
import { settle } from './settle.ts'
import { keepTurn } from './turn.ts'

export type Run = Omit<Selectable<ChecksRuns>, 'found'> & { found: Record<string, Broken> }

const MAX_EXAMPLES = 10

/** Those that a person waits for go first; then the oldest. */
export async function findNextRun(db: Db): Promise<Run | undefined> {
  const row = await db
    .selectFrom('checks.runs')
    .selectAll()
    .where(sql<boolean>`${isHere('business_id')}`)
    .orderBy('isNightly')
    .orderBy('createdAt')
    .orderBy('businessId')
    .limit(1)
    .executeTakeFirst()
  return row as Run | undefined
}

export type Worker = {
  db: Db
  /** The name of this process. */
  worker: string
  rules: readonly Rule[]
  log: Pick<FastifyBaseLogger, 'warn'>
  /** How long one statement may take: for a piece, and for a rule that has no pieces. */
  limits: { pieceMs: number; wholeMs: number }
  /** From where the books are read, which takes long; it has all that is written by now. By default: the cell itself. */
  readerOf?: ((db: Db) => Promise<Db>) | undefined
}

/** Checks the next piece of a run and notes how far it is. Whoever dies in between has lost a piece, and no more. */
export async function checkPiece({ db, worker, rules, log, limits, readerOf }: Worker, found: Run): Promise<void> {
  const begun = found.startedAt ? found : await begin(db, found)
  if (!begun) return // stopped meanwhile
  const task = nextTask(rules, begun)
  if (!task) return finish(db, worker, begun)
  const run = enter(task, begun)
  const { businessId } = run
  const reader = readerOf ? await readerOf(db) : db
  const [broken, unchecked] = [{ ...run.found }, new Set(run.unchecked)]
  const leaveOut = (error: unknown, ...left: Rule[]) => {
    if (!cannotBeChecked(error)) throw error
    const names = left.map(({ name }) => name)
    log.warn({ err: error, businessId, rules: names }, 'rules of the books could not be checked')
    for (const name of names) unchecked.add(name)
  }
  let end: { until: string | null; rows: number } = { until: null, rows: 0 }
  const { pieces } = task
  try {
    if (pieces) end = await findWithin(reader, limits.pieceMs, (tx) => findPieceEnd(tx, businessId, pieces, run.after))
  } catch (error) {
    leaveOut(error, ...task.rules)
  }
  const range = { after: run.after, until: end.until }
  for (const rule of task.rules) {
    if (unchecked.has(rule.name)) continue
    try {
      const limitMs = rule.pieces ? limits.pieceMs : limits.wholeMs
      const more = await findWithin(reader, limitMs, (tx) => findBroken(tx, rule, [businessId], range))
      broken[rule.name] = add(broken[rule.name], more.get(businessId)) ?? NONE
    } catch (error) {
      leaveOut(error, rule)
    }
  }
  const isDone = end.until === null
  const after: Run = {
    ...run,
    after: end.until,
    rows: run.rows + end.rows,
    done: isDone ? [...run.done, ...task.rules.map(({ name }) => name)] : run.done,
    found: Object.fromEntries(Object.entries(broken).filter(([, { count }]) => count > 0)),
    unchecked: [...unchecked],
  }
  if (isDone && !nextTask(rules, after)) return finish(db, worker, after)
  await transaction(db, async (tx) => {
    await keepTurn(tx, worker)
    await tx
      .updateTable('checks.runs')
      .set({
        done: after.done,
        task: after.task,
        after: after.after,
        rows: after.rows,
        found: JSON.stringify(after.found),
        unchecked: after.unchecked,
      })
      .where((each) => each.and({ businessId, id: run.id }))
      .execute()
  })
}

const NONE: Broken = { count: 0, examples: [] }

const add = (known: Broken = NONE, more: Broken = NONE): Broken => ({
  count: known.count + more.count,
  examples: [...known.examples, ...more.examples].slice(0, MAX_EXAMPLES),
})

/** A later version of the service may have other rules: those that are not done are. */
function nextTask(rules: readonly Rule[], { done }: Run): Task | undefined {
  return tasksOf(rules.filter(({ name }) => !done.includes(name)))[0]
}

/** A place is one in the task that it was noted for; another task begins anew, without what a part of its rules has found so far. */
function enter(task: Task, run: Run): Run {
  const name = nameOf(task)
  if (run.task === name) return run
  const isDone = (rule: string) => run.done.includes(rule)
  return {
    ...run,
    task: name,
    after: null,
    found: Object.fromEntries(Object.entries(run.found).filter(([rule]) => isDone(rule))),
    unchecked: run.unchecked.filter(isDone),
  }
}

async function begin(db: Db, run: Run): Promise<Run | undefined> {
  const { rows } = await sql<Run>`
    update checks.runs
       set started_at = ${now()},
           last_number = coalesce((select last_number from (${withEventsSql}) as counted
                                    where counted.business_id = ${run.businessId}), 0)
     where business_id = ${run.businessId} and id = ${run.id}
    returning *`.execute(db)
  return rows[0]
}

const finish = (db: Db, worker: string, run: Run): Promise<void> =>
  transaction(db, async (tx) => {
    await keepTurn(tx, worker)
    const { numDeletedRows } = await tx
      .deleteFrom('checks.runs')
      .where((each) => each.and({ businessId: run.businessId, id: run.id }))
      .executeTakeFirst()
    if (numDeletedRows === 0n) return // stopped meanwhile
    await settle(tx, [{ ...run, startedAt: run.startedAt ?? now(), rules: run.done }])
  })
