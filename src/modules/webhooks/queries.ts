import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import type { Endpoint, EndpointRow, PositionRow } from './endpoint.ts'
import { endpointNotFound } from './errors.ts'

/** With their positions, newest first. */
export async function readEndpoints(db: Db, businessId: string, ids?: readonly string[]): Promise<Endpoint[]> {
  const rows = (await db
    .selectFrom('webhooks.endpoints')
    .selectAll()
    .where('businessId', '=', businessId)
    .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
    .orderBy('id', 'desc')
    .execute()) as EndpointRow[]
  const positions = await db
    .selectFrom('webhooks.positions')
    .selectAll()
    .where('businessId', '=', businessId)
    .where('endpointId', 'in', ['', ...rows.map(({ id }) => id)])
    .execute()
  const byId = new Map<string, PositionRow>(positions.map((position) => [position.endpointId, position]))
  return rows.flatMap((row) => {
    const position = byId.get(row.id)
    return position ? [{ row, position }] : []
  })
}

/** The endpoints of these businesses that are enabled. */
export async function readTold(db: Db, businessIds: readonly string[]): Promise<EndpointRow[]> {
  const rows = await db
    .selectFrom('webhooks.endpoints')
    .selectAll()
    .where('businessId', '=', sql<string>`any(${[...businessIds]}::text[])`)
    .where('isEnabled', '=', true)
    .orderBy('id')
    .execute()
  return rows as EndpointRow[]
}

export const readPositions = (db: Db, businessIds: readonly string[]): Promise<PositionRow[]> =>
  db
    .selectFrom('webhooks.positions')
    .selectAll()
    .where('businessId', '=', sql<string>`any(${[...businessIds]}::text[])`)
    .execute()

export async function getEndpoint(db: Db, businessId: string, id: string): Promise<Endpoint> {
  const [endpoint] = await readEndpoints(db, businessId, [id])
  if (!endpoint) throw endpointNotFound()
  return endpoint
}

export async function lockEndpoint(tx: Tx, businessId: string, id: string): Promise<Endpoint> {
  await sql`select from webhooks.endpoints where business_id = ${businessId} and id = ${id} for update`.execute(tx)
  return getEndpoint(tx, businessId, id)
}

/** Whoever has the business reads its endpoints anew; if nobody has it, somebody looks at it soon. */
export const makeDue = (db: Db, businessId: string) =>
  sql`
    insert into webhooks.feeds as feed (business_id, due_at) values (${businessId}, ${now()})
    on conflict (business_id) do update
      set is_changed = true, quiet_until = null, due_at = case when feed.lease is null then excluded.due_at else feed.due_at end`.execute(
    db,
  )
