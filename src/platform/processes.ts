import { randomBytes } from 'node:crypto'
import os from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type { ControlDb } from './database/database.ts'
import { startLoop } from './jobs/loop.ts'
import { VERSION } from './version.ts'

const BEAT_MS = 5_000
/** A process without a heartbeat for this long counts as gone. Placement and `doctor` rely on it. */
export const PROCESS_TTL = '20 seconds'
const LOOK_FOR_UNKNOWN_EVERY = 6 // heartbeats

export type ProcessKind = 'api' | 'worker'
export type Presence = {
  /** Cells that hold businesses, but that this process does not know. */
  unknownCells(): readonly string[]
  /** How many processes of each kind have a recent heartbeat; undefined while control does not answer. */
  alive(): Readonly<Record<ProcessKind, number>> | undefined
  stop(): Promise<void>
}
type Options = {
  control: ControlDb
  kind: ProcessKind
  cells: ReadonlyMap<string, unknown>
  /** The cells that hold businesses. */
  findHomes: () => Promise<readonly string[]>
  log: FastifyBaseLogger
  everyMs?: number
}

/**
 * A heartbeat: writes to the control database, every few seconds, that this process is alive and which cells it knows.
 * No business is placed in a cell that some API process does not know.
 */
export async function announceProcess(options: Options): Promise<Presence> {
  const { control, kind, cells, findHomes, log, everyMs = BEAT_MS } = options
  const id = `${os.hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`
  let unknown: readonly string[] = []
  let alive: Record<ProcessKind, number> | undefined
  let beats = 0

  async function beat() {
    try {
      alive = await announce()
    } catch (error) {
      alive = undefined
      throw error
    }
    await lookForUnknown()
  }

  /** Says that this one is alive, and how many of each kind are, itself among them. */
  async function announce(): Promise<Record<ProcessKind, number>> {
    const { rows } = await sql<{ kind: ProcessKind; count: number }>`
      with swept as (delete from control.processes where seen_at < now() - interval '1 hour'),
           seen as (
             insert into control.processes (id, kind, version, cells, started_at, seen_at)
             values (${id}, ${kind}, ${VERSION}, ${[...cells.keys()]}::text[], now(), now())
             on conflict (id) do update set seen_at = now(), cells = excluded.cells
             returning id, kind)
      select kind, count(*)::int as count
        from (select id, kind from seen
               union
              select id, kind from control.processes where seen_at > now() - ${PROCESS_TTL}::interval) as alive
       group by kind`.execute(control)
    return Object.assign({ api: 0, worker: 0 }, Object.fromEntries(rows.map((row) => [row.kind, row.count])))
  }

  async function lookForUnknown() {
    if (beats++ % LOOK_FOR_UNKNOWN_EVERY > 0) return
    const found = (await findHomes()).filter((cell) => !cells.has(cell))
    const news = found.filter((cell) => !unknown.includes(cell))
    if (news.length > 0)
      log.error(
        { cells: news },
        'businesses live in cells that neither CELLS nor control names here: they get 503 from this process',
      )
    unknown = found
  }

  await beat().catch(() => {}) // the loop tries again, and logs
  const loop = startLoop('process heartbeat', everyMs, beat, log)
  return {
    unknownCells: () => unknown,
    alive: () => alive,
    async stop() {
      await loop.stop()
      await sql`delete from control.processes where id = ${id}`.execute(control).catch(() => {}) // else the row expires
    },
  }
}

/** Those of the cells that every live API process knows. */
export async function knownToAll(control: ControlDb, cells: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ cell: string }>`
    select cell from unnest(${[...cells]}::text[]) as cell
     where not exists (
       select from control.processes
        where kind = 'api' and seen_at > now() - ${PROCESS_TTL}::interval and cell <> all (cells))`.execute(control)
  return rows.map(({ cell }) => cell)
}

export type ProcessRow = {
  id: string
  kind: ProcessKind
  version: string
  cells: string[]
  startedAt: Date
  seenAt: Date
}

/** The processes with a recent heartbeat. */
export async function listProcesses(control: ControlDb): Promise<ProcessRow[]> {
  const { rows } = await sql<ProcessRow>`
    select id, kind, version, cells, started_at, seen_at from control.processes
     where seen_at > now() - ${PROCESS_TTL}::interval
     order by kind, id`.execute(control)
  return rows
}
