// Prints what each test file took: the most expensive first.
import { readFileSync } from 'node:fs'
import type { FileTimes } from '../test/support/record-times.ts'
import { sourceOf } from './pack-tests.ts'

const COLUMNS = ['wall s', 'cpu s', 'children', 'waits s']
const cell = (text: string) => text.padStart(9)
const line = (cells: readonly string[], name: string) => `${cells.map(cell).join('')}  ${name}`

const processor = ({ own, children }: FileTimes) => own + children
const sum = (files: readonly FileTimes[], of: (file: FileTimes) => number) =>
  files.reduce((total, file) => total + of(file), 0)
/** Time in which neither the file nor an ended child used a processor: the database, timers, and other test files. */
const waited = (file: FileTimes) => Math.max(0, file.seconds - processor(file))

/** Groups are processes that run several files: their rows hold what loading the files took. */
export function printTimes(recorded: string): void {
  const lines = readFileSync(recorded, 'utf8').split('\n').filter(Boolean)
  const files = lines.map((text) => JSON.parse(text) as FileTimes).sort((a, b) => processor(b) - processor(a))
  const row = (seconds: readonly number[], name: string) =>
    line(
      seconds.map((value) => value.toFixed(1)),
      name,
    )
  console.log(`\n${line(COLUMNS, 'file')}`)
  for (const file of files) {
    console.log(row([file.seconds, processor(file), file.children, waited(file)], sourceOf(file.file)))
  }
  const totals = [(file: FileTimes) => file.seconds, processor, (file: FileTimes) => file.children, waited]
  console.log(
    row(
      totals.map((of) => sum(files, of)),
      `${files.length} rows`,
    ),
  )
}
