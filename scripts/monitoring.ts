// Writes what operators watch Kontor with, from the lists of metrics and alerts: docs/metrics.md, docs/alerts.md, and rules and
// board below deploy/monitoring. `--check` only reports whether they are up to date.
import { METRICS, RUNTIME_METRICS } from '../src/apps/metrics.ts'
import { generate } from './generated.ts'
import { ALERTS } from './monitoring/alerts.ts'
import { expressionsOf, renderBoard } from './monitoring/board.ts'
import { problemsOf } from './monitoring/check-expressions.ts'
import { renderAlertsPage, renderMetricsPage } from './monitoring/pages.ts'
import { renderRules } from './monitoring/rules.ts'

const COMMAND = 'npm run monitoring'

const board = renderBoard(METRICS)
const problems = [...ALERTS.map(({ expr }) => expr), ...expressionsOf(board)].flatMap(problemsOf)

if (problems.length > 0) {
  console.error([...new Set(problems)].join('\n'))
  process.exitCode = 1
} else {
  generate('docs/metrics.md', renderMetricsPage(METRICS, RUNTIME_METRICS), COMMAND)
  generate('docs/alerts.md', renderAlertsPage(ALERTS), COMMAND)
  generate('deploy/monitoring/alerts.yaml', renderRules(ALERTS), COMMAND)
  generate('deploy/monitoring/board.json', board, COMMAND)
}
