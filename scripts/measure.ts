// What `npm run bench -- <name>` and `npm run proof -- <name>` share: finding a part, running it, printing and keeping its figures.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { styleText } from 'node:util'
import { onServer, sweepDatabases } from '../test/support/database.ts'

export type Figure = { name: string; value: number; unit: string; goal?: string; ok?: boolean }
export type Run = { quick: boolean; note: (text: string) => void }
type Part = { title: string; run: (options: Run) => Promise<{ figures: Figure[] }> }

export async function runParts(kind: 'bench' | 'proof'): Promise<void> {
  const names = readdirSync(kind)
    .filter((file) => file.endsWith(`.${kind}.ts`))
    .map((file) => file.slice(0, -`.${kind}.ts`.length))
  const quick = process.argv.includes('--quick')
  const [wanted] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
  const load = async (name: string) => (await import(`../${kind}/${name}.${kind}.ts`)) as Part
  if (!wanted || !names.includes(wanted)) {
    const width = Math.max(...names.map(({ length }) => length))
    const list = await Promise.all(names.map(async (name) => `  ${name.padEnd(width)}  ${(await load(name)).title}`))
    console[wanted ? 'error' : 'log'](`Usage: npm run ${kind} -- <name> [--quick]\n${list.join('\n')}`)
    process.exit(wanted ? 2 : 0)
  }

  await sweepDatabases()
  const part = await load(wanted)
  const machine = {
    cores: os.availableParallelism(),
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    node: process.versions.node,
    postgresql: await onServer(async (client) =>
      String((await client.query('show server_version')).rows[0].server_version),
    ),
  }
  console.log(styleText('bold', part.title))
  console.log(
    `${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}, PostgreSQL ${machine.postgresql}\n`,
  )
  const start = performance.now()
  const { figures } = await part.run({ quick, note: (text) => console.log(styleText('dim', `  ${text}`)) })
  const seconds = Math.round((performance.now() - start) / 100) / 10

  const width = Math.max(...figures.map(({ name }) => name.length))
  for (const { name, value, unit, goal, ok } of figures) {
    const line = `${name.padEnd(width)}  ${format(value).padStart(10)} ${unit}${goal ? `  (goal: ${goal})` : ''}`
    console.log(ok === undefined ? line : styleText(ok ? 'green' : 'red', line))
  }
  const missed = figures.filter(({ ok }) => ok === false).length
  console.log(`\n${seconds} s${missed > 0 ? styleText('red', `, ${missed} missed`) : ''}`)

  mkdirSync('.results', { recursive: true })
  const date = new Date()
  const file = `.results/${kind}-${wanted}-${date.toISOString().replaceAll(/[:.]/g, '-')}.json`
  writeFileSync(
    file,
    `${JSON.stringify({ kind, name: wanted, title: part.title, date, quick, machine, seconds, figures }, null, 2)}\n`,
  )
  console.log(file)
  if (kind === 'proof' && missed > 0) process.exitCode = 1
}

const format = (value: number) => (Number.isInteger(value) ? value.toLocaleString('en') : value.toPrecision(3))

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}
