import { setTimeout as sleep } from 'node:timers/promises'
import { findViolations } from '../../test/scenarios/buyers.ts'
import { LINE_FAULTS, type LineFault } from '../../test/scenarios/fault-line.ts'
import { judge, openProbes, type Probe, type Shot } from '../../test/scenarios/fault-probes.ts'
import { type FaultWorld, openFaultWorld, PARTS, type Part, type Reply } from '../../test/scenarios/fault-world.ts'
import type { Chart, Figure, Run, Table } from '../report/figures.ts'

export const title = 'Every line that can break, broken in every way: what callers are told, and how soon all is well'

const MAX_ANSWER_SECONDS = 10
const MAX_HEAL_SECONDS = 10
const MAX_THROUGH_SECONDS = 120
/** Nobody waited longer than this. */
const NO_ANSWER_SECONDS = 30
/** Long enough for the worker to run into it as well. */
const LINGER_MS = 2_000

type Shown = { probe: Probe; shot: Shot; reply: Reply | undefined; problem: string | undefined }
type Cell = {
  part: Part
  fault: LineFault
  shown: Shown[]
  problems: string[]
  healedSeconds: number
  throughSeconds: number
}

export async function run({ quick, note }: Run) {
  // `--quick --part=Stripe`: all faults, but of one line.
  const only = quick ? process.argv.find((word) => word.startsWith('--part='))?.split('=')[1] : undefined
  const faults: readonly LineFault[] = quick && !only ? ['half-open', 'reset'] : LINE_FAULTS
  const world = await openFaultWorld()
  const cells: Cell[] = []
  try {
    const probes = await openProbes(world)
    for (const part of PARTS.filter((each) => only === undefined || each === only)) {
      for (const fault of faults) {
        const cell = await tryCell(world, probes, part, fault)
        cells.push(cell)
        const seconds = `answers within ${longest(cell).toFixed(1)} s, well after ${cell.healedSeconds.toFixed(1)} s`
        note(`${part}, ${fault}: ${seconds}${cell.problems.map((problem) => `\n    ${problem}`).join('')}`)
      }
    }
    const violations = (await Promise.all([...world.cells.values()].map(findViolations))).flat()
    for (const violation of violations) note(violation)
    const isAlive = world.api.process.exitCode === null && world.api.process.signalCode === null
    return {
      figures: figuresOf(cells, violations.length, isAlive, world.workerEnds()),
      charts: [chartOf(cells)],
      tables: tablesOf(cells),
    }
  } finally {
    await world.close()
  }
}

const longest = ({ shown }: Cell) => Math.max(...shown.map(({ reply }) => reply?.seconds ?? NO_ANSWER_SECONDS))
const plain = (error: unknown) => (error instanceof Error ? error.message : String(error))

async function tryCell(world: FaultWorld, probes: readonly Probe[], part: Part, fault: LineFault): Promise<Cell> {
  const problems: string[] = []
  const shots: { probe: Probe; shot: Shot }[] = []
  for (const probe of probes) shots.push({ probe, shot: await probe.prepare() })

  await world.break(part, fault)
  const shown = await Promise.all(
    shots.map(async ({ probe, shot }): Promise<Shown> => {
      try {
        const reply = await shot.ask()
        return { probe, shot, reply, problem: judge(part, probe, reply) }
      } catch (error) {
        return { probe, shot, reply: undefined, problem: `no answer: ${plain(error)}` }
      }
    }),
  )
  await sleep(LINGER_MS)
  await world.mend(part)
  const mended = performance.now()
  const since = () => (performance.now() - mended) / 1000

  for (const { probe, problem, reply } of shown) {
    if (problem) problems.push(`${probe.name}: ${problem}`)
    else if (reply && reply.seconds > MAX_ANSWER_SECONDS) problems.push(`${probe.name}: ${reply.seconds.toFixed(1)} s`)
  }
  const healed = await Promise.all(shown.map((each) => heal(each, since, problems)))
  await Promise.all(shown.map((each) => repeat(each, since, problems)))
  const through = await Promise.all(shown.map((each) => awaitWorker(each, since, problems)))
  for (const { probe, shot, reply } of shown) {
    const missing = reply && probe.done(reply) ? await shot.missing?.(reply) : undefined
    if (missing) problems.push(`${probe.name}: acknowledged and lost: ${missing}`)
  }
  return { part, fault, shown, problems, healedSeconds: Math.max(...healed), throughSeconds: Math.max(...through) }
}

/** Asks anew, as callers do, until it goes well. */
async function heal({ probe }: Shown, since: () => number, problems: string[]): Promise<number> {
  for (;;) {
    const shot = await probe.prepare()
    const reply = await shot.ask().catch(() => undefined)
    if (reply && probe.done(reply)) return since()
    if (since() > 3 * MAX_HEAL_SECONDS) {
      problems.push(`${probe.name}: still ${reply?.status ?? 'no answer'} ${since().toFixed(0)} s after the end`)
      return since()
    }
    await sleep(100)
  }
}

/** Who has a key asks again with it, until it goes well: soon, and it is the same as before. */
async function repeat({ probe, shot, reply }: Shown, since: () => number, problems: string[]): Promise<void> {
  if (!shot.nameOf) return
  for (;;) {
    const again = await shot.ask().catch(() => undefined)
    if (again && probe.done(again)) {
      const told = reply && probe.done(reply) ? shot.nameOf(reply) : undefined
      const now = shot.nameOf(again)
      if (told !== undefined && told !== now)
        problems.push(`${probe.name}: acknowledged and lost: first ${told}, then ${now}`)
      return
    }
    if (since() > 3 * MAX_HEAL_SECONDS) {
      const said = `${again?.status ?? 'no answer'} ${again?.body?.details?.[0]?.error ?? ''}`
      return void problems.push(`${probe.name}: with the same key, later: ${said}`)
    }
    await sleep(100)
  }
}

/** Mails that were promised, and refunds: whatever happened to the worker meanwhile. */
async function awaitWorker({ probe, shot, reply }: Shown, since: () => number, problems: string[]): Promise<number> {
  if (!reply || !probe.done(reply) || !shot.isThrough) return 0
  while (!(await shot.isThrough(reply))) {
    if (since() > MAX_THROUGH_SECONDS) {
      problems.push(`${probe.name}: the worker has not done it ${MAX_THROUGH_SECONDS} s after the end`)
      return since()
    }
    await sleep(200)
  }
  return since()
}

function figuresOf(cells: Cell[], violations: number, isAlive: boolean, workerEnds: number): Figure[] {
  const problems = cells.flatMap((cell) => cell.problems)
  const unlike = problems.filter((problem) => problem.includes('with the same key')).length
  const lost = problems.filter((problem) => problem.includes('acknowledged and lost')).length
  const slowest = Math.max(...cells.map(longest))
  const healed = Math.max(...cells.map(({ healedSeconds }) => healedSeconds))
  const through = Math.max(...cells.map(({ throughSeconds }) => throughSeconds))
  const wrong = cells.flatMap(({ shown }) => shown).filter(({ problem }) => problem).length
  return [
    { name: 'lines × faults', value: cells.length, unit: '' },
    { name: 'requests during a fault', value: cells.flatMap(({ shown }) => shown).length, unit: '' },
    { name: 'answers other than decided', value: wrong, unit: '', goal: '0', ok: wrong === 0 },
    { name: 'acknowledged and lost', value: lost, unit: '', goal: '0', ok: lost === 0 },
    { name: 'asked again with their keys, in vain', value: unlike, unit: '', goal: '0', ok: unlike === 0 },
    { name: 'rules broken in the end', value: violations, unit: '', goal: '0', ok: violations === 0 },
    { name: 'slowest answer', value: slowest, unit: 's', goal: '≤ 10 s', ok: slowest <= MAX_ANSWER_SECONDS },
    {
      name: 'all routes well after, longest',
      value: healed,
      unit: 's',
      goal: '≤ 10 s',
      ok: healed <= MAX_HEAL_SECONDS,
    },
    {
      name: 'mails and refunds done after, longest',
      value: through,
      unit: 's',
      goal: '≤ 120 s',
      ok: through <= MAX_THROUGH_SECONDS,
    },
    { name: 'the API ended', value: isAlive ? 0 : 1, unit: '', goal: '0', ok: isAlive },
    { name: 'the worker ended itself and was started again', value: workerEnds, unit: '' },
  ]
}

const chartOf = (cells: Cell[]): Chart => ({
  title: 'All routes well after the end of a fault, the slowest of each line',
  unit: 's',
  goal: MAX_HEAL_SECONDS,
  bars: [...Map.groupBy(cells, ({ part }) => part)].map(([label, mine]) => ({
    label,
    value: Math.max(...mine.map(({ healedSeconds }) => healedSeconds)),
  })),
})

/** A table for each part: routes down, faults across. */
function tablesOf(cells: Cell[]): Table[] {
  return [...Map.groupBy(cells, ({ part }) => part)].map(([part, mine]) => ({
    title: `Faults of ${part}: answer and seconds`,
    columns: ['route', ...mine.map(({ fault }) => fault)],
    rows: [
      ...(mine[0]?.shown ?? []).map(({ probe }, row) => [probe.name, ...mine.map(({ shown }) => tell(shown[row]))]),
      ['all well after', ...mine.map(({ healedSeconds }) => `${healedSeconds.toFixed(1)} s`)],
    ],
  }))
}

function tell(shown: Shown | undefined): string {
  if (!shown?.reply) return 'no answer'
  const { status, body, headers, seconds } = shown.reply
  const refusal = body?.error ?? new URL(headers.get('location') ?? 'none:').searchParams.get('error') ?? ''
  return `${[status, refusal].join(' ').trim()}, ${seconds.toFixed(1)} s${shown.problem ? ' (wrong)' : ''}`
}
