import type { FastifyBaseLogger } from 'fastify'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import { forEachCell } from '#platform/database/cell-map.ts'
import type { ControlDb, Db } from '#platform/database/database.ts'
import type { Tell } from '#platform/events/sequencer.ts'
import type { Rests } from '#platform/jobs/rest.ts'
import type { Rules } from '#platform/outgoing/check-address.ts'
import { startDelivering, type WebhookMeter } from './deliver.ts'
import { wakeFeeds } from './hold-feeds.ts'
import { openOperatorEndpoints } from './operator-endpoints.ts'
import { createPlaces } from './places.ts'

export type WebhookWorker = {
  control: ControlDb
  box: SecretBox
  rules: Rules
  log: FastifyBaseLogger
  meter: WebhookMeter
  rests?: Rests
}

export type Webhooks = {
  /** What the sequencer of a cell tells of new events. */
  tell(cell: Db): Tell
  stop(): Promise<void>
}

/** The worker's part: all cells share the places for requests. */
export async function startWebhooks(cells: ReadonlyMap<string, Db>, worker: WebhookWorker): Promise<Webhooks> {
  const { box, rules, log, meter, rests } = worker
  const places = createPlaces()
  const operator = await openOperatorEndpoints(worker)
  const delivering = new Map<Db, ReturnType<typeof startDelivering>>()
  const following = forEachCell(cells, (name, db) => {
    const started = startDelivering(name, { db, box, rules, places, operator, log, meter, rest: rests?.of(db) })
    delivering.set(db, started)
    return {
      async stop() {
        await started.stop()
        delivering.delete(db)
      },
    }
  })
  return {
    tell: (cell) => async (businessIds) => {
      try {
        await wakeFeeds(cell, businessIds, operator.list().length > 0)
        delivering.get(cell)?.lookSoon()
      } catch (error) {
        log.warn({ err: error }, 'new events could not be told to webhooks; they are looked for')
        delivering.get(cell)?.sweepSoon()
      }
    },
    async stop() {
      await following.stop()
      await operator.stop()
    },
  }
}
