import type { FastifyBaseLogger } from 'fastify'
import type { Business } from '#vocabulary/business.ts'
import { nowMs } from '../clock.ts'
import type { Db } from '../database/database.ts'
import { cellUnknown } from './refusals.ts'

/** A cell that is off for a day is asked for all day: a line for each request would bury everything else. */
const SAY_EVERY_MS = 60_000
const saidMs = new WeakMap<ReadonlyMap<string, Db>, Map<string, number>>()

/** The database of a business; 503 if its cell is off, or not known to this process: another one may know it. */
export function cellOf<Cell extends Db>(
  cells: ReadonlyMap<string, Cell>,
  { id, cell }: Business,
  log: FastifyBaseLogger,
): Cell {
  const found = cells.get(cell)
  if (found) return found
  if (isToBeSaid(cells, cell))
    log.error({ businessId: id, cell }, 'this business lives in a cell that is off, or not known here (cli cells list)')
  throw cellUnknown()
}

/** Once a minute for each cell. Names of cells come from control: there are not many. */
function isToBeSaid(cells: ReadonlyMap<string, Db>, cell: string): boolean {
  const said = saidMs.get(cells) ?? new Map<string, number>()
  saidMs.set(cells, said)
  if (nowMs() - (said.get(cell) ?? Number.NEGATIVE_INFINITY) < SAY_EVERY_MS) return false
  said.set(cell, nowMs())
  return true
}
