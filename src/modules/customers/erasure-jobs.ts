import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { findBusiness } from '#modules/access/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { ControlDb, Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type AnyJob, type CellJob, defineJob, enqueue } from '#platform/jobs/define.ts'
import { eachAlone } from '#platform/jobs/each-alone.ts'
import { isHere } from '#platform/moves/fence.ts'
import { BusinessId, Id } from '#vocabulary/schemas.ts'
import { type EraseOthers, eraseKeptOrders, findDueBusinesses, type Keeping, workOffErasure } from './erase-person.ts'

/** How long one run may take: short enough for a graceful stop, and for other jobs to get their turn. */
const RUN_MS = 10_000
const MAX_ATTEMPTS = 25
const SWEPT_AT_ONCE = 500

const unknown = (): never => {
  throw new Error('This job is run by the worker only, which knows what else is kept about orders')
}
const NOTHING: EraseOthers = { erasePayers: unknown, eraseEntries: unknown }

const Payload = Type.Object({ businessId: BusinessId, userId: Id })

async function readKeeping(control: ControlDb, businessId: string, others: EraseOthers): Promise<Keeping> {
  const business = await findBusiness(control, businessId)
  return { ...others, keepPersonDays: business?.keepPersonDays ?? 0 }
}

/** Takes somebody out of what a business keeps, batch by batch; after some seconds it enqueues itself again. */
export const erasePerson = (others = NOTHING): CellJob<typeof Payload> =>
  defineJob({
    name: 'customers.erase-person',
    on: 'cell',
    payload: Payload,
    maxAttempts: MAX_ATTEMPTS,
    async run(person, { db, control, signal }) {
      const keeping = await readKeeping(control, person.businessId, others)
      const end = nowMs() + RUN_MS
      while (nowMs() < end && !signal.aborted) if (!(await workOffErasure(db, person, keeping))) return
      await transaction(db, (tx) => enqueueErasure(tx, person))
    },
  })

/** One waits at a time for each person. Two that run do one step after another. */
export const enqueueErasure = (tx: Tx, { businessId, userId }: { businessId: string; userId: string }): Promise<void> =>
  enqueue(tx, erasePerson(), { businessId, userId }, { key: `erase ${businessId} ${userId}` })

/** Every night: what waited for its day or whose job was lost, and orders that were in work, or too young. */
const sweepErasures = (others: EraseOthers) =>
  defineJob({
    name: 'customers.sweep-erasures',
    on: 'cell',
    payload: Type.Object({}),
    cron: '41 2 * * *',
    async run(_payload, { db, control, log, signal }) {
      await enqueueDue(db, log)
      const failed: string[] = []
      for (;;) {
        const due = await findDueBusinesses(db, failed)
        if (due.length === 0) return
        const ofOne = due.map((businessId) => ({ businessId }))
        const failures = await eachAlone(
          ofOne,
          { log, failed: 'kept orders not erased, retrying' },
          async ({ businessId }) => {
            const keeping = await readKeeping(control, businessId, others)
            while (!signal.aborted && (await eraseKeptOrders(db, businessId, keeping))) {}
          },
        )
        if (signal.aborted) throw new Error('stopped; the rest goes with the next attempt')
        failed.push(...failures.map(({ businessId }) => businessId))
      }
    },
  })

async function enqueueDue(db: Db, log: Pick<FastifyBaseLogger, 'error'>): Promise<void> {
  for (let after = { businessId: '', userId: '' }; ; ) {
    const { rows } = await sql<{ businessId: string; userId: string }>`
      select business_id, user_id
        from customers.erasures
       where due_at <= ${now()} and ${isHere('business_id')} and (business_id, user_id) > (${after.businessId}, ${after.userId})
       order by business_id, user_id
       limit ${SWEPT_AT_ONCE}`.execute(db)
    await transaction(db, (tx) =>
      eachAlone(rows, { log, failed: 'erasure not enqueued', isTransaction: true }, (person) =>
        enqueueErasure(tx, person),
      ),
    )
    const last = rows.at(-1)
    if (rows.length < SWEPT_AT_ONCE || !last) return
    after = last
  }
}

export const erasureJobs = (others: EraseOthers): readonly AnyJob[] => [erasePerson(others), sweepErasures(others)]
