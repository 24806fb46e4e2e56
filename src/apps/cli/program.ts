import { Command, CommanderError } from 'commander'
import { ConfigError, loadConfig } from '#platform/config.ts'
import { isDatabaseUnavailable } from '#platform/database/errors.ts'
import { MigrationError } from '#platform/database/migrate.ts'
import { ExtensionError } from '#platform/extensions/load.ts'
import { VERSION } from '#platform/version.ts'
import { AppError } from '#vocabulary/errors.ts'
import { BootError, boot } from '../boot.ts'
import { openAllDatabases } from '../open-cells.ts'
import { type Cli, UsageError } from './command.ts'
import { loadCommands } from './commands.ts'

const AFTER = `
Every command takes --json, for programs (npm run --silent cli -- …): one JSON document, or, of a list, one object per line.
Messages go to standard error.
Exit codes: 0 done, 1 it failed or found something wrong, 2 it was called in a wrong way.

Settings come from the environment. To take them from .env: set -a; . ./.env; set +a
More about one: npm run cli -- <command> --help`

const cli: Cli = {
  config: () => loadConfig(process.env),
  async withDatabases(work) {
    const databases = await openAllDatabases(cli.config(), { applicationName: 'kontor cli', max: 2 })
    try {
      await work(databases)
    } finally {
      await databases.close()
    }
  },
}

/** With the commands that the first argument selects. */
export async function createProgram(word?: string): Promise<Command> {
  const program = new Command('kontor')
    .description('Commands for the operator of a Kontor service.')
    .version(VERSION)
    .addHelpText('after', AFTER)
    .showHelpAfterError('Its --help says how to call it.')
    .exitOverride() // before the commands are added: they inherit it
  for (const add of await loadCommands(word)) add(program, cli)
  return program
}

/** Runs the command, and turns any error into a line and an exit code. */
export async function runProgram(): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0) // the reader closed the pipe: `… | head`
    console.error(`Standard output cannot be written: ${error.message}`)
    process.exit(1)
  })
  await boot(async () => {
    try {
      const program = await createProgram(process.argv[2])
      await program.parseAsync()
    } catch (error) {
      if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2) // Commander has printed the error
      if (error instanceof UsageError) {
        console.error(`${error.message}\nIts --help says how to call it.`)
        process.exit(2)
      }
      throw explain(error)
    }
  })
}

const codeOf = (error: Error) => {
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : ''
}

/** One line for problems that an operator can fix. Other errors keep their stack only if requested. */
function explain(error: unknown): unknown {
  if (error instanceof AppError) return new BootError(error.message)
  if (
    !(error instanceof Error) ||
    [BootError, ConfigError, ExtensionError, MigrationError].some((kind) => error instanceof kind)
  )
    return error
  const what = error.message || codeOf(error) // with several addresses, the error has only a code
  if (['42P01', '3F000', '42703'].includes(codeOf(error)))
    return new BootError(`The database is not what this version needs (${what}). Run: npm run db:migrate`)
  if (codeOf(error).startsWith('28')) return new BootError(`The database refuses the login: ${what}. See DATABASE_URL.`)
  if (isDatabaseUnavailable(error))
    return new BootError(
      `A database cannot be reached: ${what}. Is it up, and is DATABASE_URL right? cli doctor looks.`,
    )
  if (/^(debug|trace)$/.test(process.env.LOG_LEVEL ?? '')) return error
  return new BootError(`${what.split('\n', 1)[0]} (LOG_LEVEL=debug shows where this comes from)`)
}
