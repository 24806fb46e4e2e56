// Writes what a run has found into docs/<kind>/report.md: its row, its section and its charts. Nothing there is typed by hand.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { drawChart } from './chart.ts'
import { type Figure, formatFigure, type Kind, type Result, type Table } from './figures.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const TITLES: Record<Kind, string> = { proof: 'Proof: what was tried, and what came of it', bench: 'Speed, measured' }

/** The parts that there are, by name. */
export const partsOf = (kind: Kind): string[] =>
  readdirSync(path.join(ROOT, 'lab', kind))
    .filter((file) => file.endsWith(`.${kind}.ts`))
    .map((file) => file.slice(0, -`.${kind}.ts`.length))
    .sort()

/** Puts a run in the place of the one before. A quick run is for looking: it does not take the place of a whole one. */
export function report(result: Result): void {
  const folder = path.join(ROOT, 'docs', result.kind)
  const file = `${folder}/report.md`
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const known = before.match(new RegExp(`^\\| \\[${result.name}\\].*$`, 'm'))?.[0]
  if (result.quick && known && !known.includes(', quick')) return
  removeCharts(folder, result.name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, put(before, result, describe(folder, result)))
}

/** The report with another section for this part. Sections of parts that are gone are left out. */
export function put(before: string, result: Result, section: string, parts = partsOf(result.kind)): string {
  const [heading = '', ...sections] = before.split(/^(?=## )/m)
  const rows = new Map([...heading.matchAll(/^\| \[([\w-]+)\].*$/gm)].map(([row, name = '']) => [name, row]))
  const texts = new Map(sections.map((text) => [text.slice('## '.length, text.indexOf('\n')), text.trimEnd()]))
  rows.set(result.name, rowOf(result))
  texts.set(result.name, section.trimEnd())
  // What was never run here is not green.
  const table = parts.map((name) => rows.get(name) ?? line([name, '–', 'not run yet', '']))
  return `${[
    `# ${TITLES[result.kind]}`,
    `Made by \`npm run ${result.kind}\`. See [README](README.md) for what each part does and how to repeat it.`,
    [line(['part', 'goals reached', 'run', 'took']), line(['---', '---', '---', '---']), ...table].join('\n'),
    ...parts.flatMap((name) => texts.get(name) ?? []),
  ].join('\n\n')}\n`
}

function rowOf({ name, figures, date, quick, seconds }: Result): string {
  const [green, red] = [count(figures, true), count(figures, false)]
  const verdict = red > 0 ? `🔴 ${red} of ${green + red} missed` : green > 0 ? `🟢 ${green} of ${green}` : '–'
  return line([`[${name}](#${name})`, verdict, `${date.slice(0, 10)}${quick ? ', quick' : ''}`, duration(seconds)])
}

function removeCharts(folder: string, name: string): void {
  if (!existsSync(`${folder}/charts`)) return
  const isOwn = new RegExp(`^${name}(-\\d+)?\\.svg$`)
  for (const file of readdirSync(`${folder}/charts`)) if (isOwn.test(file)) rmSync(`${folder}/charts/${file}`)
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
    table({ columns: ['figure', 'measured', 'goal', ''], rows }),
    '',
    ...tables.flatMap((each) => [`**${each.title}**`, '', table(each), '']),
  ].join('\n')
}

const count = (figures: Figure[], ok: boolean) => figures.filter((figure) => figure.ok === ok).length

const duration = (seconds: number) =>
  seconds < 90 ? `${Math.round(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`

const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

const table = ({ columns, rows }: Omit<Table, 'title'>): string =>
  [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')
