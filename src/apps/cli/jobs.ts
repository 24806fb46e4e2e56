import { type Command, Option } from 'commander'
import { sql } from 'kysely'
import type { Databases, Db } from '#platform/database/database.ts'
import { BootError } from '../boot.ts'
import { addCommand, type Cli, JSON_LINES, type Json, UsageError } from './command.ts'
import { printList, printResult } from './output.ts'

const STATES = ['dead', 'running', 'waiting'] as const
type State = (typeof STATES)[number]
type Wanted = Json & Partial<Record<State, boolean>> & { limit?: number }

const MAX_LISTED = 200
const COLUMNS = ['id', 'job', 'state', 'attempts', 'runAt', 'lastError']

export function addJobCommands(program: Command, { withDatabases }: Cli): void {
  const jobs = program.command('jobs').description('Background jobs.')

  addCommand(jobs, 'list', {
    says: `List the jobs in the queues of all databases, dead ones first. At most ${MAX_LISTED} of each database.`,
    examples: ['jobs list', 'jobs list --dead --json'],
    json: JSON_LINES,
  })
    .option('--dead', 'only dead jobs: out of attempts')
    .option('--running', 'only jobs that a worker is running')
    .option('--waiting', 'only jobs that are scheduled, or wait for a worker')
    .addOption(
      new Option('--limit <count>', 'at most this many of each database').argParser(toCount).default(MAX_LISTED),
    )
    .action(({ json = false, limit = MAX_LISTED, ...wanted }: Wanted) =>
      withDatabases(async ({ cells }) => {
        const chosen = STATES.filter((state) => wanted[state])
        const states = chosen.length > 0 ? chosen : STATES
        const found = await Promise.all([...cells].map(([name, cell]) => listJobs(name, cell, states, limit)))
        const shown = found.flatMap((rows) => rows.slice(0, limit))
        printList(json, COLUMNS, shown, chosen.length > 0 ? `None is ${chosen.join(' or ')}.` : 'The queues are empty.')
        if (found.some((rows) => rows.length > limit)) console.error('There are more: --limit shows them.')
      }),
    )

  addCommand(jobs, 'retry [id...]', {
    says: 'Retry jobs at once, with all their attempts: those with these ids (as listed), or all dead ones.',
    examples: ['jobs retry main/42 main/43', 'jobs retry --dead'],
  })
    .option('--dead', 'all dead jobs')
    .action((ids: string[], { dead = false, json = false }: Json & { dead?: boolean }) => {
      if (dead === ids.length > 0) throw new UsageError('Give the ids of jobs as `jobs list` shows them, or --dead.')
      return withDatabases((databases) => retry(databases, dead ? undefined : ids, json))
    })
}

function toCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > 100_000) throw new UsageError('--limit is from 1 to 100000.')
  return count
}

const STATE = sql<State>`
  case when locked_at is not null then 'running' when attempts >= max_attempts then 'dead' else 'waiting' end`

/** Reads one more than the limit, to know whether there are more. */
async function listJobs(name: string, cell: Db, states: readonly State[], limit: number) {
  const { rows } = await sql<{
    id: string
    job: string
    state: State
    attempts: string
    runAt: Date
    lastError: string | null
  }>`
    select ${name} || '/' || id as id, job, state, attempts || '/' || max_attempts as attempts, run_at, last_error
      from (select *, task_identifier as job, ${STATE} as state from graphile_worker.jobs) as jobs
     where state = any (${[...states]}::text[])
     order by array_position(array['dead', 'running', 'waiting'], state), run_at, jobs.id
     limit ${limit + 1}`.execute(cell)
  return rows.map((row) => ({ ...row, lastError: row.lastError?.split('\n')[0] ?? null }))
}

async function retry({ cells }: Databases, ids: string[] | undefined, json: boolean): Promise<void> {
  const retried: string[] = []
  for (const [name, cell] of cells) {
    const only = ids && ids.filter((id) => id.startsWith(`${name}/`)).map((id) => id.slice(name.length + 1))
    if (only?.length === 0) continue
    // graphile-worker's own function skips jobs that a worker has locked.
    const { rows } = await sql<{ id: string }>`
      select ${name} || '/' || id as id
        from graphile_worker.reschedule_jobs(
               array(select jobs.id from graphile_worker.jobs
                      where ${only === undefined ? sql`attempts >= max_attempts and locked_at is null` : sql`jobs.id = any (${only.filter(isId)}::bigint[])`}),
               run_at => now(), attempts => 0)`.execute(cell)
    retried.push(...rows.map(({ id }) => id))
  }
  const missed = (ids ?? []).filter((id) => !retried.includes(id))
  printResult(
    json,
    { retried, missed },
    `${retried.length} run again${retried.length > 0 ? `: ${retried.join(' ')}` : ''}`,
  )
  if (missed.length > 0)
    throw new BootError(`Not found, or running at the moment: ${missed.join(' ')}. See: cli jobs list`)
}

const isId = (text: string) => /^\d{1,18}$/.test(text)
