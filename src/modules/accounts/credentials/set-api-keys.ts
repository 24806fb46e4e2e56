import { audit, findBusiness } from '#modules/access/index.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { type Actor, hasSecondFactor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { keyBusinessNotFound, keyProviderInvalid, keyRepeated } from '../errors.ts'
import type { UpdateBody } from '../schemas.ts'
import { insertKey, maskOf } from './api-keys.ts'
import { checkValue, newKey } from './key-values.ts'

type Wanted = NonNullable<UpdateBody['apiTokens']>[number]

/**
 * Replaces the whole list: a key that is left out is deleted, a known one with its mask (or without a value) is kept,
 * one with a new value is replaced, an unknown one is created. Returns the generated values, which are shown only once.
 */
export async function setApiKeys(
  tx: ControlTx,
  box: SecretBox,
  actor: Actor,
  wanted: readonly Wanted[],
): Promise<Map<string, string>> {
  const { userId } = actor
  const known = await tx.selectFrom('accounts.apiKeys').selectAll().where('userId', '=', userId).forUpdate().execute()
  const byId = new Map(known.map((key) => [key.id, key]))
  const made = new Map<string, string>()
  const seen = new Set<string>()
  // Deletes first, so that a value may move to another id.
  const wantedIds = new Set(wanted.map(({ id }) => id))
  for (const { id } of known.filter((key) => !wantedIds.has(key.id))) {
    await tx
      .deleteFrom('accounts.apiKeys')
      .where((row) => row.and({ userId, id }))
      .execute()
    await audit(tx, { action: 'api-key.deleted', subject: userId, actor, data: { id } })
  }
  for (const [index, token] of wanted.entries()) {
    const field = `apiTokens.${index}`
    const id = token.id ?? newId('key')
    if (seen.has(id)) throw keyRepeated({ field, id })
    seen.add(id)
    if (token.provider !== undefined && token.provider !== 'API') throw keyProviderInvalid({ field })
    if (token.businessId !== undefined && !(await findBusiness(tx, token.businessId)))
      throw keyBusinessNotFound({ field, businessId: token.businessId })
    const before = byId.get(id)
    if (before && (token.value === undefined || token.value === maskOf(before.last4))) {
      await tx
        .updateTable('accounts.apiKeys')
        .set({ name: token.name ?? before.name, ...movedTo(token.businessId, before, actor) })
        .where((row) => row.and({ userId, id }))
        .execute()
      continue
    }
    const value = token.value ?? newKey()
    if (token.value !== undefined) checkValue(field, token.value)
    else made.set(id, value)
    // A key keeps what the array does not say, also when it gets a new value.
    const { name = 'API key', businessId = null, permissions = null, expiresAt = null } = before ?? {}
    const kept = { name: token.name ?? name, businessId: token.businessId ?? businessId, permissions, expiresAt }
    const passedSecondFactor = hasSecondFactor(actor, kept.businessId)
    await insertKey(tx, box, { userId, id, value, ...kept, passedSecondFactor }, field)
    await audit(tx, { action: 'api-key.created', subject: userId, actor, data: { id } })
  }
  await notify(tx, 'api-keys', userId)
  return made
}

type Bound = { businessId: string | null; passedSecondFactor: boolean }

/** A key that moves to another business counts as made in this session: its second factor may have counted in the one before only. */
const movedTo = (businessId: string | undefined, before: Bound, actor: Actor): Bound =>
  businessId === undefined || businessId === before.businessId
    ? { businessId: before.businessId, passedSecondFactor: before.passedSecondFactor }
    : { businessId, passedSecondFactor: before.passedSecondFactor && hasSecondFactor(actor, businessId) }
