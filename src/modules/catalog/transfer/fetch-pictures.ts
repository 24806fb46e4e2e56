import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { type Intake, NotTaken, takeIn } from '#modules/media/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import { forEachCell } from '#platform/database/cell-map.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { bellOf, createRound } from '#platform/jobs/go-round.ts'
import { startLoop } from '#platform/jobs/loop.ts'
import type { Rests } from '#platform/jobs/rest.ts'
import { isHere } from '#platform/moves/fence.ts'
import type { PictureProblem } from './pictures.ts'
import { hasUnplaced, placePictures } from './place-pictures.ts'

/*
 * Not jobs of the queue, for the reason that renditions are none: pictures come in thousands, their servers may be slow, and
 * those that wait would take the places of mails and payments.
 */

const LOOK_MS = 500
const AT_ONCE = 4
/** A shop whose pictures come slowly leaves places to the others. */
const AT_ONCE_EACH = 2
/** Longer than loading and storing takes. Whoever dies meanwhile has let go of it then. */
const LEASE_MS = 120_000
/** Some forty minutes in all. */
const PAUSES_MS = [10_000, 60_000, 300_000, 1_800_000]

type Claimed = { businessId: string; addressHash: string; address: string; attempts: number }

const isWaiting = () => sql`status = 'WAITING' and due_at <= ${now()} and ${isHere('business_id')}`

/** Businesses take turns: the next one after `last` that has something to load, but none of `busy`. */
const claim = (db: Db, last: string, busy: readonly string[]): Promise<Claimed | undefined> =>
  transaction(db, async (tx) => {
    // All lines with the address are claimed together. Two who do so at once could wait for each other for ever.
    await sql`select pg_advisory_xact_lock(hashtextextended('catalog.import-pictures', 0))`.execute(tx)
    const { rows } = await sql<Claimed>`
      update catalog.import_pictures as picture
         set attempts = picture.attempts + 1, due_at = ${new Date(nowMs() + LEASE_MS)}
        from (select business_id, address_hash
                from catalog.import_pictures
               where ${isWaiting()} and business_id > ${last}
                 and business_id <> all (${[...busy]}::text[])
               order by business_id, due_at
               limit 1) as next
       where picture.status = 'WAITING' and picture.business_id = next.business_id
         and picture.address_hash = next.address_hash
      returning picture.business_id, picture.address_hash, picture.address, picture.attempts`.execute(tx)
    // Of lines that asked at different times, the one that has waited longest counts.
    return rows.toSorted((one, other) => other.attempts - one.attempts)[0]
  })

export type PictureWorker = Intake & { log: FastifyBaseLogger }

/** Loads pictures of a cell, one at a call; several calls at once share the work. */
export function createPictureTurns(db: Db, worker: PictureWorker) {
  const running = new Map<string, number>()
  let last = ''
  let claiming: Promise<unknown> = Promise.resolve()

  async function next(): Promise<Claimed | undefined> {
    const busy = [...running].filter(([, count]) => count >= AT_ONCE_EACH).map(([businessId]) => businessId)
    const found = (await claim(db, last, busy)) ?? (last === '' ? undefined : await claim(db, '', busy))
    last = found?.businessId ?? ''
    if (found) running.set(found.businessId, (running.get(found.businessId) ?? 0) + 1)
    return found
  }

  function inTurn(): Promise<Claimed | undefined> {
    const turn = claiming.then(next)
    claiming = turn.catch(() => undefined)
    return turn
  }

  function leave(businessId: string): void {
    const left = (running.get(businessId) ?? 1) - 1
    if (left === 0) running.delete(businessId)
    else running.set(businessId, left)
  }

  /** Loads one picture; false: there is none. */
  return async function fetchOne(signal: AbortSignal): Promise<boolean> {
    const found = await inTurn()
    if (!found) return false
    try {
      const mediaId = await takeIn(db, worker, found, signal)
      await fault('import.picture-taken')
      await settle(db, found, { status: 'FETCHED', mediaId, dueAt: now() })
    } catch (error) {
      await giveBack(db, found, error as Error, signal, worker.log)
    } finally {
      leave(found.businessId)
    }
    return true
  }
}

async function giveBack(db: Db, found: Claimed, error: Error, signal: AbortSignal, log: FastifyBaseLogger) {
  // It was not its turn that failed, so it does not count.
  if (signal.aborted) return settle(db, found, { dueAt: now(), attempts: found.attempts - 1 })
  const { problem, isTemporary }: { problem: PictureProblem; isTemporary: boolean } =
    error instanceof NotTaken ? error : { problem: 'FAILED', isTemporary: true }
  const about = { businessId: found.businessId, attempt: found.attempts, problem }
  if (!(error instanceof NotTaken)) log.warn({ err: error, ...about }, 'a picture of an import could not be taken in')
  const pause = PAUSES_MS[found.attempts - 1]
  if (isTemporary && pause !== undefined) return settle(db, found, { dueAt: new Date(nowMs() + pause), problem })
  log.info(about, 'a picture of an import is given up; its address stays')
  return settle(db, found, { status: 'FAILED', problem })
}

type Settled = { status?: string; mediaId?: string; problem?: PictureProblem; dueAt?: Date; attempts?: number }

const settle = async (db: Db, { businessId, addressHash }: Claimed, changes: Settled): Promise<void> => {
  await db
    .updateTable('catalog.importPictures')
    .set({ problem: null, ...changes })
    .where((picture) => picture.and({ businessId, addressHash, status: 'WAITING' }))
    .execute()
}

/** Four pictures at a time, of all cells together; what has come is put in its place beside. */
export function startPictures(
  cells: ReadonlyMap<string, Db>,
  { publicUrl, rests, ...worker }: PictureWorker & { publicUrl: (key: string) => string; rests?: Rests },
): { stop(): Promise<void> } {
  const { log } = worker
  const turns = new Map<Db, ReturnType<typeof createPictureTurns>>()
  const placing = forEachCell(cells, (_name, cell) => {
    turns.set(cell, createPictureTurns(cell, worker))
    const loop = startLoop(
      'placing pictures of imports',
      LOOK_MS,
      (signal) => placePictures(cell, publicUrl, signal),
      log,
      rests?.of(cell).bell(LOOK_MS, hasUnplaced),
    )
    return {
      async stop() {
        turns.delete(cell)
        await loop.stop()
      },
    }
  })
  const isAnyWaiting = () => sql`exists (select from catalog.import_pictures where ${isWaiting()})`
  const round = createRound(cells, rests, LOOK_MS, isAnyWaiting)
  const goRound = (signal: AbortSignal) => round.go(signal, async (cell) => (await turns.get(cell)?.(signal)) ?? false)
  const loops = Array.from({ length: AT_ONCE }, () =>
    startLoop(
      'pictures of imports',
      LOOK_MS,
      async (signal) => {
        while (!signal.aborted && (await goRound(signal)));
      },
      log,
      bellOf(round),
    ),
  )
  return {
    async stop() {
      await Promise.all([placing.stop(), ...loops.map((loop) => loop.stop())])
    },
  }
}
