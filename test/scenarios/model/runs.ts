import fc from 'fast-check'
import { useFaults } from '#platform/faults.ts'
import { compareWithProvider } from '../../../src/apps/verify.ts'
import { holdClock } from '../../support/clock.ts'
import { startWorld, type World } from '../../support/world.ts'
import { shopCommands } from './commands.ts'
import { createModel } from './model.ts'
import { openReal, type Real } from './real.ts'
import { settleAll } from './time.ts'

/** A failure is made smaller for this long. */
const SHRINK_MS = 120_000
const RUN_MS = 30_000
/** A provider and databases that are used for ever get slow, and verifying reads all of them. */
const RUNS_OF_A_TILL = 25

export type ModelOptions = {
  runs: number
  maxCommands: number
  seed: number
  isShrunk?: boolean
  note?: (text: string) => void
}
export type ModelResult = {
  runs: number
  commands: number
  orders: number
  /** How often each trouble was met. */
  met: Map<string, number>
  /** Orders of which the provider says something else. */
  disagreeing: number
  /** What went another way than the model's, with the shortest way there. */
  failure: string | undefined
}

/** Shops that are used at random, with troubles, beside a model of them: they must not differ, and every rule must hold. */
export async function runModel({ note = () => {}, runs, seed, ...options }: ModelOptions): Promise<ModelResult> {
  const result: ModelResult = { runs: 0, commands: 0, orders: 0, met: new Map(), disagreeing: 0, failure: undefined }
  // Each service a seed of its own, or all would do the same.
  for (let done = 0; done < runs && result.failure === undefined; done += RUNS_OF_A_TILL) {
    const service = await startWorld({ providers: ['stripe'] })
    try {
      result.failure = await runSome(service, result, {
        ...options,
        runs: Math.min(RUNS_OF_A_TILL, runs - done),
        seed: seed + done,
      })
      const main = service.api.services.databases.cells.get('main')
      if (main) result.disagreeing += (await compareWithProvider(main, service.context.payments)).violations.length
    } finally {
      await service.close()
    }
    note(`${result.runs} runs, ${result.commands} commands, ${result.orders} orders`)
  }
  return result
}

async function runSome(
  service: World<'stripe'>,
  result: ModelResult,
  { runs, maxCommands, seed, isShrunk = true }: ModelOptions,
) {
  const commands = fc.commands(shopCommands, { maxCommands, size: 'max' })
  const property = fc.asyncProperty(commands, async (some) => {
    const clock = holdClock()
    const model = createModel()
    let real: Real | undefined
    try {
      const opened = await openReal(service, clock, model)
      real = opened
      service.twin.mischief({ shuffle: true })
      service.twin.hold()
      await fc.asyncModelRun(() => ({ model, real: opened }), some)
      await settleAll(model, opened)
      await opened.compareAll(model)
      await opened.compareInTheEnd(model)
    } finally {
      useFaults(undefined)
      clock.release()
      service.twin.release()
      result.runs++
      result.commands += real?.done ?? 0
      result.orders += model.orders.length
      for (const [name, times] of real?.troubles.met ?? []) result.met.set(name, (result.met.get(name) ?? 0) + times)
    }
  })
  const details = await fc.check(property, {
    numRuns: runs,
    seed,
    endOnFailure: !isShrunk,
    interruptAfterTimeLimit: runs * RUN_MS + SHRINK_MS,
  })
  if (!details.failed) return undefined
  const { message = 'It took too long.' } = (details.errorInstance ?? {}) as Partial<Error>
  return `${await fc.asyncDefaultReportMessage(details)}\n${message}`
}
