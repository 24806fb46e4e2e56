import { listCustomerships } from '#modules/access/index.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { listSessions } from '../credentials/sessions.ts'
import { listPasskeys } from '../passkeys/own-passkeys.ts'
import { idsOf } from '../sign-in/merge-guest.ts'
import { getOwnUser } from '../users/queries.ts'

/** Everything stored about a person in the control database, including their time as a guest, without secrets. */
export async function exportUser(control: ControlDb, userId: string) {
  const ids = await idsOf(control, userId)
  const [[user, ...formerGuests], sessions, identities, phones, passkeys, customerOf] = await Promise.all([
    Promise.all(ids.map((id) => getOwnUser(control, id))),
    listSessions(control, userId, undefined),
    control
      .selectFrom('accounts.identities')
      .select(['issuer', 'subject', 'createdAt'])
      .where('userId', '=', userId)
      .execute(),
    control.selectFrom('accounts.verifiedPhones').select(['number', 'verifiedAt']).where('userId', 'in', ids).execute(),
    listPasskeys(control, userId),
    listCustomerships(control, ids),
  ])
  return {
    user,
    sessions,
    identities: identities.map(({ createdAt, ...identity }) => ({ ...identity, createdAt: toSeconds(createdAt) })),
    verifiedPhoneNumbers: phones.map(({ number, verifiedAt }) => ({ number, verifiedAt: toSeconds(verifiedAt) })),
    passkeys,
    customerOf,
    formerGuests,
  }
}
