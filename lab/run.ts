// What `npm run bench` and `npm run proof` share: finding parts, running them, printing and keeping their figures.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { styleText } from 'node:util'
import { VERSION } from '#platform/version.ts'
import { onServer, sweepDatabases } from '../test/support/database.ts'
import { formatFigure, type Kind, type Outcome, type Result, type Run } from './report/figures.ts'
import { partsOf, report } from './report/report.ts'

type Part = { title: string; run: (options: Run) => Promise<Outcome> }

const kind: Kind = process.argv[2] === 'bench' ? 'bench' : 'proof'
const options = process.argv.slice(3)

async function runParts(): Promise<void> {
  const names = partsOf(kind)
  const [wanted, ...others] = options.filter((word) => !word.startsWith('--'))
  if (wanted === undefined && !options.includes('--list')) return runAll(names)
  if (wanted === undefined || others.length > 0 || !names.includes(wanted)) {
    const width = Math.max(...names.map(({ length }) => length))
    const list = await Promise.all(names.map(async (name) => `  ${name.padEnd(width)}  ${(await load(name)).title}`))
    console[wanted ? 'error' : 'log'](`Usage: npm run ${kind} [-- <name>] [--quick]\n${list.join('\n')}`)
    process.exit(wanted ? 2 : 0)
  }
  await runOne(wanted)
}

const load = async (name: string) => (await import(`./${kind}/${name}.${kind}.ts`)) as Part

/** Each in a process of its own: what one leaves behind in memory is no concern of the next. */
function runAll(names: string[]): void {
  const failed = names.filter((name) => {
    const { status } = spawnSync(process.execPath, [import.meta.filename, kind, name, ...options], {
      stdio: 'inherit',
    })
    console.log()
    return status !== 0
  })
  console.log(failed.length === 0 ? styleText('green', 'all green') : styleText('red', `red: ${failed.join(', ')}`))
  if (failed.length > 0) process.exitCode = 1
}

async function runOne(name: string): Promise<void> {
  await sweepDatabases()
  const quick = options.includes('--quick')
  const part = await load(name)
  const date = new Date().toISOString()
  const versions = {
    kontor: VERSION,
    source: sourceOf(),
    node: process.versions.node,
    postgresql: await onServer(async (client) =>
      String((await client.query('show server_version')).rows[0].server_version),
    ),
  }
  const machine = {
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.arch()}`,
  }
  console.log(styleText('bold', `${name}: ${part.title}`))
  console.log(
    `${machine.cores} cores, ${machine.memoryGb} GB, Node ${versions.node}, PostgreSQL ${versions.postgresql}\n`,
  )
  const start = performance.now()
  const outcome = await part.run({ quick, note: (text) => console.log(styleText('dim', `  ${text}`)) })
  const seconds = Math.round((performance.now() - start) / 100) / 10

  const width = Math.max(...outcome.figures.map((figure) => figure.name.length))
  for (const { name: label, value, unit, goal, ok } of outcome.figures) {
    const line = `${label.padEnd(width)}  ${formatFigure(value).padStart(12)} ${unit}${goal ? `  (goal: ${goal})` : ''}`
    console.log(ok === undefined ? line : styleText(ok ? 'green' : 'red', line))
  }
  const missed = outcome.figures.filter(({ ok }) => ok === false).length
  console.log(`\n${seconds} s${missed > 0 ? styleText('red', `, ${missed} missed`) : ''}`)
  keep({ kind, name, title: part.title, date, quick, seconds, versions, machine, ...outcome })
  if (kind === 'proof' && missed > 0) process.exitCode = 1
}

/** What was measured, by its content: git's name for the folder `src`, which stays the same when commits are put in another order. */
function sourceOf(): string {
  const git = (...words: string[]) => spawnSync('git', words, { encoding: 'utf8' }).stdout.trim()
  const isChanged = git('status', '--porcelain', '--', 'src') !== ''
  return `${git('rev-parse', '--short=12', 'HEAD:src') || 'unknown'}${isChanged ? ' with changes' : ''}`
}

/** All of it under `.results`, which git ignores, and what people read in the report. */
function keep(result: Result): void {
  const text = `${JSON.stringify(result, null, 2)}\n`
  mkdirSync('.results', { recursive: true })
  writeFileSync(`.results/${result.kind}-${result.name}-${result.date.replaceAll(/[:.]/g, '-')}.json`, text)
  report(result)
}

await runParts()
