// Makes docs/<kind>/report.md and its charts from the runs kept in docs/<kind>/data. Nothing in it is typed by hand.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { drawChart } from './chart.ts'
import { type Figure, formatFigure, type Kind, type Result, type Table } from './figures.ts'

export function writeReport(kind: Kind): void {
  const folder = `docs/${kind}`
  if (!existsSync(`${folder}/data`)) return
  const results = readdirSync(`${folder}/data`)
    .sort()
    .map((file) => JSON.parse(readFileSync(`${folder}/data/${file}`, 'utf8')) as Result)
  rmSync(`${folder}/charts`, { recursive: true, force: true })
  const parts = results.map((result) => describe(folder, result))
  writeFileSync(`${folder}/report.md`, [heading(kind, results), ...parts].join('\n'))
}

const TITLES: Record<Kind, string> = { proof: 'Proof: what was tried, and what came of it', bench: 'Speed, measured' }

function heading(kind: Kind, results: Result[]): string {
  const rows = results.map(({ name, figures, date, quick, seconds }) => {
    const [green, red] = [count(figures, true), count(figures, false)]
    const verdict = red > 0 ? `🔴 ${red} of ${green + red} missed` : green > 0 ? `🟢 ${green} of ${green}` : '–'
    return [`[${name}](#${name})`, verdict, `${date.slice(0, 10)}${quick ? ', quick' : ''}`, duration(seconds)]
  })
  // What was never run here is not green.
  const missing = readdirSync(kind)
    .filter((file) => file.endsWith(`.${kind}.ts`))
    .map((file) => file.slice(0, -`.${kind}.ts`.length))
    .filter((part) => results.every(({ name }) => name !== part))
    .sort()
  rows.push(...missing.map((name) => [name, '–', 'not run yet', '']))
  return [
    `# ${TITLES[kind]}`,
    '',
    `Made by \`npm run ${kind}\` from the files in [data](data). See [README](README.md) for what each part does and how to repeat it.`,
    '',
    table({ title: '', columns: ['part', 'goals reached', 'run', 'took'], rows }),
    '',
  ].join('\n')
}

function describe(folder: string, result: Result): string {
  const { name, title, figures, charts = [], tables = [], date, quick, seconds, versions, machine } = result
  const where = `${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, ${machine.system}`
  const source = versions.source ? ` (src ${versions.source})` : ''
  const what = `Kontor ${versions.kontor}${source}, Node ${versions.node}, PostgreSQL ${versions.postgresql}`
  const pictures = charts.map((chart, index) => {
    const file = `charts/${name}${index > 0 ? `-${index + 1}` : ''}.svg`
    mkdirSync(`${folder}/charts`, { recursive: true })
    writeFileSync(`${folder}/${file}`, drawChart(chart))
    return `![${chart.title}](${file})\n`
  })
  const rows = figures.map(({ name: label, value, unit, goal, ok, note }) => [
    note ? `${label} (${note})` : label,
    `${formatFigure(value)}${unit && value !== null ? ` ${unit}` : ''}`,
    goal ?? '',
    ok === undefined ? '' : ok ? '🟢' : '🔴',
  ])
  return [
    `## ${name}`,
    '',
    /[.?!]$/.test(title) ? title : `${title}.`,
    '',
    `${date.replace('T', ' ').slice(0, 16)} UTC, ${duration(seconds)}${quick ? ', **a quick run**' : ''}. ${what}. ${where}.`,
    '',
    ...pictures,
    table({ title: '', columns: ['figure', 'measured', 'goal', ''], rows }),
    '',
    ...tables.flatMap((each) => [`**${each.title}**`, '', table(each), '']),
  ].join('\n')
}

const count = (figures: Figure[], ok: boolean) => figures.filter((figure) => figure.ok === ok).length

const duration = (seconds: number) =>
  seconds < 90 ? `${Math.round(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`

function table({ columns, rows }: Table): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')
}

if (import.meta.main) for (const kind of ['bench', 'proof'] as const) writeReport(kind)
