// Prints what each test file took, the most expensive first, and checks the budget of a whole run.
import { readFileSync } from 'node:fs'
import type { FileTimes } from '../test/support/record-times.ts'

/** The test file behind a packed one; a group of several keeps its own name. */
export const sourceOf = (place: string) =>
  /\d{3}~(.+)\.mjs$/.exec(place)?.[1]?.replaceAll('~', '/').concat('.ts') ?? place

const COLUMNS = ['wall s', 'cpu s', 'children', 'waits s']
const cell = (text: string) => text.padStart(9)
const line = (cells: readonly string[], name: string) => `${cells.map(cell).join('')}  ${name}`

const processor = ({ own, children }: FileTimes) => own + children
const sum = (files: readonly FileTimes[], of: (file: FileTimes) => number) =>
  files.reduce((total, file) => total + of(file), 0)
/** Time in which neither the file nor an ended child used a processor: the database, timers, and other test files. */
const waited = (file: FileTimes) => Math.max(0, file.seconds - processor(file))

/**
 * Processor time in seconds, of test files and the processes they start. A busy machine changes it less than wall time, but
 * the same file has taken up to 1.6 times as much on a shared host, so the limits leave room for that.
 */
const BUDGET = { file: 180, run: 5_000 }

function readTimes(recorded: string): FileTimes[] {
  const lines = readFileSync(recorded, 'utf8').split('\n').filter(Boolean)
  return lines.map((text) => JSON.parse(text) as FileTimes).sort((a, b) => processor(b) - processor(a))
}

/** What exceeds the budget, as lines to print. */
export function findOverruns(files: readonly FileTimes[], { file: limit, run } = BUDGET): string[] {
  const overruns = files
    .filter((file) => processor(file) > limit)
    .map(
      (file) =>
        `${sourceOf(file.file)} used ${processor(file).toFixed(0)} s of processor time. The limit is ${limit} s.`,
    )
  const total = sum(files, processor)
  if (total > run) overruns.push(`All files used ${total.toFixed(0)} s of processor time. The limit is ${run} s.`)
  return overruns
}

/** Prints the overruns of a whole run. Returns whether it stayed within the budget. */
export function checkBudget(recorded: string): boolean {
  const overruns = findOverruns(readTimes(recorded))
  if (overruns.length > 0) console.error(`\nOver budget:\n${overruns.map((line) => `  ${line}`).join('\n')}`)
  return overruns.length === 0
}

/** Groups are processes that run several files: their rows hold what loading the files took. */
export function printTimes(recorded: string): void {
  const files = readTimes(recorded)
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
