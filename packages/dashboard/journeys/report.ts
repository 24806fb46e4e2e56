import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { median, percentile } from '../../../lab/report/figures.ts'
import { VERSION } from '../../../src/platform/version.ts'
import { onServer } from '../../../test/support/database.ts'
import type { Journey } from './journey.ts'
import type { Loads, Opened } from './loads.ts'
import type { Hands } from './person.ts'
import type { Lossy, Tried } from './try.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const FILE = path.join(ROOT, 'docs/dashboard/report.md')

export type Failed = { journey: Journey; hands: Hands; message: string }
export type Result = {
  began: Date
  isQuick: boolean
  seconds: number
  tried: Tried[]
  failed: Failed[]
  loads: Loads | undefined
  opened: Opened[]
}
/** `ok` is left out of what has no bar. */
export type Judged = { name: string; measured: string; bar?: string; ok?: boolean }

const QUICK = '**a quick run**'
const BARS = { inp: 100, cold: 3, warm: 0.8, paint: 1.2, shift: 0.02, inSequence: 2, inAll: 6 }

const two = (value: number) => value.toFixed(2)
const secondsOf = ({ handSeconds, waits }: Tried) => handSeconds + median(waits)
const nameOf = ({ journey, hands }: { journey: Journey; hands: Hands }) => `${journey.number}, ${hands}`
const most = (name: string, value: number, bar: number, unit = '', digits = 0): Judged => ({
  name,
  measured: `${value.toFixed(digits)}${unit}`,
  bar: `≤ ${bar}${unit}`,
  ok: value <= bar,
})

export function judge({ tried, failed, loads, opened }: Result): Judged[] {
  return [
    ...failed.map(
      (one): Judged => ({ name: nameOf(one), measured: `failed: ${one.message.split('\n')[0]}`, ok: false }),
    ),
    ...tried.flatMap((one): Judged[] => {
      const { seconds, actions } = one.journey.bars
      return [
        most(`${nameOf(one)}: seconds`, secondsOf(one), seconds, ' s', 1),
        actions === undefined
          ? { name: `${nameOf(one)}: actions`, measured: String(one.actions) }
          : most(`${nameOf(one)}: actions`, one.actions, actions),
        {
          name: `${nameOf(one)}: axe`,
          measured: [one.violations.length, ...new Set(one.violations)].join('\n    '),
          bar: '0',
          ok: one.violations.length === 0,
        },
        {
          name: `${nameOf(one)}: tasks over 50 ms while typing`,
          measured: one.tasksWhileTyping.map((ms) => `${Math.round(ms)} ms`).join(', ') || '0',
          bar: '0',
          ok: one.tasksWhileTyping.length === 0,
        },
        ...(one.lossy
          ? [{ name: `${nameOf(one)}: with losses`, measured: wordsOf(one.lossy), ok: one.lossy.problem === undefined }]
          : []),
      ]
    }),
    ...(tried.length > 0 ? [most('INP, p75 over all journeys', inpOfAll(tried), BARS.inp, ' ms')] : []),
    ...(loads ? judgeLoads(loads) : []),
    ...opened.flatMap(({ name, inSequence, inAll, what }) => [
      most(`requests of ${name}, in sequence`, inSequence, BARS.inSequence),
      {
        ...most(`requests of ${name}, in all`, inAll, BARS.inAll),
        ...(inAll > BARS.inAll && { name: `requests of ${name}, in all\n    ${what.join('\n    ')}\n   ` }),
      },
    ]),
  ]
}

const inpOfAll = (tried: readonly Tried[]) =>
  percentile(
    tried.map(({ inp }) => inp),
    75,
  )

const judgeLoads = ({ cold, warm, paint, shift }: Loads): Judged[] => [
  most('list can be used, cold', cold, BARS.cold, ' s', 2),
  most('list can be used, warm', warm, BARS.warm, ' s', 2),
  most('largest paint on a desk', paint, BARS.paint, ' s', 2),
  most('layout shift on a desk', shift, BARS.shift, '', 3),
]

const row = (...cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
const table = (heads: string[], rows: string[][]) =>
  [row(...heads), row(...heads.map(() => '---')), ...rows.map((cells) => row(...cells))].join('\n')
const light = (ok: boolean) => (ok ? '🟢' : '🔴')
const against = (value: string, bar: string | undefined, ok: boolean) =>
  `${light(ok)} ${value}${bar ? ` of ${bar}` : ''}`

/** A quick run is for looking: it does not take the place of a whole one. */
export async function writeReport(result: Result): Promise<void> {
  if (result.isQuick && existsSync(FILE) && !readFileSync(FILE, 'utf8').includes(QUICK)) return
  const { tried, failed, loads, opened } = result
  const judged = judge(result).filter(({ ok }) => ok !== undefined)
  const missed = judged.filter(({ ok }) => ok === false).length
  const parts = [
    '# The dashboard, measured',
    'Made by `npm run journeys`; nothing here is typed by hand. [What it does](../../packages/dashboard/README.md#journeys-and-pictures).',
    `${missed > 0 ? `🔴 ${missed} of ${judged.length} bars missed` : `🟢 ${judged.length} of ${judged.length} bars reached`}. ${await whereAndWhen(result)}`,
    '## Journeys',
    journeysOf(tried, failed),
    `- **actions**: clicks, key chords, and texts typed or pasted, as they were done; those in the print dialog are counted, too.
- **seconds**: what a person takes who has done it before. Hands and head by the keystroke-level model (1.35 s to think before each action that is not the rest of the one before, 0.2 s a key, 1.1 s to point, 0.4 s to change hands), and the waiting for the page on top, measured.
- **waiting**: the measured part of it: median, and how often it was measured.
- **requests**: calls of the API on the way.
- **axe**: violations of WCAG 2.2 AA over all steps, in both themes.
- **INP**: the longest time from a key or click to the next frame, on a machine slowed down fourfold.
- **long tasks**: those of more than 50 ms while somebody types, slowed down fourfold.
- **with losses**: runs in which 30 % of all answers were lost after the service had done what it was asked; the result was right and there once in each of them.

After each run the API is asked whether it really is so: one refund of the right amount, which the provider carried out; 20 shipments, each with its own number, and a page of A4 for each order; steps that add up to the total.`,
    '## Speed',
    figuresOf(tried, loads),
    '- **cold**: nothing in the browser but the session, four times slower, 1.6 Mbit/s, 150 ms. **warm**: the same with what the browser kept. Both until the list of orders has its rows.\n- **on a desk**: 10 Mbit/s, 40 ms, nothing kept.\n- **INP, p75**: of the journeys above, by mouse and by keyboard.',
    '## Requests of a page',
    table(
      ['opened from another page', 'in sequence', 'in all'],
      opened.map(({ name, inSequence, inAll }) => [
        name,
        against(String(inSequence), String(BARS.inSequence), inSequence <= BARS.inSequence),
        against(String(inAll), String(BARS.inAll), inAll <= BARS.inAll),
      ]),
    ),
    'The feed of events, which stays open, and pictures are not counted.',
  ]
  mkdirSync(path.dirname(FILE), { recursive: true })
  writeFileSync(FILE, `${parts.join('\n\n')}\n`)
}

function journeysOf(tried: readonly Tried[], failed: readonly Failed[]): string {
  const heads = [
    '',
    'journey',
    'by',
    'actions',
    'seconds',
    'waiting',
    'requests',
    'axe',
    'INP',
    'long tasks',
    'with losses',
  ]
  const rows = tried.map((one): [number, string[]] => {
    const { journey, hands, actions, waits, requests, violations, steps, inp, tasksWhileTyping, lossy } = one
    const { bars } = journey
    return [
      journey.number,
      [
        String(journey.number),
        journey.name,
        hands,
        bars.actions === undefined
          ? String(actions)
          : against(String(actions), String(bars.actions), actions <= bars.actions),
        against(secondsOf(one).toFixed(1), String(bars.seconds), secondsOf(one) <= bars.seconds),
        `${two(median(waits))} s of ${waits.length} runs`,
        String(requests),
        `${light(violations.length === 0)} ${violations.length} in ${steps} steps`,
        `${Math.round(inp)} ms`,
        `${light(tasksWhileTyping.length === 0)} ${tasksWhileTyping.length}`,
        lossy ? `${light(!lossy.problem)} ${wordsOf(lossy)}` : '',
      ],
    ]
  })
  const broken = failed.map(({ journey, hands, message }): [number, string[]] => [
    journey.number,
    [String(journey.number), journey.name, hands, `🔴 failed: ${message.split('\n')[0]}`, '', '', '', '', '', '', ''],
  ])
  const all = [...rows, ...broken].sort(([one], [other]) => one - other)
  return table(
    heads,
    all.map(([, cells]) => cells),
  )
}

const wordsOf = ({ runs, lost, actions, problem }: Lossy) =>
  problem ? `failed: ${problem}` : `once in each of ${runs} runs; ${lost} answers lost, ${actions} actions`

function figuresOf(tried: readonly Tried[], loads: Loads | undefined): string {
  const figures = [
    ...(loads ? judgeLoads(loads) : []),
    most('INP, p75 over all journeys', inpOfAll(tried), BARS.inp, ' ms'),
  ]
  const runs = loads ? `median of ${loads.runs}` : ''
  return table(
    ['', `measured, ${runs}`, 'bar', ''],
    figures.map(({ name, measured, bar = '', ok = false }) => [name, measured, bar, light(ok)]),
  )
}

async function whereAndWhen({ began, seconds, isQuick }: Result): Promise<string> {
  const postgresql = await onServer(async (client) =>
    String((await client.query('show server_version')).rows[0].server_version),
  )
  const git = (...words: string[]) => spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' }).stdout.trim()
  const isChanged = git('status', '--porcelain', '--', 'packages/dashboard/src') !== ''
  const source = `${git('rev-parse', '--short=12', 'HEAD:packages/dashboard/src') || 'unknown'}${isChanged ? ' with changes' : ''}`
  const where = `${os.availableParallelism()} cores (${os.cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(os.totalmem() / 2 ** 30)} GB, ${os.type()} ${os.arch()}`
  const [load = 0] = os.loadavg()
  const busy =
    load > os.availableParallelism()
      ? ` The machine was busy with other work, too (load ${load.toFixed(1)}): times are worse than they have to be.`
      : ''
  return `${began.toISOString().replace('T', ' ').slice(0, 16)} UTC, ${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s${isQuick ? `, ${QUICK}` : ''}. Kontor ${VERSION} (packages/dashboard/src ${source}), Node ${process.versions.node}, PostgreSQL ${postgresql}. ${where}.${busy}`
}
