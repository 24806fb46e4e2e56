// What the parts of `npm run bench` and `npm run proof` tell, and the arithmetic that they share.

export type Kind = 'bench' | 'proof'
/** `ok` is left out of what has no goal. One that could not be measured has no value, and a note that says why. */
export type Figure = { name: string; value: number | null; unit: string; goal?: string; ok?: boolean; note?: string }
/** Drawn in the report: bars (one value a label) or lines (a series of points). */
export type Chart = { title: string; unit: string; goal?: number } & (
  | { bars: { label: string; value: number }[] }
  | { x: string; isLogarithmic?: boolean; lines: { label: string; points: [x: number, y: number][] }[] }
)
export type Table = { title: string; columns: string[]; rows: string[][] }
export type Outcome = { figures: Figure[]; charts?: Chart[]; tables?: Table[] }
export type Run = { quick: boolean; note: (text: string) => void }
/** All that the report is made of; kept beside it, so that it can be made again. */
export type Result = Outcome & {
  kind: Kind
  name: string
  title: string
  date: string
  quick: boolean
  seconds: number
  /** Without `source`: it was run before that was kept. */
  versions: Record<'kontor' | 'node' | 'postgresql', string> & { source?: string }
  machine: { cpu: string; cores: number; memoryGb: number; system: string }
}

/** Something of which there should be none. */
export const none = (name: string, value: number): Figure => ({ name, value, unit: '', goal: '0', ok: value === 0 })

export const formatFigure = (value: number | null) =>
  value === null
    ? 'not measured'
    : Number.isInteger(value) || Math.abs(value) >= 1_000
      ? Math.round(value).toLocaleString('en')
      : value.toPrecision(3)

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}

/** A bar for each name: what nineteen of twenty took at most. */
export const p95Bars = (title: string, times: ReadonlyMap<string, readonly number[]>): Chart => ({
  title,
  unit: 'ms',
  bars: [...times].map(([label, taken]) => ({ label, value: percentile(taken, 95) })),
})

/** How many of something a run takes: what `--name=` on the command line says, or as many as usual. */
export const sizeOf = (name: string, usual: number): number =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.split('=')[1] ?? usual)
