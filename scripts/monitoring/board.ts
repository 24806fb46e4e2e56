import { METRIC_AREAS, type MetricDefinition } from '../../src/platform/observability/define-metric.ts'

type Query = { expr: string; legend: string; instant?: boolean }
type Panel = {
  title: string
  description: string
  type: 'stat' | 'timeseries'
  unit: string
  queries: Query[]
  zeroIsGood?: boolean
}

const SOURCE = { type: 'prometheus', uid: '${datasource}' }
const WIDTH = 24
/** Of routes and jobs there are hundreds: the board shows the first. */
const SHOWN = 10

const UNITS: Record<MetricDefinition['unit'], { of: string; rate: string }> = {
  seconds: { of: 's', rate: 's' },
  requests: { of: 'short', rate: 'reqps' },
  jobs: { of: 'short', rate: 'ops' },
  connections: { of: 'short', rate: 'ops' },
  mails: { of: 'short', rate: 'ops' },
  events: { of: 'short', rate: 'ops' },
  streams: { of: 'short', rate: 'ops' },
  'yes or no': { of: 'bool_on_off', rate: 'short' },
  count: { of: 'short', rate: 'ops' },
}

/** What is looked at first, from across the room. */
const OVERVIEW: Panel[] = [
  stat('Requests a second', 'reqps', 'sum(rate(kontor_cell_request_seconds_count[$__rate_interval]))'),
  stat(
    'Answered with 5xx',
    'percentunit',
    '(sum(rate(kontor_cell_request_seconds_count{status="5xx"}[$__rate_interval])) or vector(0)) / sum(rate(kontor_cell_request_seconds_count[$__rate_interval]))',
    true,
  ),
  stat(
    'One of twenty takes longer than',
    's',
    'histogram_quantile(0.95, sum by (le) (rate(kontor_cell_request_seconds_bucket[$__rate_interval])))',
  ),
  stat('Cells that are not well', 'short', 'count(min by (cell) (kontor_cell_up) == 0) or vector(0)', true),
  stat('Workers', 'short', 'max(kontor_processes{kind="worker"})'),
  stat('Jobs that are dead', 'short', 'sum(max by (database) (kontor_queue_jobs{state="dead"}))', true),
  stat('Longest wait of a job', 's', 'max(kontor_queue_oldest_seconds)'),
  stat('Events are late by', 's', 'max(kontor_feed_lag_seconds)'),
]

const PROCESS: Panel[] = [
  lines('Cores in use', 'short', 'rate(process_cpu_seconds_total{job=~"kontor-.*"}[$__rate_interval])'),
  lines('Memory', 'bytes', 'process_resident_memory_bytes{job=~"kontor-.*"}'),
  lines('Heap in use', 'bytes', 'nodejs_heap_size_used_bytes{job=~"kontor-.*"}'),
  lines('Event loop is late by (p99)', 's', 'nodejs_eventloop_lag_p99_seconds{job=~"kontor-.*"}'),
]

function stat(title: string, unit: string, expr: string, zeroIsGood = false): Panel {
  return { title, description: '', type: 'stat', unit, queries: [{ expr, legend: '', instant: true }], zeroIsGood }
}

function lines(title: string, unit: string, expr: string): Panel {
  const queries = [{ expr, legend: '{{job}} {{instance}}' }]
  return { title, description: '', type: 'timeseries', unit, queries }
}

/** One panel for a metric, two for a histogram: how long, and how many. */
function panelsOf(metric: MetricDefinition): Panel[] {
  const { name, kind, unit, help, labels } = metric
  const by = [...(metric.boardBy ?? Object.keys(labels))]
  const legend = by.map((label) => `{{${label}}}`).join(' ')
  const isLong = by.some((label) => ['route', 'job'].includes(label))
  const first = (expr: string) => (isLong ? `topk(${SHOWN}, ${expr})` : expr)
  const sum = (series: string, ...more: string[]) => {
    const all = [...by, ...more]
    return `sum${all.length > 0 ? ` by (${all.join(', ')})` : ''} (rate(${series}[$__rate_interval]))`
  }
  const panel = (title: string, ofUnit: string, expr: string): Panel => ({
    title,
    description: metric.needs ? `${help} Only with ${metric.needs}.` : help,
    type: 'timeseries',
    unit: ofUnit,
    queries: [{ expr: first(expr), legend }],
  })
  if (kind === 'counter') return [panel(`${name}, a second`, UNITS[unit].rate, sum(name))]
  if (kind === 'histogram') {
    return [
      panel(`${name}, p95`, 's', `histogram_quantile(0.95, ${sum(`${name}_bucket`, 'le')})`),
      panel(`${name}, how many a second`, 'ops', sum(`${name}_count`)),
    ]
  }
  // Processes see the same thing, and the worst counts: where 1 is well, that is the least.
  const worst = unit === 'yes or no' && name.endsWith('_up') ? 'min' : isOwn(metric) ? 'sum' : 'max'
  return [panel(name, UNITS[unit].of, `${worst}${by.length > 0 ? ` by (${by.join(', ')})` : ''} (${name})`)]
}

/** Each process has its own share of it: connections, requests under way, streams, requests of businesses. */
const isOwn = ({ area, name }: MetricDefinition) =>
  area === 'Businesses' ||
  ['kontor_http_gate_requests', 'kontor_pool_connections', 'kontor_event_streams'].includes(name)

/** A board for Grafana, as it is imported or provisioned. */
export function renderBoard(metrics: readonly MetricDefinition[]): string {
  const rows = [
    { title: 'At a glance', panels: OVERVIEW },
    ...METRIC_AREAS.map((area) => ({
      title: area as string,
      panels: metrics.filter((metric) => metric.area === area).flatMap(panelsOf),
    })),
    { title: 'Processes', panels: PROCESS },
  ].filter(({ panels }) => panels.length > 0)
  let id = 0
  let y = 0
  const panels = rows.flatMap(({ title, panels: inRow }, index) => {
    const row = {
      id: ++id,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { h: 1, w: WIDTH, x: 0, y: y++ },
    }
    const [perLine, h] = index === 0 ? [8, 4] : [2, 8]
    const w = WIDTH / perLine
    const placed = inRow.map((panel, at) =>
      toGrafana(panel, ++id, { h, w, x: (at % perLine) * w, y: y + Math.floor(at / perLine) * h }),
    )
    y += Math.ceil(inRow.length / perLine) * h
    return [row, ...placed]
  })
  const board = {
    uid: 'kontor',
    title: 'Kontor',
    description: 'Made from the list of metrics by "npm run monitoring": change it there.',
    tags: ['kontor'],
    timezone: 'browser',
    editable: true,
    graphTooltip: 1,
    schemaVersion: 41,
    version: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [
        {
          name: 'datasource',
          label: 'Prometheus',
          type: 'datasource',
          query: 'prometheus',
          current: {},
          options: [],
          refresh: 1,
        },
      ],
    },
    annotations: { list: [] },
    links: [],
    panels,
  }
  return `${JSON.stringify(board, null, 2)}\n`
}

function toGrafana({ title, description, type, unit, queries, zeroIsGood }: Panel, id: number, gridPos: object) {
  const steps = [{ color: 'green', value: null }, ...(zeroIsGood ? [{ color: 'red', value: 0.000001 }] : [])]
  return {
    id,
    type,
    title,
    description,
    gridPos,
    datasource: SOURCE,
    fieldConfig: {
      defaults: { unit, min: 0, thresholds: { mode: 'absolute', steps } },
      overrides: [],
    },
    options:
      type === 'stat'
        ? {
            reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
            colorMode: 'value',
            graphMode: 'area',
          }
        : {
            legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
            tooltip: { mode: 'multi', sort: 'desc' },
          },
    targets: queries.map(({ expr, legend, instant }, at) => ({
      refId: String.fromCharCode(65 + at),
      datasource: SOURCE,
      expr,
      legendFormat: legend || '__auto',
      ...(instant ? { instant: true } : { range: true }),
    })),
  }
}

/** The expressions of a board, with a span in place of Grafana's own. */
export const expressionsOf = (board: string): string[] => {
  const { panels } = JSON.parse(board) as { panels: { targets?: { expr: string }[] }[] }
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')))
}
