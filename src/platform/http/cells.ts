import type { FastifyBaseLogger } from 'fastify'
import type { Business } from '#vocabulary/business.ts'
import { unavailable } from '#vocabulary/errors.ts'
import type { Db } from '../database/database.ts'

/** The database of a business. A process that was not told of it (CELLS) cannot know better: another one may. */
export function cellOf(cells: ReadonlyMap<string, Db>, { id, cell }: Business, log: FastifyBaseLogger): Db {
  const found = cells.get(cell)
  if (found) return found
  log.error({ businessId: id, cell }, 'this business lives in a cell that CELLS does not name here')
  throw unavailable('This business cannot be served right now. Try again shortly.')
}

export const cellBehind = () => unavailable('This business is being updated. Try again shortly.')
