import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb, Db } from '#platform/database/database.ts'
import { newSigningSecret } from '#platform/outgoing/signing.ts'
import { newId } from '#vocabulary/ids.ts'
import { type Addresses, checkUrl } from './check-url.ts'
import { checkTypesExist, type EventList } from './event-types.ts'

const MAX_OPERATOR_ENDPOINTS = 5

type Wanted = { url: string; types: readonly string[]; description: string }

/** It is told what happens from now on, in every business. */
export async function addOperatorEndpoint(
  control: ControlDb,
  { box, addresses, ...list }: EventList & { box: SecretBox; addresses: Addresses },
  { url, types, description }: Wanted,
) {
  checkTypesExist(types, list)
  await checkUrl(url, addresses)
  const known = await listOperatorEndpoints(control)
  if (known.length >= MAX_OPERATOR_ENDPOINTS) throw new Error(`There are ${known.length} already. Remove one first.`)
  const secret = newSigningSecret()
  const row = { id: newId('who'), url, types: [...types], description, createdAt: now() }
  await control
    .insertInto('webhooks.operatorEndpoints')
    .values({ ...row, secret: box.seal(Buffer.from(secret)) })
    .execute()
  return { ...row, secret }
}

export const listOperatorEndpoints = (control: ControlDb) =>
  control
    .selectFrom('webhooks.operatorEndpoints')
    .select(['id', 'url', 'types', 'description', 'createdAt'])
    .orderBy('id')
    .execute()

/** With what cells know of it. False: there is none. */
export async function removeOperatorEndpoint(control: ControlDb, cells: Iterable<Db>, id: string): Promise<boolean> {
  const { numDeletedRows } = await control
    .deleteFrom('webhooks.operatorEndpoints')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return false
  for (const cell of cells)
    for (const table of ['webhooks.attempts', 'webhooks.deliveries', 'webhooks.positions'])
      await sql`delete from ${sql.table(table)} where endpoint_id = ${id}`.execute(cell)
  return true
}
