import type { Static } from 'typebox'
import { addToOperatorLog, auditOperator, findNames } from '#modules/access/index.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import {
  countQueues,
  type DeadJob as DeadJobRow,
  discardDead,
  findJob,
  listDead,
  retryDead,
} from '#platform/jobs/graphile-internals.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { decodeCursor, toPage } from '#vocabulary/paging.ts'
import { fromCursorMs, toSeconds } from '#vocabulary/time.ts'
import { askCells, type CellContext, presentAsked } from './ask-cells.ts'
import { cellNotAnswering, cellUnknown, jobNotDead, jobNotFound } from './errors.ts'
import type { DeadJob, DeadJobsBody, JobsQuery } from './schemas.ts'

export type JobsContext = CellContext & { control: ControlDb }

type Found = DeadJobRow & { cell: string }

/** Newest death first; of several at the same time, by cell and number. */
const inOrder = (a: Found, b: Found) =>
  b.diedAt.getTime() - a.diedAt.getTime() || (a.cell === b.cell ? b.id - a.id : a.cell < b.cell ? 1 : -1)

/** Every cell is asked for a page of its own; the first of all of them are the page. */
export async function listJobs(context: JobsContext, query: Static<typeof JobsQuery>) {
  const { limit = 20, cursor, cell: only, name, businessId } = query
  if (only !== undefined && !context.cells.has(only)) throw cellUnknown({ cell: only })
  const filters = { list: 'operator-jobs', cell: only, name, businessId }
  const position = decodeCursor(filters, cursor, ['number', 'string', 'number']) as [number, string, number] | undefined
  const before = (cell: string) => {
    if (!position) return undefined
    const [time, lastCell, lastId] = position
    // In cells that come later in the order all of that millisecond are left, in earlier ones none.
    const id = cell === lastCell ? lastId : cell < lastCell ? Number.MAX_SAFE_INTEGER : 0
    return { diedAt: fromCursorMs(time), id }
  }
  const filter = { name, businessId }
  const answers = await askCells(
    context,
    async (tx, cell) => ({
      queues: await countQueues(tx, filter),
      dead: await listDead(tx, { ...filter, before: before(cell), limit: limit + 1 }),
    }),
    only,
  )
  const dead = answers
    .flatMap(({ cell, value }) => (value?.dead ?? []).map((job): Found => ({ ...job, cell })))
    .toSorted(inOrder)
    .slice(0, limit + 1)
  const names = await findNames(
    context.control,
    dead.flatMap((job) => job.businessId ?? []),
  )
  return {
    queues: answers.flatMap(({ cell, value }) =>
      (value?.queues ?? []).map((queue) => ({
        cell,
        ...queue,
        oldestReadyAt: queue.oldestReadyAt && toSeconds(queue.oldestReadyAt),
      })),
    ),
    cells: presentAsked(answers),
    ...toPage(
      dead,
      limit,
      filters,
      ({ diedAt, cell, id }) => [diedAt.getTime(), cell, id],
      (job) => presentDead(job, names),
    ),
  }
}

const MOST_OF_ERROR = 500

/** The first line, without what stands between `//` and `@` in an address: that is a password. */
const presentError = (error: string | null) =>
  error === null ? null : (error.split('\n', 1)[0] ?? '').replace(/\/\/[^\s/@]*@/g, '//…@').slice(0, MOST_OF_ERROR)

const presentDead = (job: Found, names: ReadonlyMap<string, string>): Static<typeof DeadJob> => ({
  id: `${job.cell}:${job.id}`,
  cell: job.cell,
  name: job.name,
  businessId: job.businessId,
  businessName: names.get(job.businessId ?? '') ?? null,
  attempts: job.attempts,
  error: presentError(job.lastError),
  createdAt: toSeconds(job.createdAt),
  diedAt: toSeconds(job.diedAt),
})

export type Change = 'retried' | 'discarded'
const CHANGES = { retried: retryDead, discarded: discardDead }
const MOST_AT_ONCE = 1_000

/** What was asked for is written down before it is done: nothing is done that nobody can read of. */
export async function changeJob(context: JobsContext, actor: Actor, change: Change, jobId: string) {
  const { control } = context
  const [cell = '', id = ''] = jobId.split(':')
  if (!context.cells.has(cell)) throw jobNotFound()
  const [found] = await askCells(context, async (tx) => ({ job: await findJob(tx, id) }), cell)
  if (!found?.value) throw cellNotAnswering({ cell })
  const { job } = found.value
  if (!job) throw jobNotFound()
  if (!job.isDead) throw jobNotDead()
  const { name, businessId } = job
  const isKnown = businessId !== null && (await findNames(control, [businessId])).has(businessId)
  await transaction(control, (tx) =>
    auditOperator(tx, {
      action: `job.${change}`,
      subject: jobId,
      actor,
      ...(isKnown ? { businessId } : {}),
      data: { name },
    }),
  )
  const answers = await askCells(context, (tx) => CHANGES[change](tx, { id, most: 1 }), cell)
  const changed = answers[0]?.value
  if (changed === undefined) throw cellNotAnswering({ cell })
  if (changed === 0) throw jobNotDead() // somebody was faster
  return { changed, isComplete: true, cells: presentAsked(answers) }
}

/** All dead jobs of a kind, a cell or a business. */
export async function changeJobs(context: JobsContext, actor: Actor, change: Change, body: DeadJobsBody) {
  const { control } = context
  const { cell: only, name, businessId } = body
  if (only !== undefined && !context.cells.has(only)) throw cellUnknown({ cell: only })
  const isKnown = businessId !== undefined && (await findNames(control, [businessId])).has(businessId)
  const entry = await transaction(control, (tx) =>
    auditOperator(tx, {
      action: `jobs.${change}`,
      subject: name ?? businessId ?? only ?? '',
      actor,
      ...(isKnown ? { businessId } : {}),
      data: body,
    }),
  )
  const answers = await askCells(context, (tx) => CHANGES[change](tx, { name, businessId, most: MOST_AT_ONCE }), only)
  const changed = answers.reduce((sum, { value = 0 }) => sum + value, 0)
  await addToOperatorLog(control, entry, { changed })
  return {
    changed,
    isComplete: answers.every(({ value }) => value !== undefined && value < MOST_AT_ONCE),
    cells: presentAsked(answers),
  }
}
