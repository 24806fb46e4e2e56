import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** Of the table in docs/metrics.md and of the rows of the Grafana board, in this order. */
export const METRIC_AREAS = [
  'Requests',
  'Businesses',
  'Cells and databases',
  'Jobs and workers',
  'Events',
  'Mail',
  'Payments',
  'Books',
  'Services of others',
] as const

export type MetricUnit =
  | 'seconds'
  | 'requests'
  | 'jobs'
  | 'connections'
  | 'mails'
  | 'events'
  | 'streams'
  | 'yes or no'
  | 'count'

/**
 * All that is known of a metric, in one place: the process exports it by this, and the table in the docs, the board and the
 * alert rules are made from it. `src/apps/metrics.ts` lists them all.
 */
export type MetricDefinition<Label extends string = string> = {
  /** Ends in its unit, and in `_total` if it only grows. */
  name: `kontor_${string}`
  kind: 'counter' | 'gauge' | 'histogram'
  unit: MetricUnit
  area: (typeof METRIC_AREAS)[number]
  /** Which processes export it. */
  of: 'api' | 'worker' | 'both'
  /** One sentence for whoever reads `/metrics`. */
  help: string
  /**
   * Each label with its words, or with what its values are if they are not always the same. There must be a bound for those:
   * routes, jobs and cells are few, businesses and addresses are not.
   */
  labels: Readonly<Record<Label, readonly string[] | string>>
  /** Upper bounds of a histogram's buckets. */
  buckets?: readonly number[]
  /** The setting without which it is not there. */
  needs?: string
  /** The labels that the board tells apart; by default all of them. */
  boardBy?: readonly NoInfer<Label>[]
}

export const defineMetric = <Label extends string = never>(definition: MetricDefinition<Label>) => definition

type At = { registry: Registry }

const optionsOf = <Label extends string>({ registry }: At, { name, help, labels }: MetricDefinition<Label>) => ({
  name,
  help,
  labelNames: Object.keys(labels) as Label[],
  registers: [registry],
})

/** A counter whose words are all known begins at 0 for each: what has no first value has no increase either. */
export function openCounter<Label extends string>(at: At, definition: MetricDefinition<Label>): Counter<Label> {
  const counter = new Counter<Label>(optionsOf(at, definition))
  for (const labels of combinationsOf(definition.labels)) counter.inc(labels, 0)
  return counter
}

export const openGauge = <Label extends string>(
  at: At,
  definition: MetricDefinition<Label>,
  collect?: (this: Gauge<Label>) => void | Promise<void>,
): Gauge<Label> => new Gauge<Label>({ ...optionsOf(at, definition), ...(collect && { collect }) })

export const openHistogram = <Label extends string>(at: At, definition: MetricDefinition<Label>): Histogram<Label> =>
  new Histogram<Label>({ ...optionsOf(at, definition), buckets: [...(definition.buckets ?? [])] })

function combinationsOf<Label extends string>(labels: MetricDefinition<Label>['labels']): Record<Label, string>[] {
  let found: Record<string, string>[] = [{}]
  for (const [label, words] of Object.entries<readonly string[] | string>(labels)) {
    if (typeof words === 'string') return []
    found = found.flatMap((each) => words.map((word) => ({ ...each, [label]: word })))
  }
  return Object.keys(labels).length === 0 ? [] : found
}
