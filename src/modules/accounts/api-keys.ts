import { randomBytes } from 'node:crypto'
import { audit, findBusiness } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { notify } from '#platform/database/listener.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { invalid } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { apiKeyRefused } from './errors.ts'
import type { UpdateBody } from './schemas.ts'
import { FORMER_IDS } from './sessions.ts'

const MASK = '••••'
const maskOf = (last4: string) => MASK + last4

/** A key is found by its keyed hash; under every SECRET_KEY, so that rotating it breaks no key. */
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
      'accounts.users.email',
      FORMER_IDS,
    ])
    .where('accounts.apiKeys.keyHash', 'in', box.hashes('api-key', value))
    .where('accounts.users.suspendedAt', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  // On the side: nobody waits for it, and if it fails the next use does it.
  if (row.secretPrint !== box.prints[0]) hashAnew(db, box, value, row.keyHash).catch(() => {})
  return {
    kind: 'api',
    userId: row.userId,
    email: row.email ?? undefined,
    sessionId: undefined,
    keyId: row.id,
    onlyBusinessId: row.businessId ?? undefined,
    formerIds: row.formerIds,
  }
}

/** Only while a key is used is its value known, so that is when the current SECRET_KEY can take over from an older one. */
async function hashAnew(db: ControlDb, box: SecretBox, value: string, before: Buffer): Promise<void> {
  await db.updateTable('accounts.apiKeys').set(hashedNow(box, value)).where('keyHash', '=', before).execute()
}

function hashedNow(box: SecretBox, value: string) {
  const [keyHash] = box.hashes('api-key', value)
  const [secretPrint] = box.prints
  if (!keyHash || !secretPrint) throw new Error('no SECRET_KEY')
  return { keyHash, secretPrint }
}

/** How many keys there are, how many of them may need the old SECRET_KEY, and how many one that is not given. */
export async function countApiKeys(db: ControlDb, box: SecretBox) {
  const { prints } = box
  const rows = await db
    .selectFrom('accounts.apiKeys')
    .select(({ fn }) => ['secretPrint', fn.countAll<number>().as('keys')])
    .groupBy('secretPrint')
    .execute()
  const count = (matches: (print: string | null) => boolean) =>
    rows.filter(({ secretPrint }) => matches(secretPrint)).reduce((sum, { keys }) => sum + keys, 0)
  return {
    all: count(() => true),
    old: count((print) => print !== null && print !== prints[0] && prints.includes(print)),
    unknown: count((print) => print === null),
    lost: count((print) => print !== null && !prints.includes(print)),
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
 * The array is the whole list: a key that is left out is deleted, a known one with its mask (or no value) is kept, one with a
 * new value is replaced, a new one is made. Answers the values that we made ourselves, to be shown this once.
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
  // First, so that a value may move to another id.
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
    if (kept.has(id)) throw apiKeyRefused(`${field}.id`, `Two keys have the id ${id}.`)
    kept.add(id)
    if (token.provider !== undefined && token.provider !== 'API')
      throw apiKeyRefused(`${field}.provider`, 'provider must be API.')
    if (token.businessId !== undefined && !(await findBusiness(tx, token.businessId)))
      throw invalid(`${field}.businessId`, 'NOT_FOUND', `There is no business ${token.businessId}.`)
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
    if (token.value !== undefined) checkValue(`${field}.value`, token.value)
    else made.set(id, value)
    // A bound key that gets a new value stays bound.
    const businessId = token.businessId ?? before?.businessId ?? undefined
    await insertKey(tx, box, { userId, id, name: token.name ?? before?.name ?? 'API key', value, businessId }, field)
    await audit(tx, { action: 'api-key.created', subject: userId, actor, data: { id } })
  }
  await notify(tx, 'api-keys', userId)
  return made
}

const MAX_KEYS = 50

/** One more key for somebody, by the operator. Its value is shown this once. */
export async function addApiKey(
  tx: ControlTx,
  box: SecretBox,
  { userId, name, businessId }: { userId: string; name: string; businessId: string | undefined },
): Promise<{ id: string; value: string }> {
  const known = await tx.selectFrom('accounts.apiKeys').select('id').where('userId', '=', userId).forUpdate().execute()
  if (known.length >= MAX_KEYS) throw apiKeyRefused('apiTokens', `They have ${MAX_KEYS} keys, and cannot have more.`)
  const key = { id: newId('key'), value: newKey() }
  await insertKey(tx, box, { ...key, userId, name, businessId }, 'apiTokens')
  await audit(tx, { action: 'api-key.created', subject: userId, data: { id: key.id } })
  await notify(tx, 'api-keys', userId)
  return key
}

const newKey = () => `kk_${randomBytes(30).toString('base64url')}`

type NewKey = { userId: string; id: string; name: string; value: string; businessId: string | undefined }

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
    // Somebody else's key: refused like a weak one, so that trying values tells nothing.
    throw violatedConstraint(error) === 'api_keys_hash_key' ? weakValue(`${field}.value`) : error
  }
}

const weakValue = (field: string) =>
  apiKeyRefused(
    field,
    'A key needs 32 to 128 printable characters without obvious repetition. Leave value out to have one made.',
  )

function checkValue(field: string, value: string): void {
  const printable = /^[\x21-\x7e]{32,128}$/.test(value)
  const repetitive = new Set(value).size < 12 || isPeriodic(value)
  if (!printable || isJwtShaped(value) || repetitive) throw weakValue(field)
}

/** One piece over and over, such as `abc123abc123abc1`. */
function isPeriodic(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length++) if (text.startsWith(text.slice(length))) return true
  return false
}

/** As a bearer such a value is read as a token, so it can never be a key. */
export const isJwtShaped = (text: string) => text.startsWith('eyJ') && text.split('.').length === 3
