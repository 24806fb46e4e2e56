import { audit, findBusiness } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { type Actor, hasSecondFactor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import { keyBusinessUnknown, keyEndsInPast, tooManyKeys, userGone } from '../errors.ts'
import { MAX_KEYS } from '../limits.ts'
import type { ApiKey } from '../schemas.ts'
import { insertKey, presentKey } from './api-keys.ts'
import { newKey } from './key-values.ts'

export type WantedKey = {
  name: string
  businessId: string | null
  permissions: readonly Permission[] | null
  expiresAt: Date | null
}

/** Makes one key. Its value is in this answer only. Without an actor it is the operator who makes it. */
export async function createApiKey(
  tx: ControlTx,
  box: SecretBox,
  { userId, actor }: { userId: string; actor?: Actor },
  wanted: WantedKey,
): Promise<ApiKey> {
  const { businessId, permissions, expiresAt } = wanted
  if (expiresAt && expiresAt <= now()) throw keyEndsInPast()
  if (businessId !== null && !(await findBusiness(tx, businessId))) throw keyBusinessUnknown({ businessId })
  // Held, so that two at once do not both become the last one.
  const user = await tx
    .selectFrom('accounts.users')
    .select('id')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!user) throw userGone()
  const { keys } = await tx
    .selectFrom('accounts.apiKeys')
    .select(({ fn }) => fn.countAll<number>().as('keys'))
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow()
  if (keys >= MAX_KEYS) throw tooManyKeys()
  const value = newKey()
  const passedSecondFactor = hasSecondFactor(actor, businessId)
  const row = await insertKey(tx, box, { ...wanted, userId, id: newId('key'), value, passedSecondFactor }, 'value')
  const data = { id: row.id, businessId, permissions: permissions && [...permissions] }
  await audit(tx, { action: 'api-key.created', subject: userId, actor, data })
  await notify(tx, 'api-keys', userId)
  return { ...presentKey(row), value }
}
