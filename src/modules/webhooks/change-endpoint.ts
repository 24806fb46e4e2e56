import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { Tx } from '#platform/database/database.ts'
import { readLastNumber } from '#platform/events/feed.ts'
import { record } from '#platform/events/record.ts'
import type { Expected } from '#platform/http/etag.ts'
import { newSigningSecret } from '#platform/outgoing/signing.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { checkVersion, type Endpoint, type EndpointRow } from './endpoint.ts'
import { tooManyEndpoints } from './errors.ts'
import * as event from './events.ts'
import { HOUR_MS, MAX_ENDPOINTS } from './limits.ts'
import { lockEndpoint, makeDue } from './queries.ts'
import type { NewWebhookEndpoint, WebhookEndpointChanges } from './schemas.ts'

export type Editor = { businessId: string; actor: Actor }

/** It is told what happens from now on. */
export async function createEndpoint(
  tx: Tx,
  box: SecretBox,
  { businessId, actor }: Editor,
  { url, types, description = '', isEnabled = true }: NewWebhookEndpoint,
): Promise<Endpoint & { secret: string }> {
  // One at a time for each business, so that racing makes no more than are allowed.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhook-endpoints ${businessId}`}, 0))`.execute(tx)
  const { count } = await tx
    .selectFrom('webhooks.endpoints')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('businessId', '=', businessId)
    .executeTakeFirstOrThrow()
  if (count >= MAX_ENDPOINTS) throw tooManyEndpoints()
  const secret = newSigningSecret()
  const at = now()
  const row = {
    businessId,
    id: newId('whe'),
    url,
    types,
    description,
    isEnabled,
    disabledReason: isEnabled ? null : ('PERSON' as const),
    disabledAt: isEnabled ? null : at,
    secret: box.seal(Buffer.from(secret)),
    oldSecret: null,
    oldSecretUntil: null,
    version: 1,
    createdAt: at,
    updatedAt: at,
  }
  await tx.insertInto('webhooks.endpoints').values(row).execute()
  const position = await tx
    .insertInto('webhooks.positions')
    .values({ businessId, endpointId: row.id, number: await readLastNumber(tx, businessId) })
    .returningAll()
    .executeTakeFirstOrThrow()
  await makeDue(tx, businessId)
  await record(tx, event.webhookEndpointCreated({ businessId, subject: row.id, actor }))
  return { row, position, secret }
}

export async function updateEndpoint(
  tx: Tx,
  { businessId, actor }: Editor,
  { id, expected }: { id: string; expected: Expected },
  changes: WebhookEndpointChanges,
  /** May refuse what would become of it. */
  check: (after: EndpointRow) => void,
): Promise<Endpoint> {
  const before = await lockEndpoint(tx, businessId, id)
  checkVersion(expected, before.row)
  const { isEnabled = before.row.isEnabled } = changes
  const row: EndpointRow = { ...before.row, ...changes, version: before.row.version + 1, updatedAt: now() }
  check(row)
  if (isEnabled !== before.row.isEnabled) {
    row.disabledReason = isEnabled ? null : 'PERSON'
    row.disabledAt = isEnabled ? null : now()
  }
  await tx
    .updateTable('webhooks.endpoints')
    .set(row)
    .where((endpoint) => endpoint.and({ businessId, id }))
    .execute()
  const isBack = isEnabled && !before.row.isEnabled
  const position = isBack ? await beginAnew(tx, businessId, id) : before.position
  await makeDue(tx, businessId)
  const fields = Object.keys(changes)
  await record(tx, event.webhookEndpointUpdated({ businessId, subject: id, actor, data: { fields } }))
  return { row, position }
}

/** What happened while it was disabled is not told by itself: that may be years. */
const beginAnew = async (tx: Tx, businessId: string, endpointId: string) =>
  tx
    .updateTable('webhooks.positions')
    .set({
      number: await readLastNumber(tx, businessId),
      failures: 0,
      failingSince: null,
      pausedUntil: null,
      warnedAt: null,
    })
    .where((position) => position.and({ businessId, endpointId }))
    .returningAll()
    .executeTakeFirstOrThrow()

export async function deleteEndpoint(
  tx: Tx,
  { businessId, actor }: Editor,
  { id, expected }: { id: string; expected: Expected },
): Promise<void> {
  const { row } = await lockEndpoint(tx, businessId, id)
  checkVersion(expected, row)
  // Its deliveries may be many. Nobody finds them any more, and they go with their age.
  await tx
    .deleteFrom('webhooks.positions')
    .where((position) => position.and({ businessId, endpointId: id }))
    .execute()
  await tx
    .deleteFrom('webhooks.endpoints')
    .where((endpoint) => endpoint.and({ businessId, id }))
    .execute()
  await makeDue(tx, businessId)
  await record(tx, event.webhookEndpointDeleted({ businessId, subject: id, actor }))
}

/** The secret before signs beside the new one for some hours, so that receivers can change over. */
export async function rotateSecret(
  tx: Tx,
  box: SecretBox,
  { businessId, actor }: Editor,
  { id, keepOldHours }: { id: string; keepOldHours: number },
  check: (row: EndpointRow) => void,
): Promise<Endpoint & { secret: string }> {
  const { row: before, position } = await lockEndpoint(tx, businessId, id)
  check(before)
  const secret = newSigningSecret()
  const row: EndpointRow = {
    ...before,
    secret: box.seal(Buffer.from(secret)),
    oldSecret: keepOldHours > 0 ? before.secret : null,
    oldSecretUntil: keepOldHours > 0 ? new Date(now().getTime() + keepOldHours * HOUR_MS) : null,
    version: before.version + 1,
    updatedAt: now(),
  }
  await tx
    .updateTable('webhooks.endpoints')
    .set(row)
    .where((endpoint) => endpoint.and({ businessId, id }))
    .execute()
  await makeDue(tx, businessId) // whoever delivers signs with what it has read
  await record(tx, event.webhookEndpointSecretRotated({ businessId, subject: id, actor }))
  return { row, position, secret }
}
