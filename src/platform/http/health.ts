import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { unavailable } from '#vocabulary/errors.ts'
import { OneOf } from '#vocabulary/schemas.ts'
import { CELL_STATES, type CellState, type Watch } from '../database/watch.ts'
import type { Presence } from '../processes.ts'

type HealthOptions = {
  watch: Pick<Watch, 'control' | 'cells'>
  presence: Pick<Presence, 'unknownCells'>
  providers: Record<string, boolean>
}

const State = OneOf(CELL_STATES)

/** From what was last seen: asking costs nothing, and nobody waits for a database. */
export const healthRoutes: FastifyPluginAsyncTypebox<HealthOptions> = async (app, { watch, presence, providers }) => {
  app.get(
    '/healthz',
    {
      config: { access: 'public', business: 'none' },
      schema: {
        operationId: 'getHealth',
        tags: ['Health'],
        summary: 'Is the process alive?',
        response: { 200: Type.Object({ alive: Type.Literal(true) }) },
      },
    },
    () => ({ alive: true }) as const,
  )

  app.get(
    '/readyz',
    {
      config: { access: 'public', business: 'none' },
      schema: {
        operationId: 'getReadiness',
        tags: ['Health'],
        summary: 'Can it serve?',
        description:
          '503 while the control database is away, a standby or lacks a migration, or the process is stopping. ' +
          'A cell that is not well makes only its own businesses 503, so it does not count here. ' +
          'It is answered at once, from what was seen within the last second or two.',
        response: {
          200: Type.Object({
            ready: Type.Literal(true),
            cells: Type.Record(Type.String(), State, {
              description:
                '`down`: it refuses us; `silent`: it does not answer; `read-only`: it takes no writes; `behind`: it lacks ' +
                'migrations; `unknown`: businesses live there, but this process does not know where it is.',
              examples: [{ main: 'up' }],
            }),
            providers: Type.Record(Type.String(), Type.Boolean(), {
              description: 'Which outside services are configured.',
              examples: [{ mail: true, payments: false }],
            }),
          }),
        },
      },
    },
    () => {
      if (app.phase !== 'serving') throw unavailable('The service is shutting down.')
      const { state, isStandby } = watch.control()
      if (state === 'behind') throw unavailable('The database lacks migrations. Run: npm run db:migrate')
      if (isStandby) throw unavailable('The database is a standby, and takes no writes.')
      if (state === 'down' || state === 'silent') throw unavailable('The database is away. Try again shortly.')
      return { ready: true as const, cells: statesOf(watch, presence), providers }
    },
  )
}

/** By name, also of cells that businesses name and CELLS does not. */
export function statesOf(
  { cells }: Pick<Watch, 'cells'>,
  { unknownCells }: Pick<Presence, 'unknownCells'>,
): Record<string, CellState> {
  const states: Record<string, CellState> = Object.fromEntries([...cells].map(([name, { state }]) => [name, state]))
  for (const name of unknownCells()) states[name] = 'unknown'
  return states
}
