import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { presentAttempt } from './ping.ts'
import type { DeliveryQuery, DeliveryStatus, Problem, WebhookDelivery } from './schemas.ts'

const MAX_ATTEMPTS = 25

/** Newest first. `topics`: only events of these; a receiver may answer with what it was told. Undefined: all. */
export async function listDeliveries(
  db: Db,
  { businessId, endpointId }: { businessId: string; endpointId: string },
  topics: readonly string[] | undefined,
  { limit = 20, cursor, status }: DeliveryQuery,
): Promise<Page<WebhookDelivery>> {
  const filters = { list: 'webhook-deliveries', businessId, endpointId, status }
  const before = (decodeCursor(filters, cursor, ['number'])?.[0] as number | undefined) ?? Number.MAX_SAFE_INTEGER
  const rows = await db
    .selectFrom('webhooks.deliveries')
    .selectAll()
    .where((delivery) => delivery.and({ businessId, endpointId }))
    .where('number', '<', before)
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? ''))
    .$if(topics !== undefined, (query) =>
      query.where(sql<boolean>`split_part(type, '.', 1) = any (${[...(topics ?? [])]}::text[])`),
    )
    .orderBy('number', 'desc')
    .limit(limit + 1)
    .execute()
  const attempts = await readAttempts(
    db,
    { businessId, endpointId },
    rows.slice(0, limit).map(({ number }) => number),
  )
  return toPage(
    rows,
    limit,
    filters,
    ({ number }) => [number],
    (row) => ({
      eventId: row.eventId,
      number: row.number,
      type: row.type,
      status: row.status as DeliveryStatus,
      nextAttemptAt: row.nextAt instanceof Date ? toSeconds(row.nextAt) : null, // others wait until there is room
      attempts: attempts.get(row.number) ?? [],
      createdAt: toSeconds(row.createdAt),
      updatedAt: toSeconds(row.updatedAt),
    }),
  )
}

async function readAttempts(
  db: Db,
  { businessId, endpointId }: { businessId: string; endpointId: string },
  numbers: readonly number[],
) {
  type Row = {
    number: number
    at: Date
    status: number | null
    problem: Problem | null
    milliseconds: number
    answer: string
  }
  const { rows } = await sql<Row>`
    select attempt.number, attempt.at, attempt.status, attempt.problem, attempt.milliseconds, attempt.answer
      from unnest(${[...numbers]}::bigint[]) as wanted (number)
     cross join lateral (
             select * from webhooks.attempts as each
              where each.business_id = ${businessId} and each.endpoint_id = ${endpointId} and each.number = wanted.number
              order by each.id desc
              limit ${MAX_ATTEMPTS}) as attempt
     order by attempt.number, attempt.id desc`.execute(db)
  const found = new Map<number, ReturnType<typeof presentAttempt>[]>()
  for (const { number, status, ...row } of rows) {
    const attempt = presentAttempt({ ...row, status: status ?? undefined })
    found.set(number, [...(found.get(number) ?? []), attempt])
  }
  return found
}
