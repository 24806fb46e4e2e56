import { after, before } from 'node:test'
import pino from 'pino'
import { startWebhooks } from '#modules/webhooks/index.ts'
import { now } from '#platform/clock.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import { openDatabases } from '#platform/database/database.ts'
import { sequenceAllEvents } from '#platform/events/sequencer.ts'
import { startLoop } from '#platform/jobs/loop.ts'
import { measureWebhooks } from '#platform/observability/metrics.ts'
import { newId } from '#vocabulary/ids.ts'
import { webhookAddresses } from '../../src/apps/webhook-addresses.ts'
import { createMake, type Make } from './make.ts'
import { type StartOptions, startApi, type TestApi } from './start-api.ts'

/** The worker's part of webhooks in this process: events are numbered and delivered, as in earnest. */
export async function startTestWebhooks({ config, metrics }: Pick<TestApi, 'config' | 'metrics'>, lines?: string[]) {
  const log = pino({ level: lines ? 'debug' : 'silent' }, { write: (line: string) => void lines?.push(line) })
  const databases = openDatabases(config.databases, { max: 6 })
  const { rules } = webhookAddresses(config)
  const { control, cells } = databases
  const box = createSecretBox(config.secretKeys)
  const meter = measureWebhooks(metrics)
  const webhooks = await startWebhooks(cells, { control, box, rules, log, meter })
  const sequencers = [...cells].map(([name, cell]) => {
    const tell = webhooks.tell(cell)
    return startLoop(`sequencer of ${name}`, 50, (signal) => sequenceAllEvents(cell, [], signal, tell), log)
  })
  return {
    async stop() {
      await Promise.all([webhooks.stop(), ...sequencers.map((loop) => loop.stop())])
      await databases.close()
    },
  }
}

/** One API for all tests of a file, and a worker that delivers what happens in it. */
export function useWebhooks(options?: StartOptions): { api: TestApi; make: Make } {
  const used = {} as { api: TestApi; make: Make; worker: Awaited<ReturnType<typeof startTestWebhooks>> }
  before(async () => {
    used.api = await startApi({ ...options, env: { OUTGOING_LOOPBACK: 'on', ...options?.env } })
    used.make = createMake(used.api)
    used.worker = await startTestWebhooks(used.api)
  })
  after(async () => {
    await used.worker.stop()
    await used.api.close()
  })
  return used
}

/** So many events of a type happen in a business, each to a subject of its own. */
export async function happen(
  { services }: Pick<TestApi, 'services'>,
  businessId: string,
  count: number,
  type = 'order.commented',
): Promise<void> {
  const { control, cells } = services.databases
  const { cell } = await control
    .selectFrom('access.businesses')
    .select('cell')
    .where('id', '=', businessId)
    .executeTakeFirstOrThrow()
  const occurredAt = now()
  const rows = Array.from({ length: count }, (_, index) => ({
    businessId,
    id: newId('evt'),
    type,
    subject: `sub_${index + 1}`,
    actorId: null,
    actorKind: 'system',
    data: {},
    occurredAt,
  }))
  for (let at = 0; at < rows.length; at += 1_000) {
    await cells
      .get(cell)
      ?.insertInto('cell.eventOutbox')
      .values(rows.slice(at, at + 1_000))
      .execute()
  }
}
