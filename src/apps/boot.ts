import { styleText } from 'node:util'
import type { Logger } from 'pino'
import { ConfigError } from '#platform/config.ts'
import type { Databases } from '#platform/database/database.ts'
import { isDatabaseUnavailable } from '#platform/database/errors.ts'
import { MigrationError, missingMigrations } from '#platform/database/migrate.ts'
import { VERSION } from '#platform/version.ts'

/** What the person who starts it can mend: told without a stack. */
export class BootError extends Error {}

/** A database behind the code is refused; one ahead of it is fine; a cell that cannot be reached is its businesses' problem. */
export async function assertMigrated({ control, cells }: Databases, log: Logger): Promise<void> {
  const missing: string[] = []
  try {
    missing.push(...(await missingMigrations(control)))
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    throw new BootError(`The database of DATABASE_URL cannot be reached: ${message || code}`) // of several addresses: a code only
  }
  for (const [name, cell] of cells) {
    try {
      missing.push(...(await missingMigrations(cell)).map((migration) => `${migration} (cell ${name})`))
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
      log.error({ err: error, cell: name }, 'this cell cannot be reached; its businesses get 503 until it can')
    }
  }
  if (missing.length > 0) {
    throw new BootError(
      `The database is behind this version of Kontor. Run: npm run db:migrate\nIt lacks:\n  ${missing.join('\n  ')}`,
    )
  }
}

/** Runs an app's main function and says what to do when it cannot start. */
export async function boot(main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    const known =
      [BootError, ConfigError, MigrationError].some((kind) => error instanceof kind) ||
      (error as { code?: string }).code === 'EADDRINUSE'
    console.error(known ? (error as Error).message : error)
    process.exit(1)
  }
}

/** To a person: one readable block. To a machine: one line. */
export function announce(
  app: string,
  facts: Record<string, string>,
  providers: Record<string, boolean>,
  log: Logger,
): void {
  const on = Object.keys(providers).filter((name) => providers[name])
  const off = Object.keys(providers).filter((name) => !providers[name])
  if (!process.stdout.isTTY) {
    log.info({ app, version: VERSION, ...facts, providersOn: on, providersOff: off }, `Kontor ${app} started`)
    return
  }
  const rows = { ...facts, 'providers on': on.join(', ') || '–', 'providers off': off.join(', ') || '–' }
  const lines = Object.entries(rows).map(([name, value]) => `  ${styleText('dim', name.padEnd(14))} ${value}`)
  console.log(`\n  ${styleText('bold', `Kontor ${VERSION}`)} · ${app}\n${lines.join('\n')}\n`)
}

/** A database's address without its password. */
export function describeDatabase(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
