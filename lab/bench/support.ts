// What the benches share: the load, pgbench, and rounds in which all that is compared takes turns.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { PLANNER_OPTIONS } from '../../src/platform/database/connection.ts'
import type { Statement } from '../../test/support/explain.ts'
import { type Chart, type Figure, formatFigure, median, type Run } from '../report/figures.ts'

export const CLIENTS = [1, 4, 16, 64]
export const JSON_TYPE = 'application/json; charset=utf-8'
export const KONTOR = 'Kontor'
export const FASTIFY = 'bare Fastify + pg'
export const PGBENCH = 'pgbench'

/** As many connections as an API process has. */
export const poolSize = () => 2 * os.availableParallelism() + 4

export function openBarePool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: poolSize(), options: PLANNER_OPTIONS })
  pool.on('error', () => {}) // a connection that is still closing when the database goes
  return pool
}

const names = new Map<string, string>()

/** By name, the bare server's statements are planned once for each connection. */
export function nameOf(text: string): string {
  const name = names.get(text) ?? `bare${names.size}`
  names.set(text, name)
  return name
}

export async function listen(app: FastifyInstance): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

export type Load = {
  url: string
  requests: autocannon.Request[]
  headers?: Record<string, string>
  clients: number
  seconds: number
}

/** Answers a second. Anything but success ends the bench: refusing is quick. */
export async function load({ url, requests, headers = {}, clients, seconds }: Load): Promise<number> {
  const options = { url, headers, requests, connections: clients, duration: seconds }
  const result = await autocannon({ ...options, workers: 1 }) // in a thread of its own: the server's loop is the server's
  const { non2xx, errors } = result
  if (non2xx > 0 || errors > 0) throw new Error(`${url}: ${non2xx} refused, ${errors} failed`)
  return result['2xx'] / result.duration
}

/** Debian keeps it beside the server, not on the PATH. */
function findPgbench(): string {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => `${root}/${version}/bin/pgbench`).find((file) => existsSync(file)) ?? 'pgbench'
}

type Script = { url: string; script: string; clients: number; seconds: number }

/** Transactions a second of a script, its statements prepared. */
export async function pgbench({ url, script, clients, seconds }: Script): Promise<number> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'kontor-pgbench-'))
  const file = path.join(directory, 'script.sql')
  writeFileSync(file, script)
  const args = ['-n', '-M', 'prepared', '-c', `${clients}`, '-j', `${Math.min(clients, 2)}`, '-T', `${seconds}`]
  try {
    const { stdout } = await promisify(execFile)(findPgbench(), [...args, '-f', file, url], {
      timeout: (seconds + 60) * 1_000,
      env: { ...process.env, PGOPTIONS: PLANNER_OPTIONS },
    })
    const rate = /tps = ([\d.]+)/.exec(stdout)?.[1]
    if (!rate) throw new Error(`pgbench: ${stdout}`)
    return Number(rate)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** A statement with its values in it, on one line. */
export function inline({ text, values }: Pick<Statement, 'text' | 'values'>): string {
  const placed = text.replaceAll(/\$(\d+)/g, (_, number: string) => toLiteral(values[Number(number) - 1]))
  return `${placed.replaceAll(/\s+/g, ' ').trim()};\n`
}

function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return `'{${value.map((one) => JSON.stringify(String(one))).join(',')}}'`
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `'${text.replaceAll("'", "''")}'`
}

/** `what` to compare, and for each `who` how much of it is done in a second. */
export type Contest = Record<string, Record<string, Measure>>
type Measure = (clients: number, seconds: number) => Promise<number>
type Options = Run & {
  clients?: readonly number[]
  seconds?: number
  rounds?: number
  /** Comes before each measurement. */
  reset?: () => Promise<void>
}
export type Rates = Awaited<ReturnType<typeof takeTurns>>

/** All in turn, round after round: whatever else the machine does, it does to all of them. */
export async function takeTurns(contest: Contest, { quick, note, reset, ...options }: Options) {
  const clients = quick ? [16] : (options.clients ?? CLIENTS)
  const seconds = quick ? 1 : (options.seconds ?? 1)
  const rounds = quick ? 1 : (options.rounds ?? 3)
  const rates = new Map<string, number[]>()
  const keyOf = (what: string, who: string, count: number) => `${what}/${who}/${count}`
  for (const columns of Object.values(contest)) for (const measure of Object.values(columns)) await measure(4, 1) // warming up
  for (let round = 1; round <= rounds; round++) {
    for (const count of clients) {
      for (const [what, columns] of Object.entries(contest)) {
        for (const [who, measure] of Object.entries(columns)) {
          await reset?.()
          const key = keyOf(what, who, count)
          rates.set(key, [...(rates.get(key) ?? []), await measure(count, seconds)])
        }
      }
    }
    note(`round ${round} of ${rounds}`)
  }
  const of = (what: string, who: string, count: number) => rates.get(keyOf(what, who, count)) ?? []
  /** With as many clients as suit it, round by round. */
  const bestOf = (what: string, who: string) =>
    Array.from({ length: rounds }, (_, round) => Math.max(...clients.map((count) => of(what, who, count)[round] ?? 0)))
  return { clients, of, bestOf, contest }
}

function spreadOf(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(formatFigure)
  return `${least} to ${most} in ${values.length} ${values.length === 1 ? 'round' : 'rounds'}`
}

/** What each did with as many clients as suit it best. */
export const bestFigures = ({ contest, bestOf }: Rates, unit: string): Figure[] =>
  Object.entries(contest).flatMap(([what, columns]) =>
    Object.keys(columns).map((who) => ({
      name: `${what}: ${who}`,
      value: Math.round(median(bestOf(what, who))),
      unit,
      note: spreadOf(bestOf(what, who).map(Math.round)),
    })),
  )

/** The median of the rounds' own ratios, the best of each against the best of the other. */
export function ratio({ bestOf }: Rates, what: string, other: string, goal?: number): Figure {
  const others = bestOf(what, other)
  const ratios = bestOf(what, KONTOR).map((rate, round) => rate / (others[round] ?? Number.NaN))
  const value = median(ratios)
  const aim = goal === undefined ? {} : { goal: `≥ ${goal}`, ok: value >= goal }
  return { name: `${what}: ${KONTOR} / ${other}`, value, unit: '×', note: spreadOf(ratios), ...aim }
}

/** One chart for each `what`: how it goes with more clients. */
export const clientCharts = ({ contest, clients, of }: Rates, unit: string): Chart[] =>
  Object.entries(contest).map(([what, columns]) => ({
    title: what,
    unit,
    ...(clients.length > 1
      ? {
          x: 'clients',
          isLogarithmic: true,
          lines: Object.keys(columns).map((label) => ({
            label,
            points: clients.map((count): [number, number] => [count, median(of(what, label, count))]),
          })),
        }
      : {
          bars: Object.keys(columns).map((label) => ({ label, value: median(of(what, label, clients[0] ?? 1)) })),
        }),
  }))

/** All rates at all numbers of clients. */
export const clientTable = ({ contest, clients, of }: Rates, unit: string) => ({
  title: `All medians, ${unit}`,
  columns: ['', ...clients.map((count) => `${count} ${count === 1 ? 'client' : 'clients'}`)],
  rows: Object.entries(contest).flatMap(([what, columns]) =>
    Object.keys(columns).map((who) => [
      `${what}: ${who}`,
      ...clients.map((count) => Math.round(median(of(what, who, count))).toLocaleString('en')),
    ]),
  ),
})
