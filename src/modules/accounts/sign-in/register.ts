import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { emailExists } from '../errors.ts'
import { sendConfirmation } from '../jobs.ts'
import { emailKey } from '../users/queries.ts'
import { mergeGuest } from './merge-guest.ts'
import { checkPassword, hashPassword } from './passwords.ts'

export type NewAccount = { email: string; password: string; name: string; linkBase: string; caller: Actor | undefined }

/** Creates an account that cannot log in yet, and the mail that confirms its address, in one transaction. */
export async function register(
  control: ControlDb,
  { email, password, name, linkBase, caller }: NewAccount,
): Promise<void> {
  checkPassword('password', password, email)
  const passwordHash = await hashPassword(password)
  const userId = newId('usr')
  await fault('register.before-transaction')
  await transaction(control, async (tx) => {
    try {
      await tx
        .insertInto('accounts.users')
        .values({
          id: userId,
          name,
          email: email.trim(),
          emailKey: emailKey(email),
          passwordHash,
          createdAt: now(),
          updatedAt: now(),
        })
        .execute()
    } catch (error) {
      throw violatedConstraint(error) === 'users_email_key' ? emailExists() : error
    }
    if (caller?.kind === 'guest') await mergeGuest(tx, caller.userId, userId)
    await audit(tx, { action: 'account.registered', subject: userId })
    await enqueue(tx, sendConfirmation, { userId, linkBase })
    await fault('register.before-commit')
  })
  await fault('register.after-commit')
}
