import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import { forEachCell } from '#platform/database/cell-map.ts'
import type { Db } from '#platform/database/database.ts'
import { bellOf, createRound, type Round } from '#platform/jobs/go-round.ts'
import { startLoop } from '#platform/jobs/loop.ts'
import type { Rests } from '#platform/jobs/rest.ts'
import { isHere } from '#platform/moves/fence.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { FileRow } from './file.ts'
import { FOLDER } from './folders.ts'
import { type Problem, Rejected } from './problems.ts'
import { endAvif, makeAvif, processFile, rejectFile, type Work } from './process-file.ts'
import { RenderCrash, RenderTimeout } from './render.ts'
import { createShares } from './shares.ts'

const LOOK_MS = 500
const LEASE_MS = 90_000
const RENEW_MS = 20_000
/** Some six hours: the store may be away for a while. */
const MAX_ATTEMPTS = 12
const FIRST_PAUSE_MS = 5_000
/** A picture that is too slow or ends the decoder may have met a busy machine, once. */
const MAX_CRASHES = 2
const STALE_MS = 3_600_000

/*
 * Not jobs of the queue: pictures come in thousands and take seconds, and those that wait for one of two places would take
 * the places of mails and payments.
 */

type Kind = 'upload' | 'avif'
type Claimed = { row: FileRow; lease: string }

const WAITING: Record<Kind, ReturnType<typeof sql>> = {
  upload: sql`status = 'PROCESSING'`,
  avif: sql`avif = 'WAITING'`,
}
const OLDEST: Record<Kind, ReturnType<typeof sql>> = { upload: sql`completed_at, id`, avif: sql`id` }

const isWaiting = (kind: Kind) =>
  sql`${WAITING[kind]} and (leased_until is null or leased_until < ${now()}) and ${isHere('business_id')}`

/** Businesses take turns: the next one after `last` that has something to do, but none of `busy`. */
async function claim(db: Db, kind: Kind, last: string, busy: readonly string[]): Promise<Claimed | undefined> {
  const lease = randomUUID()
  const { rows } = await sql<FileRow>`
    update media.files
       set lease = ${lease}, leased_until = ${new Date(nowMs() + LEASE_MS)}, attempts = attempts + 1
     where (business_id, id) = (
             select business_id, id
               from media.files
              where ${isWaiting(kind)} and business_id > ${last}
                and business_id <> all (${[...busy]}::text[])
              order by business_id, ${OLDEST[kind]}
              limit 1
                for update skip locked)
    returning *`.execute(db)
  return rows[0] && { row: rows[0], lease }
}

export type MediaWorker = { storage: Storage; log: FastifyBaseLogger }

/** Takes turns among the businesses of a cell, one step at a time. */
export function createTurns(db: Db, { storage, log }: MediaWorker) {
  const last: Record<Kind, string> = { upload: '', avif: '' }
  const uploads = createShares()
  let claiming: Promise<unknown> = Promise.resolve()

  async function next(kind: Kind): Promise<Claimed | undefined> {
    const busy = kind === 'upload' ? uploads.busy() : []
    const ask = (after: string) => claim(db, kind, after, busy)
    const found = (await ask(last[kind])) ?? (last[kind] === '' ? undefined : await ask(''))
    last[kind] = found?.row.businessId ?? ''
    if (found && kind === 'upload') uploads.begin(found.row.businessId)
    return found
  }

  function inTurn(kind: Kind): Promise<Claimed | undefined> {
    const turn = claiming.then(() => next(kind))
    claiming = turn.catch(() => undefined)
    return turn
  }

  /** Works on one file; false: there is none. */
  return async function workOffOne(kind: Kind, signal: AbortSignal): Promise<boolean> {
    const found = await inTurn(kind)
    if (!found) return false
    const begunMs = nowMs()
    const ending = new AbortController()
    const renewal = setInterval(() => void renew(db, found, ending, log), RENEW_MS)
    const work: Work = { db, storage, ...found, folder: '', signal: AbortSignal.any([signal, ending.signal]) }
    try {
      work.folder = await mkdtemp(path.join(tmpdir(), FOLDER))
      if (found.row.attempts > MAX_ATTEMPTS) throw new Error('Whoever worked on this file has not lived to say so')
      await (kind === 'upload' ? processFile(work) : makeAvif(work))
    } catch (error) {
      await settle(work, kind, error as Error, log)
    } finally {
      if (kind === 'upload') uploads.end(found.row.businessId, nowMs() - begunMs)
      clearInterval(renewal)
      if (work.folder) await rm(work.folder, { recursive: true, force: true })
    }
    return true
  }
}

/** A lease that could not be renewed is over: another worker may have begun. */
async function renew(db: Db, { row, lease }: Claimed, ending: AbortController, log: FastifyBaseLogger): Promise<void> {
  try {
    const renewed = await db
      .updateTable('media.files')
      .set({ leasedUntil: new Date(nowMs() + LEASE_MS) })
      .where((file) => file.and({ businessId: row.businessId, id: row.id, lease }))
      .returning('id')
      .executeTakeFirst()
    if (!renewed) ending.abort()
  } catch (error) {
    log.warn({ err: error, mediaId: row.id }, 'the lease of a file could not be renewed')
  }
}

/** The file's fault, which ends it; or ours, which is tried again later. */
async function settle(work: Work, kind: Kind, error: Error, log: FastifyBaseLogger): Promise<void> {
  const { row, signal } = work
  const about = { businessId: row.businessId, mediaId: row.id, attempt: row.attempts }
  if (signal.aborted) return release(work, 0)
  const problem = problemOf(error, row.attempts)
  if (!problem) {
    log.warn({ err: error, ...about }, 'a file could not be worked on; trying again')
    return release(work, FIRST_PAUSE_MS * 2 ** (row.attempts - 1))
  }
  log[problem === 'FAILED' ? 'error' : 'info']({ err: error, problem, ...about }, 'a file is rejected')
  return kind === 'upload' ? rejectFile(work, problem) : endAvif(work, 'FAILED')
}

function problemOf(error: Error, attempts: number): Problem | undefined {
  if (error instanceof Rejected) return error.problem
  if (error instanceof RenderTimeout && attempts >= MAX_CRASHES) return 'TOO_SLOW'
  if (error instanceof RenderCrash && attempts >= MAX_CRASHES) return 'BROKEN'
  return attempts >= MAX_ATTEMPTS ? 'FAILED' : undefined
}

/** Without a pause it was not the file's turn that failed, so it does not count. */
async function release({ db, row, lease }: Work, pauseMs: number): Promise<void> {
  await db
    .updateTable('media.files')
    .set({
      lease: null,
      leasedUntil: pauseMs === 0 ? null : new Date(nowMs() + pauseMs),
      attempts: pauseMs === 0 ? row.attempts - 1 : row.attempts,
    })
    .where((file) => file.and({ businessId: row.businessId, id: row.id, lease }))
    .execute()
}

/** What a worker left that was killed. */
async function removeStale(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(FOLDER)) continue
    const folder = path.join(tmpdir(), name)
    const found = await stat(folder).catch(() => undefined)
    if (found && nowMs() - found.mtimeMs > STALE_MS) await rm(folder, { recursive: true, force: true })
  }
}

/** Two files at a time, of all cells together. One of the places makes AVIF, too, while no upload waits. */
export function startMedia(
  cells: ReadonlyMap<string, Db>,
  { rests, ...worker }: MediaWorker & { rests?: Rests },
): { stop(): Promise<void> } {
  const { log } = worker
  const turns = new Map<Db, ReturnType<typeof createTurns>>()
  const following = forEachCell(cells, (_name, cell) => {
    turns.set(cell, createTurns(cell, worker))
    return { stop: () => void turns.delete(cell) }
  })
  const roundOf = (kind: Kind) =>
    createRound(cells, rests, LOOK_MS, () => sql`exists (select from media.files where ${isWaiting(kind)})`)
  const rounds: Record<Kind, Round> = { upload: roundOf('upload'), avif: roundOf('avif') }
  removeStale().catch((error: unknown) => log.warn({ err: error }, 'folders of files could not be tidied'))

  /** Each cell once; true: there was something to do. */
  const goRound = (kind: Kind, signal: AbortSignal) =>
    rounds[kind].go(signal, async (cell) => (await turns.get(cell)?.(kind, signal)) ?? false)

  const places = [
    startLoop(
      'uploads of files',
      LOOK_MS,
      async (signal) => {
        while (!signal.aborted && (await goRound('upload', signal)));
      },
      log,
      bellOf(rounds.upload),
    ),
    startLoop(
      'uploads of files, and AVIF',
      LOOK_MS,
      async (signal) => {
        while (!signal.aborted && ((await goRound('upload', signal)) || (await goRound('avif', signal))));
      },
      log,
      bellOf(rounds.upload, rounds.avif),
    ),
  ]
  return {
    async stop() {
      await Promise.all(places.map((place) => place.stop()))
      await following.stop()
    },
  }
}
