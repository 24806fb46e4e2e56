import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { METRICS } from '#apps/metrics.ts'
import { ALERTS } from '../../scripts/monitoring/alerts.ts'
import { expressionsOf, renderBoard } from '../../scripts/monitoring/board.ts'
import { metricOf, problemsOf } from '../../scripts/monitoring/check-expressions.ts'
import { CASES } from './alert-cases.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const FOLDER = path.join(ROOT, 'deploy/monitoring')
const RULES = path.join(FOLDER, 'alerts.yaml')
const board = renderBoard(METRICS)

/** Prometheus' own tool, of Debian's package prometheus. */
const hasPromtool = spawnSync('promtool', ['--version']).status === 0
const promtool = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync('promtool', words, { encoding: 'utf8', cwd: FOLDER })
  assert.equal(status, 0, `${stdout}\n${stderr}`)
}
const NOT_TRIED =
  'promtool is not installed here (package prometheus): the rules were not tried, only their names and labels'

test('alerts and board name only metrics, labels and words that are on the list', () => {
  for (const { name, expr } of ALERTS) assert.deepEqual([name, ...problemsOf(expr)], [name])
  for (const expr of expressionsOf(board)) assert.deepEqual([expr, ...problemsOf(expr)], [expr])
  assert.deepEqual(problemsOf('sum(kontor_nothing_total)'), ['there is no metric kontor_nothing_total'])
  assert.deepEqual(problemsOf('kontor_cell_up{route="/"}'), ['kontor_cell_up has no label route'])
  assert.deepEqual(problemsOf('kontor_queue_jobs{state="lost"}'), ['state of kontor_queue_jobs is never lost'])
  assert.deepEqual(problemsOf('kontor_job_seconds'), ['there is no metric kontor_job_seconds']) // a histogram has series of other names
})

test('the board shows every metric of the list', () => {
  const shown = expressionsOf(board).flatMap((expr) =>
    [...expr.matchAll(/kontor_\w+/g)].map(([series]) => metricOf(series)?.name),
  )
  const missing = METRICS.map(({ name }) => name).filter((name) => !shown.includes(name))
  assert.deepEqual(missing, [])
})

test('every alert has a page to read, and a case in which it fires', () => {
  const names = ALERTS.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  assert.deepEqual(Object.keys(CASES).sort(), [...names].sort())
  const page = readFileSync(path.join(ROOT, 'docs/alerts.md'), 'utf8')
  for (const name of names) assert.match(page, new RegExp(`^## ${name}$`, 'm'))
})

test('Prometheus takes the rules and the configuration', (t) => {
  if (!hasPromtool) return t.diagnostic(NOT_TRIED)
  promtool('check', 'rules', RULES)
  promtool('check', 'config', path.join(FOLDER, 'prometheus.yaml'))
})

test('each alert fires where it should, and not where it should not', (t) => {
  if (!hasPromtool) return t.diagnostic(NOT_TRIED)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kontor-rules-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const tests = ALERTS.flatMap(({ name, severity }) => {
    const { bad, good, at, labels = {} } = CASES[name] ?? assert.fail(name)
    const series = (from: Record<string, string>) =>
      Object.entries(from).map(([each, values]) => ({ series: each, values }))
    const expected = [{ exp_labels: { severity, ...labels } }]
    return [
      {
        name: `${name}, bad`,
        interval: '15s',
        input_series: series(bad),
        alert_rule_test: [{ eval_time: at, alertname: name, exp_alerts: expected }],
      },
      {
        name: `${name}, good`,
        interval: '15s',
        input_series: series(good),
        alert_rule_test: [{ eval_time: at, alertname: name, exp_alerts: [] }],
      },
    ]
  })
  // Summaries are for people, and change: promtool would compare them, so they are taken out.
  const bare = readFileSync(RULES, 'utf8').replaceAll(/^ {8}annotations:\n( {10}.*\n)+/gm, '')
  writeFileSync(path.join(folder, 'bare.yaml'), bare)
  writeFileSync(
    path.join(folder, 'cases.yaml'),
    JSON.stringify({ rule_files: ['bare.yaml'], evaluation_interval: '15s', tests }),
  )
  promtool('test', 'rules', path.join(folder, 'cases.yaml'))
})
