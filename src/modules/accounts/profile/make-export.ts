import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Type } from 'typebox'
import { findBusiness, listCustomerHomes } from '#modules/access/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { Control, ControlDb, Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { type AnyJob, type ControlJob, defineJob, type JobContext } from '#platform/jobs/define.ts'
import { Id } from '#vocabulary/schemas.ts'
import { KEEP_EXPORT_MS } from '../limits.ts'
import { idsOf } from '../sign-in/merge-guest.ts'
import { exportUser } from './export-user.ts'

/** What a person has in a business: members of a JSON object, in pieces. */
export type ReadOwn = (
  cell: Db,
  own: { businessId: string; ids: readonly string[]; emailKey: string | null },
) => AsyncIterable<string>

const PART_CHARACTERS = 512 * 1024
const MAX_ATTEMPTS = 8 // with exponential backoff: an hour and a half
const DROPPED_AT_ONCE = 100

const unread = (): never => {
  throw new Error('This job is run by the worker only, which knows what people have in businesses')
}
const Payload = Type.Object({ exportId: Id })

/** Makes everything that is a person's into one JSON file. One that was cut off begins anew. */
export const makeExport = (readOwn: ReadOwn = unread): ControlJob<typeof Payload> =>
  defineJob({
    name: 'accounts.make-export',
    on: 'control',
    maxAttempts: MAX_ATTEMPTS,
    payload: Payload,
    async run({ exportId }, context) {
      const { db, attempt, signal } = context
      const userId = await begin(context, exportId)
      if (userId === undefined) return // it was made, or the account is gone
      const parts = createParts(context, exportId)
      try {
        for await (const text of fileOf(context, userId, readOwn)) {
          if (signal.aborted) throw new Error('stopped; the next attempt begins anew')
          await parts.add(text)
        }
        await parts.finish()
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS) await fail(db, exportId)
        throw error
      }
    },
  })

type Context = JobContext<Control>

async function begin({ db, fence }: Context, exportId: string): Promise<string | undefined> {
  return transaction(db, async (tx) => {
    await fence(tx)
    const found = await tx
      .updateTable('accounts.exports')
      .set({ status: 'RUNNING' })
      .where('id', '=', exportId)
      .where('status', 'in', ['PENDING', 'RUNNING'])
      .returning('userId')
      .executeTakeFirst()
    await tx.deleteFrom('accounts.exportParts').where('exportId', '=', exportId).execute()
    return found?.userId
  })
}

async function* fileOf({ control, cells }: Context, userId: string, readOwn: ReadOwn): AsyncGenerator<string> {
  const ids = await idsOf(control, userId)
  const emailKey = await findConfirmed(control, userId)
  yield `{"madeAt":${Math.floor(nowMs() / 1000)},"account":${JSON.stringify(await exportUser(control, userId))},"businesses":[`
  let isFirst = true
  for (const { businessId, cell: name } of await listCustomerHomes(control, ids)) {
    const cell = cells.get(name)
    if (!cell) throw new Error(`The cell ${name} is not configured here`)
    const business = await findBusiness(control, businessId)
    yield `${isFirst ? '' : ','}${JSON.stringify({ id: businessId, name: business?.name ?? '' }).slice(0, -1)},`
    yield* readOwn(cell, { businessId, ids, emailKey })
    yield '}'
    isFirst = false
  }
  yield ']}\n'
}

async function findConfirmed(control: ControlDb, userId: string): Promise<string | null> {
  const user = await control
    .selectFrom('accounts.users')
    .select('emailKey')
    .where('id', '=', userId)
    .where('confirmedAt', 'is not', null)
    .executeTakeFirst()
  return user?.emailKey ?? null
}

const pack = promisify(gzip)

/** Holds one part in memory. */
function createParts({ db, services, fence }: Context, exportId: string) {
  let waiting = ''
  let parts = 0
  let bytes = 0
  async function flush() {
    const plain = Buffer.from(waiting)
    const sealed = services.box.seal(await pack(plain))
    await transaction(db, async (tx) => {
      await fence(tx)
      await tx.insertInto('accounts.exportParts').values({ exportId, number: parts, sealed }).execute()
    })
    await fault('make-export.part')
    waiting = ''
    parts += 1
    bytes += plain.length
  }
  return {
    async add(text: string) {
      waiting += text
      if (waiting.length >= PART_CHARACTERS) await flush()
    },
    async finish() {
      await flush()
      await transaction(db, async (tx) => {
        await fence(tx)
        await tx
          .updateTable('accounts.exports')
          .set({ status: 'READY', bytes, parts, finishedAt: now(), expiresAt: new Date(nowMs() + KEEP_EXPORT_MS) })
          .where('id', '=', exportId)
          .execute()
        await fault('make-export.before-commit')
      })
    },
  }
}

/** Says so, instead of being under way for ever. */
const fail = (db: ControlDb, exportId: string) =>
  db
    .updateTable('accounts.exports')
    .set({ status: 'FAILED', finishedAt: now() })
    .where('id', '=', exportId)
    .where('status', '=', 'RUNNING')
    .execute()

/** A day after it was made a file goes. */
const dropExports = defineJob({
  name: 'accounts.drop-exports',
  on: 'control',
  payload: Type.Object({}),
  cron: '7 * * * *',
  async run(_payload, { db, signal }) {
    for (let dropped = DROPPED_AT_ONCE; dropped === DROPPED_AT_ONCE && !signal.aborted; ) {
      const gone = await db
        .deleteFrom('accounts.exports')
        .where('id', 'in', (old) =>
          old.selectFrom('accounts.exports').select('id').where('expiresAt', '<=', now()).limit(DROPPED_AT_ONCE),
        )
        .returning('id')
        .execute()
      dropped = gone.length
    }
  },
})

export const exportJobs = (readOwn: ReadOwn): readonly AnyJob[] => [makeExport(readOwn), dropExports]
