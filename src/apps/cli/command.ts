import type { Command } from 'commander'
import type { Config } from '#platform/config.ts'
import type { Databases } from '#platform/database/database.ts'

/** What every command is given. */
export type Cli = {
  config: () => Config
  /** Opens the databases for as long as the work takes. */
  withDatabases: (work: (databases: Databases) => Promise<void>) => Promise<void>
}

/** Every command can answer a program. */
export type Json = { json?: boolean }

/** How it is started; the examples of every help text begin so. */
const START = 'npm run cli --'

/** A command with what each of them has: a sentence, `--json` and an example. */
export function addCommand(
  parent: Command,
  usage: string,
  {
    says,
    examples,
    json = 'print one JSON document, and nothing else',
  }: { says: string; examples: string[]; json?: string },
): Command {
  const shown = examples.map((example) => `  ${START} ${example}`).join('\n')
  return parent
    .command(usage)
    .description(says)
    .option('--json', json)
    .addHelpText('after', `\n${examples.length > 1 ? 'Examples' : 'Example'}:\n${shown}`)
}

/** For lists and what goes on for a while. */
export const JSON_LINES = 'print a line of JSON for each, and nothing else'

/** Called in a way that cannot mean anything: exit code 2. */
export class UsageError extends Error {}
