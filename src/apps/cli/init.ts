import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { loadConfig } from '#platform/config.ts'
import { BootError } from '../boot.ts'
import { ask, canAsk } from './ask.ts'
import { addCommand, type Cli, type Json, UsageError } from './command.ts'
import { printJson } from './output.ts'

type Options = Json & { databaseUrl?: string; publicUrl?: string; file: string }

const EXAMPLE_DATABASE = 'postgres://postgres@127.0.0.1:5432/kontor'
const EXAMPLE_PUBLIC = 'http://localhost:3000'

export function addInitCommand(program: Command, _cli: Cli): void {
  addCommand(program, 'init', {
    says: 'Write a first .env with a fresh SECRET_KEY. An existing file is never changed.',
    examples: [
      'init',
      'init --database-url postgres://kontor:secret@db:5432/kontor --public-url https://api.example.com',
    ],
  })
    .option('--database-url <url>', 'the address of PostgreSQL; prompted for in a terminal')
    .option('--public-url <origin>', 'the public address of the service; prompted for in a terminal')
    .option('--file <path>', 'which file to write', '.env')
    .action(init)
}

async function init({ json = false, file, ...given }: Options): Promise<void> {
  if (!canAsk() && given.databaseUrl === undefined)
    throw new UsageError(
      'Give --database-url postgres://user:password@host:5432/database (there is no terminal to ask in).',
    )
  const answer = (question: string, example: string) => (canAsk() ? ask(question, example) : example)
  const settings = {
    NODE_ENV: 'production',
    DATABASE_URL: given.databaseUrl ?? (await answer('Where is PostgreSQL?', EXAMPLE_DATABASE)),
    PUBLIC_URL: given.publicUrl ?? (await answer('Where will the service be reached?', EXAMPLE_PUBLIC)),
    SECRET_KEY: randomBytes(32).toString('base64'),
  }
  loadConfig(settings) // validates them
  const path = /^[./]/.test(file) && file !== '.env' ? file : `./${file}`
  try {
    await writeFile(file, contentOf(settings, path), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new BootError(
      code === 'EEXIST'
        ? `${file} is there already and was left as it is. Change it by hand, or write another: --file other.env`
        : `${file} cannot be written: ${message}`,
    )
  }
  const next = [
    `set -a; . ${path}; set +a`,
    'npm run cli -- doctor',
    'npm run db:migrate',
    'npm run cli -- user create --email you@example.com --confirmed',
    'npm start',
    'npm run worker',
  ]
  if (json) return printJson({ file, next })
  console.log(`${file} is written; only you can read it. Keep a copy of its SECRET_KEY: what is sealed with it opens with nothing else.

Nothing reads the file by itself. In a shell (containers take it as an env_file):
${next.map((line) => `  ${line}`).join('\n')}

The last two run side by side. All settings: docs/operations.md`)
}

const contentOf = (
  settings: Record<string, string>,
  path: string,
) => `# Settings of Kontor. docs/operations.md lists all of them.
# Nothing reads this file by itself: set -a; . ${path}; set +a
${Object.entries(settings)
  .map(([name, value]) => `${name}=${quote(value)}`)
  .join('\n')}
`

/** Quotes only where a shell needs it: not every reader of env files understands quotes. */
const quote = (value: string) => (/^[\w@%+=:,./~?-]*$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`)
