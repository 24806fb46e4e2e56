import type { Command } from 'commander'
import type { Config } from '#platform/config.ts'
import type { Databases } from '#platform/database/database.ts'

/** The dependencies of every command. */
export type Cli = {
  config: () => Config
  /** Opens the databases for the duration of the work. */
  withDatabases: (work: (databases: Databases) => Promise<void>) => Promise<void>
}

/** Every command can print JSON. */
export type Json = { json?: boolean }

/** The prefix of the examples in help texts. */
const START = 'npm run cli --'

/** Adds a command with the common parts: a sentence, `--json` and examples. */
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

/** For lists and long-running commands. */
export const JSON_LINES = 'print one JSON object per line, one for each, and nothing else'

/** Invalid arguments: exit code 2. */
export class UsageError extends Error {}
