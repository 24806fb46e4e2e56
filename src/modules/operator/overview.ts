import type { Static } from 'typebox'
import { countBusinesses } from '#modules/access/index.ts'
import { readCells } from '#platform/cells/cells.ts'
import { nowMs } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { lookAtCell } from '#platform/look-at-cell.ts'
import { listProcesses, type Presence } from '#platform/processes.ts'
import { VERSION } from '#platform/version.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { askCells, type CellContext } from './ask-cells.ts'
import type { Letters } from './list-sends.ts'
import type { OperatorCell, OperatorOverview } from './schemas.ts'

type Shown = Static<typeof OperatorCell>
type Overview = Static<typeof OperatorOverview>

export type OverviewContext = CellContext & {
  control: ControlDb
  letters: Letters
  presence: Pick<Presence, 'unknownCells'>
  providers: Readonly<Record<Overview['providers'][number]['name'], boolean>>
}

/** Those that are off, or that this process cannot reach, too. */
export async function listCells(context: OverviewContext, only?: string): Promise<Shown[]> {
  const [rows, homes, answers] = await Promise.all([
    readCells(context.control),
    countBusinesses(context.control),
    askCells(context, async (tx) => ({ figures: await lookAtCell(tx), sends: await context.letters.count(tx) }), only),
  ])
  const listed = rows.filter(({ id }) => only === undefined || id === only)
  return listed.map(({ id: cell, state: placement, weight, region }) => {
    const answer = answers.find((one) => one.cell === cell)
    const { value, problem } = answer ?? { problem: placement === 'OFF' ? IS_OFF : NOT_KNOWN }
    const seen = context.watch.cells.get(cell)
    const { businesses = 0, suspended = 0, troubled = 0 } = homes.find((home) => home.cell === cell) ?? {}
    const { figures, sends = null } = value ?? {}
    const { ready = 0, running = 0, scheduled = 0, dead = 0, oldestReadyAt = null } = figures?.jobs ?? {}
    return {
      name: cell,
      placement,
      weight,
      region,
      state: seen?.state ?? 'unknown',
      isAnswering: value !== undefined,
      problem,
      isStandby: seen?.isStandby ?? false,
      missingMigrations: [...(seen?.missing ?? [])],
      businesses,
      suspended,
      troubled,
      workers: figures?.workers ?? null,
      connections: figures?.connections ?? null,
      databaseBytes: figures?.databaseBytes ?? null,
      jobs: figures ? { ready, running, scheduled, dead } : null,
      sends,
      jobLagSeconds: figures ? secondsSince(oldestReadyAt) : null,
      eventLagSeconds: figures ? secondsSince(figures.oldestEventAt) : null,
    }
  })
}

const IS_OFF = 'It is switched off.'
const NOT_KNOWN = 'This process does not know where it is.'

const secondsSince = (time: Date | null) =>
  time === null ? 0 : Math.max(0, Math.floor((nowMs() - time.getTime()) / 1000))

export async function readOverview(context: OverviewContext): Promise<Overview> {
  const [processes, cells] = await Promise.all([listProcesses(context.control), listCells(context)])
  const sum = (of: (cell: Shown) => number | undefined | null) =>
    cells.reduce((total, cell) => total + (of(cell) ?? 0), 0)
  return {
    version: VERSION,
    versions: [...new Set([VERSION, ...processes.map(({ version }) => version)])].toSorted(),
    processes: processes.map(({ startedAt, seenAt, ...process }) => ({
      ...process,
      startedAt: toSeconds(startedAt),
      seenAt: toSeconds(seenAt),
    })),
    cells,
    unknownCells: [...context.presence.unknownCells()],
    providers: Object.entries(context.providers).map(([name, isConfigured]) => ({
      name: name as keyof typeof context.providers,
      isConfigured,
    })),
    totals: {
      businesses: sum(({ businesses }) => businesses),
      suspended: sum(({ suspended }) => suspended),
      troubled: sum(({ troubled }) => troubled),
      workers: processes.filter(({ kind }) => kind === 'worker').length,
      readyJobs: sum(({ jobs }) => jobs?.ready),
      deadJobs: sum(({ jobs }) => jobs?.dead),
      runningSends: sum(({ sends }) => sends?.running),
      stoppedSends: sum(({ sends }) => sends?.stopped),
    },
  }
}
