import { useLingui } from '@lingui/react/macro'
import { CircleCheck, CircleHelp, CirclePause, type LucideIcon, TriangleAlert, Unplug } from 'lucide-react'
import { Icon } from '../ui/icon.tsx'
import type { Fill, Tone } from '../ui/status.tsx'
import type { Business, Cell, Overview, Placement, Send } from './types.ts'

export type CellState = Cell['state']

export const isAway = (state: CellState) => state === 'down' || state === 'silent'

/** One that is switched off is meant to be silent. */
export const needsSomebody = ({ isAnswering, placement }: Cell) => !isAnswering && placement !== 'OFF'

/** Neither a process that says so, nor one that a database knows of. */
export const hasNoWorker = ({ totals, cells }: Overview) =>
  totals.workers === 0 && cells.every(({ workers }) => !workers)

type Look = 'good' | 'bad' | 'away' | 'unknown' | 'off'
const LOOKS: Record<Look, LucideIcon> = {
  good: CircleCheck,
  bad: TriangleAlert,
  away: Unplug,
  unknown: CircleHelp,
  off: CirclePause,
}

/** A drawing, and what it says to whoever does not see it or points at it. Each has a shape of its own. */
export const Tick = ({ look, words }: { look: Look; words: string }) => (
  <span className={`op-tick ${look}`} title={words}>
    <Icon of={LOOKS[look]} />
    <span className="unseen">{words}</span>
  </span>
)

type Shown = Pick<Business, 'state' | 'cell' | 'cellState' | 'deadJobs' | 'stoppedSends' | 'measuredAt' | 'lastCheck'>

/** What there is to say of a business, worst first. */
export function useHealth() {
  const { t } = useLingui()
  const cell = useCellWords()
  return ({ state, cell: home, cellState, deadJobs, stoppedSends, measuredAt, lastCheck }: Shown) => {
    const isCellAway = isAway(cellState)
    const isKnown = measuredAt !== null
    const broken = lastCheck?.broken ?? 0
    const troubles = [
      isCellAway && t`Its cell ${home} does not answer`,
      deadJobs > 0 && (deadJobs === 1 ? t`1 dead job` : t`${deadJobs} dead jobs`),
      stoppedSends > 0 && (stoppedSends === 1 ? t`1 letter stopped` : t`${stoppedSends} letters stopped`),
      broken > 0 && t`its books do not balance`,
    ].filter((one) => one !== false)
    const jobs = !isKnown ? t`Jobs: not looked at yet` : deadJobs > 0 ? t`Jobs: ${deadJobs} dead` : t`Jobs: good`
    const letters = !isKnown
      ? t`Letters: not looked at yet`
      : stoppedSends > 0
        ? t`Letters: ${stoppedSends} stopped`
        : t`Letters: good`
    const look = (isBad: boolean): Look => (!isKnown ? 'unknown' : isBad ? 'bad' : 'good')
    const isClosed = state !== 'ACTIVE'
    const closed = { ACTIVE: '', SUSPENDED: t`Suspended`, IMPORTING: t`Being imported`, DELETING: t`To be deleted` }[
      state
    ]
    const word = isCellAway ? t`Away` : troubles.length > 0 ? t`Look` : isClosed ? closed : isKnown ? t`Good` : t`New`
    const overall: Look = isCellAway
      ? 'away'
      : troubles.length > 0
        ? 'bad'
        : isClosed
          ? 'off'
          : isKnown
            ? 'good'
            : 'unknown'
    return {
      overall: { look: overall, word },
      line: [isClosed && closed, ...troubles].filter((one) => one !== false).join(', ') || undefined,
      isKnown,
      cell: { look: (cellState === 'up' ? 'good' : isCellAway ? 'away' : 'bad') as Look, words: cell(cellState) },
      jobs: { look: look(deadJobs > 0), words: jobs },
      letters: { look: look(stoppedSends > 0), words: letters },
      books: lastCheck && {
        look: (broken > 0 ? 'bad' : 'good') as Look,
        words: broken > 0 ? t`Books: ${broken} rules do not hold` : t`Books: they balance`,
      },
    }
  }
}

/** How a database is, after the name of its cell. */
export function useCellWords() {
  const { t } = useLingui()
  return (state: CellState): string =>
    ({
      up: t`Up`,
      down: t`Down: it takes no connection`,
      silent: t`Silent: it takes connections and answers nothing`,
      'read-only': t`Read only: nothing can be changed in it`,
      behind: t`Behind: it lacks migrations`,
      unknown: t`Not looked at yet`,
    })[state]
}

/** What a cell takes. */
export function usePlacementWords() {
  const { t } = useLingui()
  return (placement: Placement): string =>
    ({ OPEN: t`Open`, CLOSED: t`Closed`, DRAINING: t`Draining`, OFF: t`Off` })[placement]
}

/** The state of a letter; one that is over is only here because it did not reach everybody. */
export function useSendWords() {
  const { t } = useLingui()
  return ({ status, problem }: Send): { word: string; fill: Fill; tone: Tone } => {
    if (status === 'RUNNING') return { word: t`Running`, fill: 'half', tone: 'act' }
    if (status === 'SCHEDULED') return { word: t`Planned`, fill: 'ring', tone: 'soft' }
    if (status === 'DONE') return { word: t`Not to everybody`, fill: 'full', tone: 'wait' }
    return problem === null
      ? { word: t`Paused`, fill: 'off', tone: 'wait' }
      : { word: t`Stopped`, fill: 'off', tone: 'alert' }
  }
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** `52 MB`. */
export function bytesIn(locale: string, bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  }).format(bytes / 1_000 ** step)
}

const SPANS = [
  { unit: 'day', size: 86_400 },
  { unit: 'hour', size: 3_600 },
  { unit: 'minute', size: 60 },
] as const

/** `3 min`, of a time that something has waited. */
export function spanIn(locale: string, seconds: number): string {
  const { unit, size } = SPANS.find((span) => seconds >= span.size) ?? { unit: 'second', size: 1 }
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' })
  return format.format(Math.floor(seconds / size))
}
