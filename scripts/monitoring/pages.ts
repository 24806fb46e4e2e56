import { METRIC_AREAS, type MetricDefinition } from '../../src/platform/observability/define-metric.ts'
import type { Alert } from './alerts.ts'

const code = (text: string) => `\`${text}\``
const cell = (text: string) => text.replaceAll('|', '\\|')

const PROCESSES = { api: 'API', worker: 'worker', both: 'both' }

function rowOf({ name, kind, unit, of, help, labels, needs }: MetricDefinition): string {
  const told = Object.entries<readonly string[] | string>(labels).map(
    ([label, words]) => `${code(label)}: ${typeof words === 'string' ? words : words.map(code).join(', ')}`,
  )
  const meaning = needs ? `${help} Only with ${code(needs)}.` : help
  return `| ${[code(name), kind, unit, PROCESSES[of], told.join('; ') || '–', meaning].map(cell).join(' | ')} |`
}

/** docs/metrics.md */
export const renderMetricsPage = (
  metrics: readonly MetricDefinition[],
  ofNode: Readonly<Record<string, string>>,
) => `# Metrics

This page is made from the source by \`npm run monitoring\`. How to use them: [Monitoring](guides/monitoring.md). What is worth being
woken for: [alerts](alerts.md).

API and worker each have them at \`/metrics\` of their metrics port, for Prometheus. How many series there are depends on routes, jobs
and cells, never on how many businesses there are.
${METRIC_AREAS.map((area) => {
  const rows = metrics.filter((metric) => metric.area === area).map(rowOf)
  if (rows.length === 0) return ''
  return `
## ${area}

| name | kind | unit | process | labels | meaning |
|---|---|---|---|---|---|
${rows.join('\n')}
`
}).join('')}
## Of Node itself

Both processes have the usual \`process_*\` and \`nodejs_*\`. The board and the alerts use these:

| name | meaning |
|---|---|
${Object.entries(ofNode)
  .map(([name, meaning]) => `| ${code(name)} | ${meaning} |`)
  .join('\n')}
`

const SEVERITIES = { page: 'Somebody should get up for it.', ticket: 'Somebody should look at it within the day.' }

const sectionOf = ({ name, severity, expr, forSeconds, meaning, steps }: Alert) => `
## ${name}

${meaning}

${SEVERITIES[severity]} It fires ${forSeconds > 0 ? `when this holds for ${spell(forSeconds)}` : 'as soon as this holds'}:

\`\`\`promql
${expr}
\`\`\`

${steps.map((step, at) => `${at + 1}. ${step}`).join('\n')}
`

const spell = (seconds: number) =>
  seconds % 60 === 0 ? `${seconds / 60} minute${seconds === 60 ? '' : 's'}` : `${seconds} seconds`

/** docs/alerts.md */
export const renderAlertsPage = (alerts: readonly Alert[]) => `# Alerts

This page is made from the source by \`npm run monitoring\`, like the rules themselves
([alerts.yaml](../deploy/monitoring/alerts.yaml)). How to load them: [Monitoring](guides/monitoring.md). Symptoms that nobody is alerted
of: [runbooks](runbooks.md).

| alert | for |
|---|---|
${alerts.map(({ name, severity }) => `| [${name}](#${name.toLowerCase()}) | ${severity} |`).join('\n')}

Begin with \`npm run cli -- doctor\`, whatever it is.
${alerts.map(sectionOf).join('')}`
