import type { FastifyBaseLogger } from 'fastify'
import type { Business } from '#vocabulary/business.ts'
import type { Db } from '../database/database.ts'
import { cellUnknown } from './refusals.ts'

/**
 * The database of a business. If CELLS of this process does not name the cell, it returns 503: another process may know
 * it.
 */
export function cellOf<Cell extends Db>(
  cells: ReadonlyMap<string, Cell>,
  { id, cell }: Business,
  log: FastifyBaseLogger,
): Cell {
  const found = cells.get(cell)
  if (found) return found
  log.error({ businessId: id, cell }, 'this business lives in a cell that CELLS does not name here')
  throw cellUnknown()
}
