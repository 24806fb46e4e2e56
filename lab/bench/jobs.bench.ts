import { sql } from 'kysely'
import pino from 'pino'
import { Type } from 'typebox'
import { loadConfig } from '#platform/config.ts'
import { openDatabases } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { startWorker } from '#platform/jobs/worker.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { openServices } from '#platform/services.ts'
import { cloneTemplate } from '../../test/support/database.ts'
import { median, type Run } from '../report/figures.ts'

export const title = 'What a job costs: to enqueue in a transaction, and to run'

const IN_FLIGHT = 8

export async function run({ quick, note }: Run) {
  const { url, drop } = await cloneTemplate('full')
  const databases = openDatabases({ control: { url, directUrl: url }, cells: {} }, { max: IN_FLIGHT })
  const services = openServices(loadConfig({ NODE_ENV: 'test', DATABASE_URL: url }))
  const cell = databases.cells.get('main')
  if (!cell) throw new Error('no cell')
  await sql`create table public.things (id bigint generated always as identity primary key)`.execute(cell)
  let ran = 0
  const job = defineJob({ name: 'bench.nothing', on: 'cell', payload: Type.Object({}), run: async () => void ran++ })

  const transactions = quick ? 400 : 2_000
  async function rate(work: () => Promise<unknown>): Promise<number> {
    const start = performance.now()
    let left = transactions
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, async () => {
        while (left-- > 0) await work()
      }),
    )
    return transactions / ((performance.now() - start) / 1000)
  }
  const insert = sql`insert into public.things default values`
  const without: number[] = []
  const withJob: number[] = []
  const drained: number[] = []
  for (let round = 0; round < (quick ? 2 : 5); round++) {
    without.push(await rate(() => transaction(cell, (tx) => insert.execute(tx))))
    withJob.push(
      await rate(() =>
        transaction(cell, async (tx) => {
          await insert.execute(tx)
          await enqueue(tx, job, {})
        }),
      ),
    )
    ran = 0
    const start = performance.now()
    const worker = startWorker({
      databases,
      jobs: [job],
      services,
      log: pino({ level: 'silent' }),
      metrics: createMetrics(),
      abandon: () => {},
    })
    while (ran < transactions) await new Promise((resolve) => setTimeout(resolve, 5))
    drained.push(transactions / ((performance.now() - start) / 1000))
    await worker.stop()
    note(`round ${round + 1}`)
  }
  await databases.close()
  await drop()
  return {
    figures: [
      { name: 'transactions with one row', value: Math.round(median(without)), unit: '/s' },
      { name: 'transactions with one row and one job', value: Math.round(median(withJob)), unit: '/s' },
      { name: 'with / without', value: median(withJob) / median(without), unit: '×' },
      { name: 'jobs run by one worker, its start included', value: Math.round(median(drained)), unit: '/s' },
    ],
    charts: [
      {
        title: 'What a job costs',
        unit: '/s',
        bars: [
          { label: 'transactions with one row', value: median(without) },
          { label: 'transactions with one row and one job', value: median(withJob) },
          { label: 'jobs run by one worker', value: median(drained) },
        ],
      },
    ],
  }
}
