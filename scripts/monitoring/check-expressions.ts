import { METRICS, RUNTIME_METRICS } from '../../src/apps/metrics.ts'

/** What Prometheus adds by itself. */
const ADDED = ['job', 'instance']
const OF_PROMETHEUS = new Set(['up'])

/** What is wrong with an expression of PromQL, as far as the list of metrics tells: names, labels, and their words. */
export function problemsOf(expression: string): string[] {
  return [...expression.matchAll(/\b((?:kontor|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)].flatMap(
    ([, name = '', matchers = '']) => problemsOfOne(name, matchers),
  )
}

/** The metric that a name of a series belongs to: a histogram has three. */
export function metricOf(series: string) {
  return METRICS.find(({ name, kind }) =>
    kind === 'histogram' ? ['_bucket', '_sum', '_count'].some((end) => `${name}${end}` === series) : name === series,
  )
}

function problemsOfOne(series: string, matchers: string): string[] {
  const metric = metricOf(series)
  if (!metric && !(series in RUNTIME_METRICS) && !OF_PROMETHEUS.has(series)) return [`there is no metric ${series}`]
  const labels: Readonly<Record<string, readonly string[] | string>> = metric?.labels ?? {}
  return [...matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].flatMap(([, label = '', sign = '', text = '']) => {
    if (ADDED.includes(label)) return []
    const words = labels[label]
    if (words === undefined) return [`${series} has no label ${label}`]
    if (typeof words === 'string') return []
    const named = sign.endsWith('~') ? text.split('|') : [text]
    return named.filter((word) => !words.includes(word)).map((word) => `${label} of ${series} is never ${word}`)
  })
}
