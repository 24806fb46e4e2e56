import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { unavailable } from '#vocabulary/errors.ts'
import type { Databases, Db } from '../database/database.ts'
import { missingMigrations } from '../database/migrate.ts'

type HealthOptions = { databases: Databases; providers: Record<string, boolean> }

const State = Type.Union([Type.Literal('up'), Type.Literal('down')])

export const healthRoutes: FastifyPluginAsyncTypebox<HealthOptions> = async (app, { databases, providers }) => {
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
          '503 while the control database is away or lacks a migration, or the process is stopping. ' +
          'A cell that is down makes only its own businesses 503, so it does not count here.',
        response: {
          200: Type.Object({
            ready: Type.Literal(true),
            cells: Type.Record(Type.String(), State, { examples: [{ main: 'up' }] }),
            providers: Type.Record(Type.String(), Type.Boolean(), {
              description: 'Which outside services are configured.',
              examples: [{ mail: true, payments: false }],
            }),
          }),
        },
      },
    },
    async () => {
      if (app.phase !== 'serving') throw unavailable('The service is shutting down.')
      const missing = await missingMigrations(databases.control)
      if (missing.length > 0)
        throw unavailable(`The database lacks migrations (${missing.join(', ')}). Run: npm run db:migrate`)
      const states = await Promise.all(
        [...databases.cells].map(async ([name, cell]) => [name, await stateOf(cell)] as const),
      )
      return { ready: true as const, cells: Object.fromEntries(states), providers }
    },
  )
}

const stateOf = (cell: Db) =>
  sql`select 1`.execute(cell).then(
    () => 'up' as const,
    () => 'down' as const,
  )
