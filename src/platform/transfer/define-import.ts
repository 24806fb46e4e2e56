import { sql } from 'kysely'
import { type TSchema, Type } from 'typebox'
import { nowMs } from '../clock.ts'
import type { Cell, Tx } from '../database/database.ts'
import { transaction } from '../database/transaction.ts'
import { createChecker } from '../http/validation.ts'
import { type AnyJob, defineJob, enqueue, type JobContext } from '../jobs/define.ts'
import { isHere } from '../moves/fence.ts'
import { type ImportJob, type ImportKind, ImportPayload, type ImportStore, importErrorOf, importOf } from './kind.ts'
import { dropImport } from './staging.ts'
import { importBatch, type Worker } from './work-off.ts'

/** How long one run of the job may take: short enough for a graceful stop, and for other jobs to get their turn. */
const RUN_MS = 10_000
const KEEP_DAYS = 30
const RECEIVING_HOURS = 2

/** A kind of import, with its jobs and its shapes in the API. */
export function defineImport<const Schema extends TSchema, Counter extends string, Context>(
  kind: ImportKind<Schema, Counter, Context>,
) {
  const worker = { ...kind, check: createChecker(kind.schema) }
  const job = workJob(kind, worker)
  const jobs = [job, tidyJob(kind)] as readonly AnyJob[]
  return { ...worker, job, jobs, Import: importOf(kind), ImportError: importErrorOf(kind) }
}

/** Imports staged rows batch by batch; after some seconds it enqueues itself again and goes on there. */
function workJob<Schema extends TSchema, Counter extends string, Context>(
  { name, prepare }: ImportKind<Schema, Counter, Context>,
  worker: Worker<Schema, Counter, Context>,
): ImportJob {
  const job = defineJob({
    name,
    on: 'cell',
    payload: ImportPayload,
    async run({ businessId, importId }, { db, control, services, log, fence, signal }) {
      const context = await prepare(control, businessId, services.storage)
      if (context === undefined) return
      const step = async () => {
        const progress = await importBatch(worker, db, { businessId, importId, context, fence })
        if (progress && WORKING.has(progress.status)) return true
        log.info({ businessId, ...progress, importId }, 'import finished')
        return false
      }
      await inTurns({ db, fence, signal }, step, (tx) => enqueue(tx, job, { businessId, importId }))
    },
  })
  return job
}

const WORKING: ReadonlySet<string> = new Set(['RUNNING', 'DRY_RUN'])

/** Takes step after step while there is one; after some seconds another run of the job goes on there. */
export async function inTurns(
  { db, fence, signal }: Pick<JobContext<Cell>, 'db' | 'fence' | 'signal'>,
  step: () => Promise<boolean>,
  again: (tx: Tx) => Promise<void>,
): Promise<void> {
  const end = nowMs() + RUN_MS
  while (nowMs() < end && !signal.aborted) if (!(await step())) return
  await transaction(db, async (tx) => {
    await fence(tx)
    await again(tx)
  })
}

/** Deletes old imports with their lines, and uploads that never ended. */
const tidyJob = ({ tidy, ...store }: ImportStore & { tidy: { name: string; cron: string } }) =>
  defineJob({
    name: tidy.name,
    on: 'cell',
    payload: Type.Object({}),
    cron: tidy.cron,
    async run(_payload, { db, signal }) {
      const before = (hours: number) => new Date(nowMs() - hours * 3_600_000)
      const { rows: old } = await sql<{ businessId: string; id: string }>`
        select business_id, id
          from ${sql.table(store.tables.imports)}
         where ((created_at < ${before(KEEP_DAYS * 24)} and status in ('READY', 'DONE', 'STOPPED', 'DISCARDED', 'UNDONE'))
             or (created_at < ${before(RECEIVING_HOURS)} and status = 'RECEIVING'))
           and ${isHere('business_id')}
         limit 1000`.execute(db)
      for (const { businessId, id } of old) {
        if (signal.aborted) return
        await dropImport(store, db, businessId, id)
      }
    },
  })
