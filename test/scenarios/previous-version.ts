import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import type { createBusiness } from '#modules/access/index.ts'
import type { startSession } from '#modules/accounts/index.ts'
import { migrate } from '#platform/database/migrate.ts'
import type { Business } from '#vocabulary/business.ts'
import { newBusinessId, newId } from '#vocabulary/ids.ts'
import { runKontor } from '../support/child.ts'
import { withScratchDatabase } from '../support/database.ts'
import { loadWithLater } from '../support/later-migrations.ts'
import type { TestDatabases } from '../support/start-api.ts'

export type PreviousVersion = {
  /** Its files, with the packages of this version. */
  root: string
  /** As its own migrations made them. */
  databases: TestDatabases
  /** What this version's `migrate` does with them, and three later migrations. */
  upgrade: () => Promise<string[]>
}

const ROOT = path.join(import.meta.dirname, '../..')

export async function withPreviousVersion<Result>(
  commit: string,
  work: (previous: PreviousVersion) => Promise<Result>,
): Promise<Result> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'kontor-previous-'))
  try {
    unpack(commit, root)
    await symlink(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'))
    return await withScratchDatabase((main) =>
      withScratchDatabase(async (second) => {
        const databases = databasesAt(main, second)
        const { code, output } = await runKontor(['cli', 'migrate'], databases.env, { root })
        if (code !== 0) throw new Error(`${commit} does not migrate:\n${output}`)
        const upgrade = async () => [
          ...(await migrate(main, ['control', 'cell'], [], loadWithLater)),
          ...(await migrate(second, ['cell'], [], loadWithLater)).map((name) => `${name} (second)`),
        ]
        return work({ root, databases, upgrade })
      }),
    )
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

function unpack(commit: string, folder: string): void {
  const archive = spawnSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 2 ** 30 })
  if (archive.status !== 0) throw new Error(`git archive ${commit}: ${archive.stderr.toString()}`)
  const unpacked = spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout })
  if (unpacked.status !== 0) throw new Error(`tar: ${unpacked.stderr.toString()}`)
}

function databasesAt(main: string, second: string): TestDatabases {
  const database = (url: string) => ({ name: new URL(url).pathname.slice(1), url, drop: async () => {} })
  return {
    main: database(main),
    second: database(second),
    env: { DATABASE_URL: main, CELLS: JSON.stringify({ second: { url: second } }) },
    drop: async () => {},
  }
}

/** A session as every version can make it: with the columns that the first one had. */
const startFormerSession: typeof startSession = async (tx, { userId, provider }) => {
  const session = { id: newId('ses'), refreshId: newId('tok') }
  await sql`
    insert into accounts.sessions (id, refresh_id, user_id, provider, created_at, last_used_at)
    values (${session.id}, ${session.refreshId}, ${userId}, ${provider}, now(), now())`.execute(tx)
  return session
}

/** A business as every version can make it: with the columns that the first one had. */
const insertFormerBusiness: typeof createBusiness = async (tx, { ownerId, cells }, { name }) => {
  const id = newBusinessId()
  const roleId = newId('role')
  const [cell] = cells
  const { rows } = await sql<Business>`
    insert into access.businesses (id, name, slug, default_locale, locales, allowed_origins, markets, cell, created_at, updated_at)
    values (${id}, ${name}, ${id}, 'en', '{en}', '{}', '[]', ${cell}, now(), now())
    returning *`.execute(tx)
  await sql`
    insert into access.roles (business_id, id, name, permissions, created_at, updated_at)
    values (${id}, ${roleId}, 'Admin', '{ADMIN}', now(), now())`.execute(tx)
  await sql`
    insert into access.memberships (business_id, user_id, role_id, created_at)
    values (${id}, ${ownerId}, ${roleId}, now())`.execute(tx)
  return rows[0] as Business
}

export const FORMER_WAYS = { insertBusiness: insertFormerBusiness, startSession: startFormerSession }
