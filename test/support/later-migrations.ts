import path from 'node:path'
import { loadMigrations, type Migration, readMigrations } from '#platform/database/migrate.ts'

const FOLDER = path.join(import.meta.dirname, '../fixtures/migrations')

/**
 * The migrations of this version, and three of a version to come: expand, backfill, contract. Until there are real ones, they
 * show what an upgrade does.
 */
export const loadWithLater = async (kind: 'control' | 'cell'): Promise<Migration[]> => [
  ...(await loadMigrations(kind)),
  ...(kind === 'cell' ? await readMigrations(path.join(FOLDER, kind)) : []),
]

export const isLater = ({ name }: Migration) => /^\d{8}T/.test(name)
