import { audit } from '#modules/access/index.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { sendKeyRevoked } from '../jobs.ts'
import { hashesOf } from './api-keys.ts'

/** False when the user has no such key, or none that the actor may see. Without an actor it is the operator who removes it. */
export async function removeApiKey(
  tx: ControlTx,
  { userId, actor }: { userId: string; actor?: Actor },
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('accounts.apiKeys')
    .where((row) => row.and({ userId, id }))
    .$if(actor?.onlyBusinessId !== undefined, (keys) => keys.where('businessId', '=', actor?.onlyBusinessId ?? ''))
    .executeTakeFirst()
  if (numDeletedRows === 0n) return false
  await audit(tx, { action: 'api-key.deleted', subject: userId, actor, data: { id } })
  await notify(tx, 'api-keys', userId)
  return true
}

/** Anybody who holds a key may end it. Whether it was one is not told: in either case it is none afterwards. */
export async function revokeLeakedKey(tx: ControlTx, box: SecretBox, value: string): Promise<void> {
  const revoked = await tx
    .deleteFrom('accounts.apiKeys')
    .where('keyHash', 'in', hashesOf(box, value))
    .returning(['userId', 'id', 'name', 'last4'])
    .execute()
  for (const { userId, id, name, last4 } of revoked) {
    await audit(tx, { action: 'api-key.revoked', subject: userId, data: { id, name } })
    await notify(tx, 'api-keys', userId)
    await enqueue(tx, sendKeyRevoked, { userId, name, last4 })
  }
}
