import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type CellState, type Watch } from '../database/watch.ts'
import type { Presence } from '../processes.ts'
import * as operation from './health-operations.ts'
import { handle } from './operation.ts'
import * as refusal from './refusals.ts'

type HealthOptions = {
  watch: Pick<Watch, 'control' | 'cells'>
  presence: Pick<Presence, 'unknownCells'>
  providers: Record<string, boolean>
  /** While control is away: whether reads of other cells and replicas go on. */
  goesOn?: () => boolean
}

/** Reports the last known state: a health check never waits for a database. */
export const healthRoutes: FastifyPluginAsyncTypebox<HealthOptions> = async (
  app,
  { watch, presence, providers, goesOn },
) => {
  handle(app, operation.getHealth, () => ({ alive: true }) as const)

  handle(app, operation.getReadiness, () => {
    if (app.phase !== 'serving') throw refusal.shuttingDown()
    const { state, isStandby } = watch.control()
    if (state === 'behind') throw refusal.migrationsMissing()
    if (isStandby) throw refusal.databaseStandby()
    // Where reads go on, a balancer that took everybody out would end them.
    if ((state === 'down' || state === 'silent') && !goesOn?.()) throw refusal.databaseAway()
    return { ready: true as const, cells: statesOf(watch, presence), providers }
  })
}

/** By name, including cells that hold businesses but that this process does not know. */
export function statesOf(
  { cells }: Pick<Watch, 'cells'>,
  { unknownCells }: Pick<Presence, 'unknownCells'>,
): Record<string, CellState> {
  const states: Record<string, CellState> = Object.fromEntries([...cells].map(([name, { state }]) => [name, state]))
  for (const name of unknownCells()) states[name] = 'unknown'
  return states
}
