import type { FastifyBaseLogger } from 'fastify'
import type { Business } from '#vocabulary/business.ts'
import type { Db } from '../database/database.ts'
import { cellUnknown } from './refusals.ts'

/** The database of a business; 503 if its cell is off, or not known to this process: another one may know it. */
export function cellOf<Cell extends Db>(
  cells: ReadonlyMap<string, Cell>,
  { id, cell }: Business,
  log: FastifyBaseLogger,
): Cell {
  const found = cells.get(cell)
  if (found) return found
  log.error({ businessId: id, cell }, 'this business lives in a cell that is off, or not known here (cli cells list)')
  throw cellUnknown()
}
