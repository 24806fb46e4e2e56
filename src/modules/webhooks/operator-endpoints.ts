import type { FastifyBaseLogger } from 'fastify'
import type { Selectable } from 'kysely'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { WebhooksOperatorEndpoints } from '#platform/database/control-tables.ts'
import type { ControlDb, Db } from '#platform/database/database.ts'
import { readNumberAt } from '#platform/events/feed.ts'
import { startLoop } from '#platform/jobs/loop.ts'
import type { Rules } from '#platform/outgoing/check-address.ts'
import { type Line, openLine } from '#platform/outgoing/line.ts'
import type { PositionRow } from './endpoint.ts'
import type { Health, Receiver } from './endpoint-run.ts'
import { createMatcher } from './event-types.ts'
import { openSecrets } from './send.ts'

const READ_MS = 5_000
/** Requests at once, of one worker: of one business, and of all. */
const MOST_OF_BUSINESS = 4
const MOST = 50

export type OperatorRow = Selectable<WebhooksOperatorEndpoints>

/** The endpoints of the operator, which are told what happens in every business. */
export type OperatorEndpoints = {
  list(): readonly OperatorRow[]
  /** The same connections and the same health for all businesses. */
  open(businessId: string, row: OperatorRow): Receiver
  /** Its position in a business that it has not heard of: where the feed was when the endpoint was made. */
  begin(db: Db, businessId: string, id: string): Promise<PositionRow | undefined>
  stop(): Promise<void>
}

type Options = { control: ControlDb; box: SecretBox; rules: Rules; log: FastifyBaseLogger }

export async function openOperatorEndpoints({ control, box, rules, log }: Options): Promise<OperatorEndpoints> {
  const read = () => control.selectFrom('webhooks.operatorEndpoints').selectAll().orderBy('id').execute()
  let rows = await read()
  const shared = new Map<string, { line: Line; health: Health }>()
  const loop = startLoop(
    'endpoints of the operator',
    READ_MS,
    async () => {
      rows = await read()
    },
    log,
  )
  return {
    list: () => rows,
    open(businessId, row) {
      const known = shared.get(row.id) ?? {
        line: openLine(row.url, rules),
        health: { failures: 0, failingSince: null, pausedUntil: null, inFlight: 0, isSlow: false, bestMs: Infinity },
      }
      shared.set(row.id, known)
      return {
        businessId,
        endpointId: row.id,
        url: row.url,
        ...known,
        secrets: () => openSecrets(box, { ...row, oldSecret: null, oldSecretUntil: null }),
        matches: createMatcher(row.types),
        most: { run: MOST_OF_BUSINESS, health: MOST },
        isOperator: true,
      }
    },
    async begin(db, businessId, id) {
      const row = rows.find((each) => each.id === id)
      if (!row) return undefined
      const number = await readNumberAt(db, businessId, row.createdAt)
      return db
        .insertInto('webhooks.positions')
        .values({ businessId, endpointId: id, number })
        .onConflict((conflict) => conflict.columns(['businessId', 'endpointId']).doUpdateSet({ endpointId: id }))
        .returningAll()
        .executeTakeFirst()
    },
    async stop() {
      await loop.stop()
      for (const { line } of shared.values()) line.close()
    },
  }
}

/** Nobody's: for tests and cells without any. */
export const NO_OPERATOR: OperatorEndpoints = {
  list: () => [],
  open: () => {
    throw new Error('Webhook endpoint not found')
  },
  begin: async () => undefined,
  stop: async () => undefined,
}
