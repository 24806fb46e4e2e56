import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { migrate } from '#platform/database/migrate.ts'
import { openPrivatePostgres, type PrivatePostgres } from '../../test/scenarios/private-postgres.ts'
import { type Child, startChild } from '../../test/support/child.ts'
import type { Figure, Run, Table } from '../report/figures.ts'

export const title = 'Cells in which nothing happens: what one worker and one API cost at rest'

/** Besides `main`; `CELLS_AT_REST` says how many instead. */
const CELLS = { full: 50, quick: 10 }
/** Longer than a pool keeps a connection that nobody uses, and than it takes until all has been looked at once. */
const QUIET_MS = 45_000
const MEASURE_MS = 30_000
const LOOK_MS = 2_000

export async function run(options: Run) {
  const postgres = await openPrivatePostgres(['max_connections=1500', 'shared_buffers=256MB', 'fsync=off'])
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kontor-media-'))
  try {
    return await rest(postgres, folder, options)
  } finally {
    await postgres.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** All that a deployment may have is configured; nothing of it is used. */
const providers = (folder: string) => ({
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'Kontor <mail@example.com>',
  STRIPE_SECRET_KEY: 'sk_test_nobody',
  STRIPE_WEBHOOK_SECRET: 'whsec_nobody',
  STRIPE_API_URL: 'http://127.0.0.1:9',
  MEDIA_STORAGE: `folder:${folder}`,
})

async function rest(postgres: PrivatePostgres, folder: string, { quick, note }: Run) {
  const count = Number(process.env.CELLS_AT_REST ?? (quick ? CELLS.quick : CELLS.full))
  const client = new pg.Client({ connectionString: postgres.urlOf('postgres') })
  await client.connect()
  const names = Array.from({ length: count }, (_, index) => `cell${index + 1}`)
  const since = performance.now()
  for (const name of ['main', 'empty']) await client.query(`create database ${name}`)
  await migrate(postgres.urlOf('main'), ['control', 'cell'])
  await migrate(postgres.urlOf('empty'), ['cell'])
  for (const name of names) await client.query(`create database ${name} template empty`)
  note(`${count} cells made in ${((performance.now() - since) / 1_000).toFixed(1)} s`)
  const env = {
    DATABASE_URL: postgres.urlOf('main'),
    CELLS: JSON.stringify(Object.fromEntries(names.map((name) => [name, { url: postgres.urlOf(name) }]))),
    LOG_LEVEL: 'info',
    ...providers(folder),
  }
  try {
    const worker = await measure(client, names, () => startChild('worker', env), note)
    const api = await measure(client, names, () => startChild('api', env), note)
    const tables: Table[] = [statementsOf('worker', worker), statementsOf('API', api)]
    const all = [...figuresOf('worker', worker, true), ...figuresOf('API', api, false)]
    return { figures: [{ name: 'cells besides main', value: count, unit: '' }, ...all], tables }
  } finally {
    await client.end()
  }
}

type Measured = {
  connections: number
  mostConnections: number
  transactions: number
  cpu: number
  backendCpu: number
  memoryMb: number
  kinds: { application: string; connections: number }[]
}

/** Of each cell besides `main`: that one has what belongs to control as well. */
async function measure(
  client: pg.Client,
  names: readonly string[],
  start: () => Promise<Child>,
  note: Run['note'],
): Promise<Measured> {
  const child = await start()
  try {
    await sleep(QUIET_MS)
    const before = await look(client, names, child)
    const connections: number[] = []
    while (performance.now() - before.atMs < MEASURE_MS) {
      await sleep(LOOK_MS)
      connections.push((await listConnections(client, names)).length)
    }
    const after = await look(client, names, child)
    const seconds = (after.atMs - before.atMs) / 1_000
    const share = (from: number, to: number) => (to - from) / seconds // a tick is a hundredth of a second: percent
    const kinds = Map.groupBy(after.connections, ({ application }) => application)
    const measured = {
      connections: connections.reduce((sum, each) => sum + each, 0) / connections.length / names.length,
      mostConnections: Math.max(...connections) / names.length,
      transactions: (after.transactions - before.transactions) / seconds / names.length,
      cpu: share(before.ticks, after.ticks),
      backendCpu: share(before.backendTicks, after.backendTicks),
      memoryMb: after.memoryMb,
      kinds: [...kinds].map(([application, each]) => ({ application, connections: each.length / names.length })),
    }
    note(JSON.stringify(measured))
    return measured
  } finally {
    await child.stop()
  }
}

async function look(client: pg.Client, names: readonly string[], { process: { pid = 0 } }: Child) {
  const connections = await listConnections(client, names)
  const { rows } = await client.query<{ transactions: string }>(
    'select sum(xact_commit + xact_rollback) as transactions from pg_stat_database where datname = any ($1)',
    [names],
  )
  return {
    atMs: performance.now(),
    connections,
    transactions: Number(rows[0]?.transactions),
    ticks: ticksOf(pid),
    // Those that have come or gone meanwhile are not in it.
    backendTicks: connections.reduce((sum, each) => sum + ticksOf(each.pid), 0),
    memoryMb: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024,
  }
}

async function listConnections(client: pg.Client, names: readonly string[]) {
  const { rows } = await client.query<{ pid: number; application: string }>(
    `select pid, application_name as application from pg_stat_activity
      where datname = any ($1) and backend_type = 'client backend'`,
    [names],
  )
  return rows
}

/** Time on a processor, its own and the system's for it. */
function ticksOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0
  }
}

function figuresOf(what: string, measured: Measured, isWorker: boolean): Figure[] {
  const { connections, mostConnections, transactions, cpu, backendCpu, memoryMb } = measured
  const goal = isWorker ? 2 : 1
  return [
    {
      name: `${what}: connections to a cell, on average`,
      value: connections,
      unit: '',
      goal: `≤ ${goal}`,
      ok: connections <= goal,
    },
    { name: `${what}: connections to a cell, at most`, value: mostConnections, unit: '' },
    {
      name: `${what}: transactions in a cell`,
      value: transactions,
      unit: '/s',
      goal: '≤ 2',
      ok: transactions <= 2,
    },
    { name: `${what}: processor, itself`, value: cpu, unit: '% of a core' },
    { name: `${what}: processor, PostgreSQL for it`, value: backendCpu, unit: '% of a core' },
    { name: `${what}: memory`, value: Math.round(memoryMb), unit: 'MB' },
  ]
}

const statementsOf = (what: string, { kinds }: Measured): Table => ({
  title: `Connections of the ${what} to a cell`,
  columns: ['named', 'connections'],
  rows: kinds.map(({ application, connections }) => [application, connections.toFixed(2)]),
})
