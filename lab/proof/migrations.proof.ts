import { type Kind, locksOf, upgradeUnderLoad } from '../../test/scenarios/upgrade.ts'
import { TABLES } from '../../test/scenarios/upgrade-tables.ts'
import { isLater, loadWithLater } from '../../test/support/later-migrations.ts'
import type { Figure, Run } from '../report/figures.ts'

export const title = 'Migrations after the baseline, on full tables under write load'

const GOAL_MS = 500
const READER_MS = 4_000

export async function run({ quick, note }: Run) {
  const rows = quick ? 50_000 : 1_000_000
  const table: string[][] = []
  const measured: { failed: number; longestMs: number }[] = []
  let migrations = 0
  for (const kind of ['control', 'cell'] as const satisfies Kind[]) {
    for (const migration of (await loadWithLater(kind)).filter(isLater)) {
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
      const plain = await upgradeUnderLoad(kind, migration, fillers, { rows })
      const few = Math.min(rows, 1_000)
      const read = await upgradeUnderLoad(kind, migration, fillers, { rows: few, readerMs: READER_MS })
      const failed = [...plain.failed, ...read.failed]
      for (const text of failed.slice(0, 5)) note(`${name}: ${text}`)
      const longestMs = Math.max(plain.longestMs, read.longestMs)
      measured.push({ failed: failed.length, longestMs })
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
      ...goalsOf(measured),
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

function goalsOf(measured: readonly { failed: number; longestMs: number }[]): Figure[] {
  const failed = measured.reduce((sum, one) => sum + one.failed, 0)
  const longest = Math.max(0, ...measured.map(({ longestMs }) => longestMs))
  return [
    { name: 'writes that failed meanwhile', value: failed, unit: '', goal: '0', ok: failed === 0 },
    { name: 'longest wait of a write', value: longest, unit: 'ms', goal: `≤ ${GOAL_MS} ms`, ok: longest <= GOAL_MS },
  ]
}
