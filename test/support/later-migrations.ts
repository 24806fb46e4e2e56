import path from 'node:path'
import { loadMigrations, type Migration, readMigrations } from '#platform/database/migrate.ts'

const FOLDER = path.join(import.meta.dirname, '../fixtures/migrations')

/** The migrations of this version, and four fixtures for tests of upgrades: expand, backfill, and contract in two steps. */
export const loadWithLater = async (kind: 'control' | 'cell'): Promise<Migration[]> => [
  ...(await loadMigrations(kind)),
  ...(kind === 'cell' ? await readMigrations(path.join(FOLDER, kind)) : []),
]

export const isLater = ({ name }: Migration) => /^\d{8}T/.test(name)
