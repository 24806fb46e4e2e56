import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { newId } from '#vocabulary/ids.ts'
import type { User } from '../schemas.ts'
import { emailKey } from './queries.ts'

export type NewPerson = { email: string; name: string; addresses: User['addresses'] }

/**
 * Creates accounts without a password, whose addresses the operator vouches for; nobody can log in to them yet.
 * Existing accounts stay unchanged. Returns all ids by address, and how many were created.
 */
export async function addPeople(
  tx: ControlTx,
  people: readonly NewPerson[],
): Promise<{ ids: Map<string, string>; made: number }> {
  const keys = people.map(({ email }) => emailKey(email))
  const rows = people.map(({ email, name, addresses }) => ({
    id: newId('usr'),
    name,
    email: email.trim(),
    emailKey: emailKey(email),
    addresses: JSON.stringify(addresses),
    confirmedAt: now(),
    createdAt: now(),
    updatedAt: now(),
  }))
  const made = await tx
    .insertInto('accounts.users')
    .values(rows)
    .onConflict((known) => known.doNothing())
    .returning('id')
    .execute()
  for (const { id } of made) await audit(tx, { action: 'account.created', subject: id })
  const all = await tx.selectFrom('accounts.users').select(['id', 'emailKey']).where('emailKey', 'in', keys).execute()
  return { ids: new Map(all.map(({ id, emailKey }) => [emailKey ?? '', id])), made: made.length }
}
