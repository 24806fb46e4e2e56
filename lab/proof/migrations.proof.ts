import { loadMigrations } from '#platform/database/migrate.ts'
import { type Kind, locksOf, upgradeUnderLoad } from '../../test/scenarios/upgrade.ts'
import { TABLES } from '../../test/scenarios/upgrade-tables.ts'
import type { Figure, Run } from '../report/figures.ts'

export const title = 'Each migration, on a database full of rows that is being written to'

const GOAL_MS = 500
const READER_MS = 4_000

/**
 * The last migrations before the first release: the tables that these and earlier ones lock were empty in every database that there
 * was. They are measured like all others, but nobody waits for them any more.
 */
const FIRST_RELEASE = { control: '0004_sign_in.sql', cell: '0006_subscriber_imports.sql' }

export async function run({ quick, note }: Run) {
  const rows = quick ? 50_000 : 1_000_000
  const table: string[][] = []
  const released: { failed: number; longestMs: number }[] = []
  let migrations = 0
  for (const kind of ['control', 'cell'] as const satisfies Kind[]) {
    for (const migration of await loadMigrations(kind)) {
      migrations++
      const name = `${kind}/${migration.name}`
      const locks = await locksOf(kind, migration)
      if (locks.length === 0) {
        table.push([name, 'none', '', '', '', '', ''])
        continue
      }
      const unknown = locks.find(({ table }) => !TABLES[table])
      if (unknown)
        throw new Error(`${name} locks ${unknown.table}: add its rows and writes to test/scenarios/upgrade-tables.ts`)
      const fillers = new Map(Object.entries(TABLES).filter(([table]) => locks.some((lock) => lock.table === table)))
      const since = FIRST_RELEASE[kind]
      const plain = await upgradeUnderLoad(kind, migration, fillers, { since, rows })
      const few = Math.min(rows, 1_000)
      const read = await upgradeUnderLoad(kind, migration, fillers, { since, rows: few, readerMs: READER_MS })
      const failed = [...plain.failed, ...read.failed]
      for (const text of failed.slice(0, 5)) note(`${name}: ${text}`)
      const longestMs = Math.max(plain.longestMs, read.longestMs)
      if (migration.name > since) released.push({ failed: failed.length, longestMs })
      note(`${name}: a write waited ${Math.round(plain.longestMs)} ms, with a reader ${Math.round(read.longestMs)} ms`)
      table.push([
        name,
        locks.map(({ table, mode }) => `${table} (${mode})`).join(', '),
        plain.seconds.toFixed(1),
        ...[plain.usualMs, plain.longestMs, read.longestMs].map((ms) => String(Math.round(ms))),
        `${failed.length} of ${plain.writes + read.writes}`,
      ])
    }
  }
  return {
    figures: [
      { name: 'migrations', value: migrations, unit: '' },
      {
        name: 'of these that lock a table that was there',
        value: table.filter(([, locks]) => locks !== 'none').length,
        unit: '',
      },
      { name: 'rows in each of these tables', value: rows, unit: '' },
      ...goalsOf(released),
    ],
    tables: [
      {
        title: 'Locks and waits',
        columns: [
          'migration',
          'locks',
          'takes (s)',
          'a write before (ms, longest)',
          'a write meanwhile (ms, longest)',
          `with somebody reading for ${READER_MS / 1_000} s (ms)`,
          'failed writes',
        ],
        rows: table,
      },
    ],
  }
}

const FAILED = 'writes that failed meanwhile, since the first release'
const LONGEST = 'longest wait of a write, since the first release'

/** Only what comes to databases with rows in them can hold anybody up. */
function goalsOf(released: readonly { failed: number; longestMs: number }[]): Figure[] {
  const note = 'no migration since the first release locks a table that was there'
  if (released.length === 0) return [FAILED, LONGEST].map((name) => ({ name, value: null, unit: '', note }))
  const failed = released.reduce((sum, one) => sum + one.failed, 0)
  const longest = Math.max(...released.map(({ longestMs }) => longestMs))
  return [
    { name: FAILED, value: failed, unit: '', goal: '0', ok: failed === 0 },
    { name: LONGEST, value: longest, unit: 'ms', goal: `≤ ${GOAL_MS} ms`, ok: longest <= GOAL_MS },
  ]
}
