import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { addressKey } from '#platform/http/rate-limit.ts'

/** About as many as a person uses: home, work, a phone, a train. */
const KEPT = 10

/** Keyed hashes, because addresses are not stored. All of them are compared, the first is written. */
export const addressHashes = (box: SecretBox, address: string) => box.hashes('known-address', addressKey(address))

/** Remembers where an account was logged in from; the least recently seen addresses are dropped. */
export async function rememberAddress(tx: ControlTx, box: SecretBox, userId: string, address: string): Promise<void> {
  const [hash] = addressHashes(box, address)
  await sql`
    with seen as (
      insert into accounts.known_addresses (user_id, address_hash, seen_at) values (${userId}, ${hash}, ${now()})
      on conflict (user_id, address_hash) do update set seen_at = excluded.seen_at
    )
    delete from accounts.known_addresses
     where user_id = ${userId}
       and address_hash in (select address_hash
                              from accounts.known_addresses
                             where user_id = ${userId} and address_hash <> ${hash}
                             order by seen_at desc
                            offset ${KEPT - 1})`.execute(tx)
}

export async function isKnownAddress(db: ControlDb, box: SecretBox, userId: string, address: string): Promise<boolean> {
  const known = await db
    .selectFrom('accounts.knownAddresses')
    .select('userId')
    .where('userId', '=', userId)
    .where('addressHash', 'in', addressHashes(box, address))
    .executeTakeFirst()
  return known !== undefined
}

/** Called after a new password: somebody who knew the old one may have logged in from anywhere. */
export const forgetAddresses = (tx: ControlTx, userId: string) =>
  tx.deleteFrom('accounts.knownAddresses').where('userId', '=', userId).execute()
