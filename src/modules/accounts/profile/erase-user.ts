import { audit, dropInvitationsTo, removeFromBusinesses } from '#modules/access/index.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { transaction } from '#platform/database/transaction.ts'
import { forgetCallers } from '#platform/http/idempotency.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { revokeSessionsOf } from '../credentials/sessions.ts'
import { idsOf } from '../sign-in/merge-guest.ts'
import { tellErased } from '../tell-cells.ts'

/**
 * Erases the account and everything attached to it; jobs take the person out of what businesses keep. The last ADMIN of a
 * business must hand it over first.
 */
export async function eraseUser(control: ControlDb, actor: Actor): Promise<void> {
  const { userId } = actor
  await transaction(control, async (tx) => {
    // Locked first, so that nobody gives this user a role meanwhile.
    await tx.selectFrom('accounts.users').select('id').where('id', '=', userId).forUpdate().execute()
    const memberOf = await removeFromBusinesses(tx, userId)
    await revokeSessionsOf(tx, userId)
    await notify(tx, 'api-keys', userId)
    const ids = await idsOf(tx, userId) // the guests who became this user are erased, too
    await tx.deleteFrom('accounts.guestAliases').where('userId', '=', userId).execute()
    const erased = await tx
      .deleteFrom('accounts.users')
      .where('id', 'in', ids)
      .returning(['id', 'email', 'emailKey', 'confirmedAt'])
      .execute()
    for (const { id, email } of erased) await dropInvitationsTo(tx, { userId: id, email })
    await forgetCallers(tx, 'control', ['', ...memberOf], ids)
    await audit(tx, { action: 'account.erased', subject: userId })
    const account = erased.find(({ id }) => id === userId)
    await enqueue(tx, tellErased(), {
      userId,
      guestIds: ids.filter((id) => id !== userId),
      memberOf,
      // One that nobody confirmed may be somebody else's.
      ...(account?.confirmedAt && account.emailKey && { emailKey: account.emailKey }),
    })
  })
}
