import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { until } from '../../support/until.ts'
import { freePort } from '../private-postgres.ts'

/** Where Debian has it, or PROMETHEUS says. */
const PROGRAM = process.env.PROMETHEUS ?? 'prometheus'

export type Fired = { labels: Record<string, string>; state: 'pending' | 'firing'; value: string }
export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>

type Options = { rules: string; targets: Record<string, string[]>; everySeconds: number }

/** A real Prometheus on loopback, with a folder of its own. */
export async function startPrometheus({ rules, targets, everySeconds }: Options) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kontor-prometheus-'))
  writeFileSync(path.join(folder, 'alerts.yaml'), rules)
  const jobs = Object.entries(targets).map(([job_name, all]) => ({ job_name, static_configs: [{ targets: all }] }))
  const every = `${everySeconds}s`
  const global = { scrape_interval: every, scrape_timeout: every, evaluation_interval: every }
  // JSON is YAML.
  writeFileSync(
    path.join(folder, 'prometheus.yaml'),
    JSON.stringify({ global, rule_files: ['alerts.yaml'], scrape_configs: jobs }),
  )
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child: ChildProcess = spawn(
    PROGRAM,
    [
      `--config.file=${path.join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const ended = once(child, 'exit')
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', (error) =>
      reject(new Error(`${PROGRAM} cannot be started (package prometheus?): ${error.message}`)),
    )
  })
  const isReady = async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.status === 200
  await Promise.race([failed, until('Prometheus is ready', isReady, { withinMs: 60_000, everyMs: 100 })])

  async function get<Data>(address: string): Promise<Data> {
    const answer = (await (await fetch(`${url}/api/v1/${address}`)).json()) as {
      status: string
      data: Data
      error?: string
    }
    if (answer.status !== 'success') throw new Error(`${address}: ${answer.error}`)
    return answer.data
  }
  return {
    url,
    alerts: async () => (await get<{ alerts: Fired[] }>('alerts')).alerts,
    /** The series that an expression has now. */
    query: async (expression: string) =>
      (
        await get<{ result: { metric: Record<string, string>; value: [number, string] }[] }>(
          `query?query=${encodeURIComponent(expression)}`,
        )
      ).result,
    async close() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
