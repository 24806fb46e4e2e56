import { styleText } from 'node:util'
import type { Logger } from 'pino'
import { ConfigError } from '#platform/config.ts'
import { type Databases, MAIN_CELL } from '#platform/database/database.ts'
import { isDatabaseUnavailable } from '#platform/database/errors.ts'
import { MigrationError, type MigrationSet, missingMigrations } from '#platform/database/migrate.ts'
import { ExtensionError } from '#platform/extensions/load.ts'
import { nameSome } from '#platform/name-some.ts'
import { VERSION } from '#platform/version.ts'

/** What is under way gets this long to end; then the process ends all the same. Whoever kills it waits for longer. */
export const MAX_DRAIN_MS = 25_000

/** A problem that the operator can fix: printed without a stack. */
export class BootError extends Error {}

/**
 * Refuses to start on a control database that lacks migrations; one ahead of the code is fine. Before anything looks there by
 * itself: each would complain of what is missing.
 */
export async function assertMigrated(
  { control, cells }: Databases,
  extensions: readonly MigrationSet[],
): Promise<void> {
  const missing: string[] = []
  try {
    missing.push(...(await missingMigrations(control)))
    const main = cells.get(MAIN_CELL)
    if (main) missing.push(...(await missingMigrations(main, extensions)))
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    // With several addresses, the error has only a code.
    throw new BootError(`The database of DATABASE_URL cannot be reached: ${message || code}`)
  }
  if (missing.length > 0)
    throw new BootError(
      `The database is behind this version of Kontor: it lacks ${nameSome(missing)}.\nRun: npm run db:migrate`,
    )
}

/** A further cell that lacks migrations, or cannot be reached, only affects its businesses. */
export async function tellOfCells(
  { cells }: Databases,
  log: Logger,
  extensions: readonly MigrationSet[],
): Promise<void> {
  await Promise.all(
    [...cells].map(async ([name, cell]) => {
      if (name === MAIN_CELL) return
      try {
        const lacking = await missingMigrations(cell, extensions)
        if (lacking.length > 0)
          log.error(
            { cell: name, missing: nameSome(lacking) },
            'this cell lacks migrations; its businesses get 503. Run: npm run db:migrate',
          )
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error
        log.error({ err: error, cell: name }, 'this cell cannot be reached; its businesses get 503 until it can')
      }
    }),
  )
}

/** Runs an app's main function; if it cannot start, prints how to fix it. */
export async function boot(main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    const known =
      [BootError, ConfigError, ExtensionError, MigrationError].some((kind) => error instanceof kind) ||
      (error as { code?: string }).code === 'EADDRINUSE'
    console.error(known ? (error as Error).message : error)
    process.exit(1)
  }
}

/** A readable block in a terminal, one log line elsewhere. */
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

/** A database URL without its credentials. */
export function describeDatabase(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
