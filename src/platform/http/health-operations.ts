import { Type } from 'typebox'
import { OneOf } from '#vocabulary/schemas.ts'
import { CELL_STATES } from '../database/watch.ts'
import { operation } from './operation.ts'

const State = OneOf(CELL_STATES)

export const getHealth = operation({
  method: 'GET',
  url: '/healthz',
  config: { access: 'public', business: 'none' },
  schema: {
    operationId: 'getHealth',
    tags: ['Health'],
    summary: 'Check that the process is alive',
    response: {
      200: Type.Object({ alive: Type.Literal(true) }, { 'x-response-description': 'The process is alive.' }),
    },
  },
})

export const getReadiness = operation({
  method: 'GET',
  url: '/readyz',
  config: { access: 'public', business: 'none' },
  schema: {
    operationId: 'getReadiness',
    tags: ['Health'],
    summary: 'Check that the process can serve',
    description:
      'Returns 503 while the control database is unreachable, read-only or behind in migrations, or while the process is stopping. An unhealthy cell makes only its own businesses return 503, so it does not count here. The answer comes at once, from a check made within the last two seconds.',
    response: {
      200: Type.Object(
        {
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
        },
        { 'x-response-description': 'The process accepts requests.' },
      ),
    },
  },
})
