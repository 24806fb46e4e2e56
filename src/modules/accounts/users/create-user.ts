import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { transaction } from '#platform/database/transaction.ts'
import { newId } from '#vocabulary/ids.ts'
import { checkPassword, hashPassword } from '../sign-in/passwords.ts'
import { emailKey } from './queries.ts'

export type NewUser = { email: string; password: string; name: string }

/** `confirmed`: an unconfirmed account of that address was taken over. */
export type Created = { id: string; outcome: 'created' | 'confirmed' | 'existed' }

/**
 * Creates an account whose address the operator vouches for. A confirmed account stays unchanged, with its password.
 */
export async function createUser(control: ControlDb, { email, password, name }: NewUser): Promise<Created> {
  const known = await findByEmail(control, email)
  if (known?.confirmedAt) return { id: known.id, outcome: 'existed' }
  checkPassword('password', password, email)
  const passwordHash = await hashPassword(password)
  try {
    return await transaction(control, (tx) => write(tx, { email, name, passwordHash }))
  } catch (error) {
    const winner = violatedConstraint(error) === 'users_email_key' && (await findByEmail(control, email))
    if (!winner) throw error
    return { id: winner.id, outcome: 'existed' } // another request was faster
  }
}

async function write(
  tx: ControlTx,
  { email, name, passwordHash }: { email: string; name: string; passwordHash: string },
): Promise<Created> {
  const known = await findByEmail(tx, email, { lock: true })
  if (known?.confirmedAt) return { id: known.id, outcome: 'existed' }
  const values = { passwordHash, confirmedAt: now(), updatedAt: now() }
  if (known) {
    // The person who registered this address never proved that they can read its mail, so their password is dropped.
    const named = name === '' ? values : { ...values, name }
    await tx.updateTable('accounts.users').set(named).where('id', '=', known.id).execute()
    await audit(tx, { action: 'account.confirmed', subject: known.id })
    return { id: known.id, outcome: 'confirmed' }
  }
  const id = newId('usr')
  await tx
    .insertInto('accounts.users')
    .values({ id, name, email: email.trim(), emailKey: emailKey(email), createdAt: now(), ...values })
    .execute()
  await audit(tx, { action: 'account.created', subject: id })
  return { id, outcome: 'created' }
}

/** Finds accounts in any state. */
export const findByEmail = (db: ControlDb, email: string, { lock = false } = {}) =>
  db
    .selectFrom('accounts.users')
    .select(['id', 'email', 'confirmedAt', 'suspendedAt'])
    .where('emailKey', '=', emailKey(email))
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
