import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../support/child.ts'
import { type Answer, createClient } from '../support/client.ts'
import { poolSize } from '../support/database.ts'
import { createMake } from '../support/make.ts'
import { startProxy } from '../support/proxy.ts'
import { createTestDatabases, startApi } from '../support/start-api.ts'
import { until } from '../support/until.ts'
import { openPrivatePostgres } from './private-postgres.ts'

type Size = { callers: number; beforeMs: number; standbyMs: number; afterMs: number }
type Cell = 'main' | 'second'
type Phase = 'before' | 'switching' | 'standby' | 'returning' | 'after'
/** A call during which the phase changed belongs to none. */
type Call = { phase: Phase | 'changing'; cell: Cell; isWrite: boolean; answer: Answer }

/** Points the URL of a cell at its standby for a while, then at its primary again, while callers read and write in both cells. */
export async function failOver({ callers, beforeMs, standbyMs, afterMs }: Size) {
  const closing: (() => Promise<unknown>)[] = []
  try {
    const databases = await createTestDatabases()
    closing.push(() => databases.drop())
    const postgres = await openPrivatePostgres()
    closing.push(() => postgres.close())
    const { second } = await postgres.createDatabases()
    const standby = await postgres.startStandby()
    closing.push(() => standby.close())
    const line = await startProxy(second.url)
    closing.push(() => line.close())
    const cells = JSON.stringify({ second: { url: line.url } })
    const env = { DATABASE_POOL_SIZE: '8', ...poolSize, ...databases.env, CELLS: cells }
    const aside = await startApi({ databases: { ...databases, env } })
    closing.push(() => aside.close())
    const make = createMake(aside)
    const shops = { main: await make.shop({ cell: 'main' }), second: await make.shop({ cell: 'second' }) }
    const api = await startChild('api', env)
    closing.push(() => api.kill())
    const worker = await startChild('worker', env)
    closing.push(() => worker.kill())

    const ask = (cell: Cell, isWrite: boolean) => {
      const { admin, products } = shops[cell]
      const client = createClient(api.url, { authorization: `Bearer ${admin.token}` })
      return isWrite ? client.post(products, { name: 'Salt' }) : client.get(`${products}?limit=5`)
    }
    const secondsUntil = async (what: string, isSo: () => Promise<boolean>) => {
      const since = performance.now()
      await until(what, isSo, { withinMs: 30_000 })
      return (performance.now() - since) / 1_000
    }
    const secondsUntilTold = (state: string) =>
      secondsUntil(`/readyz says ${state}`, async () => {
        const { body } = await createClient(api.url).get('/readyz')
        return body.cells.second === state
      })

    const calls: Call[] = []
    let phase: Phase = 'before'
    let isOver = false
    const running = Promise.all(
      Array.from({ length: callers }, async (_, caller) => {
        for (let turn = caller; !isOver; turn++) {
          const [cell, isWrite, sent]: [Cell, boolean, Phase] = [
            turn % 4 < 2 ? 'main' : 'second',
            turn % 2 === 0,
            phase,
          ]
          const answer = await ask(cell, isWrite)
          calls.push({ phase: phase === sent ? sent : 'changing', cell, isWrite, answer })
          await sleep(20)
        }
      }),
    )
    try {
      await sleep(beforeMs)
      phase = 'switching'
      line.leadTo(standby.urlOf('second'))
      const readOnlySeconds = await secondsUntilTold('read-only')
      phase = 'standby'
      await sleep(standbyMs)
      phase = 'returning'
      line.leadTo(second.url)
      const writableSeconds = await secondsUntil(
        'a write succeeds',
        async () => (await ask('second', true)).status === 201,
      )
      phase = 'after'
      const upSeconds = await secondsUntilTold('up')
      await sleep(afterMs)
      const isWorkerAlive = worker.process.exitCode === null && worker.process.signalCode === null
      return { calls, readOnlySeconds, writableSeconds, upSeconds, isWorkerAlive }
    } finally {
      isOver = true
      await running
    }
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}
