import type { Alert } from './alerts.ts'

const HEAD = `# Made from scripts/monitoring/alerts.ts by "npm run monitoring": change it there.
# What each means and what to do: docs/alerts.md. How to use them: docs/guides/monitoring.md.
`

/** JSON's strings are YAML's. */
const text = (value: string) => JSON.stringify(value)

const ruleOf = ({ name, severity, expr, forSeconds, summary }: Alert) => `      - alert: ${name}
        expr: ${text(expr)}
        for: ${forSeconds}s
        labels:
          severity: ${severity}
        annotations:
          summary: ${text(summary)}
          runbook: ${text(`docs/alerts.md#${name.toLowerCase()}`)}
`

/** The rules of Prometheus, in one group. */
export const renderRules = (alerts: readonly Alert[]): string => `${HEAD}groups:
  - name: kontor
    rules:
${alerts.map(ruleOf).join('')}`
