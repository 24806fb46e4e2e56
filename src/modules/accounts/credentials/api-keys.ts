import { randomBytes } from 'node:crypto'
import { audit, findBusiness } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { notify } from '#platform/database/listener.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { keyBusinessNotFound, keyProviderInvalid, keyRepeated, tooManyKeys, weakKey } from '../errors.ts'
import { MAX_KEYS } from '../limits.ts'
import type { UpdateBody } from '../schemas.ts'
import { FORMER_IDS } from './sessions.ts'

const MASK = '••••'
const maskOf = (last4: string) => MASK + last4

/** Finds a key by its keyed hash, under every SECRET_KEY, so that rotating it breaks no key. */
export async function findApiKeyActor(db: ControlDb, box: SecretBox, value: string): Promise<Actor | undefined> {
  const row = await db
    .selectFrom('accounts.apiKeys')
    .innerJoin('accounts.users', 'accounts.users.id', 'accounts.apiKeys.userId')
    .select([
      'accounts.apiKeys.userId',
      'accounts.apiKeys.id',
      'accounts.apiKeys.businessId',
      'accounts.apiKeys.keyHash',
      'accounts.apiKeys.secretPrint',
      'accounts.apiKeys.passedSecondFactor',
      'accounts.users.email',
      FORMER_IDS,
    ])
    .where('accounts.apiKeys.keyHash', 'in', box.hashes('api-key', value))
    .where('accounts.users.suspendedAt', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  // Not awaited: if it fails, the next use tries again.
  if (row.secretPrint !== box.fingerprints[0]) rehash(db, box, value, row.keyHash).catch(() => {})
  return {
    kind: 'api',
    userId: row.userId,
    email: row.email ?? undefined,
    sessionId: undefined,
    keyId: row.id,
    onlyBusinessId: row.businessId ?? undefined,
    passedSecondFactor: row.passedSecondFactor,
    formerIds: row.formerIds,
  }
}

/** A key's value is known only while it is used, so this is the moment to hash it under the current SECRET_KEY. */
async function rehash(db: ControlDb, box: SecretBox, value: string, before: Buffer): Promise<void> {
  await db.updateTable('accounts.apiKeys').set(hashedNow(box, value)).where('keyHash', '=', before).execute()
}

function hashedNow(box: SecretBox, value: string) {
  const [keyHash] = box.hashes('api-key', value)
  const [secretPrint] = box.fingerprints
  if (!keyHash || !secretPrint) throw new Error('no SECRET_KEY')
  return { keyHash, secretPrint }
}

/** The number of keys, of those hashed under an older SECRET_KEY, and of those under one that is not configured. */
export async function countApiKeys(db: ControlDb, box: SecretBox) {
  const { fingerprints } = box
  const rows = await db
    .selectFrom('accounts.apiKeys')
    .select(({ fn }) => ['secretPrint', fn.countAll<number>().as('keys')])
    .groupBy('secretPrint')
    .execute()
  const count = (matches: (print: string | null) => boolean) =>
    rows.filter(({ secretPrint }) => matches(secretPrint)).reduce((sum, { keys }) => sum + keys, 0)
  return {
    all: count(() => true),
    old: count((print) => print !== null && print !== fingerprints[0] && fingerprints.includes(print)),
    unknown: count((print) => print === null),
    lost: count((print) => print !== null && !fingerprints.includes(print)),
  }
}

export async function listApiKeys(db: ControlDb, userId: string) {
  const rows = await db
    .selectFrom('accounts.apiKeys')
    .select(['id', 'name', 'last4', 'businessId'])
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(({ id, name, last4, businessId }) => ({
    id,
    name,
    value: maskOf(last4),
    provider: 'API' as const,
    ...(businessId ? { businessId } : {}),
  }))
}

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
  const kept = new Set<string>()
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
    if (kept.has(id)) throw keyRepeated({ field, id })
    kept.add(id)
    if (token.provider !== undefined && token.provider !== 'API') throw keyProviderInvalid({ field })
    if (token.businessId !== undefined && !(await findBusiness(tx, token.businessId)))
      throw keyBusinessNotFound({ field, businessId: token.businessId })
    const before = byId.get(id)
    if (before && (token.value === undefined || token.value === maskOf(before.last4))) {
      await tx
        .updateTable('accounts.apiKeys')
        .set({ name: token.name ?? before.name, businessId: token.businessId ?? before.businessId })
        .where((row) => row.and({ userId, id }))
        .execute()
      continue
    }
    const value = token.value ?? newKey()
    if (token.value !== undefined) checkValue(field, token.value)
    else made.set(id, value)
    // A key bound to a business stays bound when it gets a new value.
    const businessId = token.businessId ?? before?.businessId ?? undefined
    const name = token.name ?? before?.name ?? 'API key'
    const passedSecondFactor = actor.passedSecondFactor ?? false
    await insertKey(tx, box, { userId, id, name, value, businessId, passedSecondFactor }, field)
    await audit(tx, { action: 'api-key.created', subject: userId, actor, data: { id } })
  }
  await notify(tx, 'api-keys', userId)
  return made
}

/** Adds a key for a user, by the operator. Its value is shown only once. */
export async function addApiKey(
  tx: ControlTx,
  box: SecretBox,
  { userId, name, businessId }: { userId: string; name: string; businessId: string | undefined },
): Promise<{ id: string; value: string }> {
  const known = await tx.selectFrom('accounts.apiKeys').select('id').where('userId', '=', userId).forUpdate().execute()
  if (known.length >= MAX_KEYS) throw tooManyKeys()
  const key = { id: newId('key'), value: newKey() }
  await insertKey(tx, box, { ...key, userId, name, businessId, passedSecondFactor: false }, 'apiTokens')
  await audit(tx, { action: 'api-key.created', subject: userId, data: { id: key.id } })
  await notify(tx, 'api-keys', userId)
  return key
}

const newKey = () => `kk_${randomBytes(30).toString('base64url')}`

type NewKey = {
  userId: string
  id: string
  name: string
  value: string
  businessId: string | undefined
  /** The session that makes it has. */
  passedSecondFactor: boolean
}

async function insertKey(
  tx: ControlTx,
  box: SecretBox,
  { value, businessId, ...key }: NewKey,
  field: string,
): Promise<void> {
  const row = {
    ...key,
    ...hashedNow(box, value),
    last4: value.slice(-4),
    businessId: businessId ?? null,
    createdAt: now(),
  }
  try {
    await tx
      .insertInto('accounts.apiKeys')
      .values(row)
      .onConflict((same) => same.columns(['userId', 'id']).doUpdateSet(row))
      .execute()
  } catch (error) {
    // Somebody else's key is refused like a weak one, so that guessing values reveals nothing.
    throw violatedConstraint(error) === 'api_keys_hash_key' ? weakKey({ field }) : error
  }
}

function checkValue(field: string, value: string): void {
  const printable = /^[\x21-\x7e]{32,128}$/.test(value)
  const repetitive = new Set(value).size < 12 || isPeriodic(value)
  if (!printable || isJwtShaped(value) || repetitive) throw weakKey({ field })
}

/** A repeated pattern, such as `abc123abc123abc1`. */
function isPeriodic(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length++) if (text.startsWith(text.slice(length))) return true
  return false
}

/** A bearer of this shape is read as a JWT, so it can never be a key. */
export const isJwtShaped = (text: string) => text.startsWith('eyJ') && text.split('.').length === 3
