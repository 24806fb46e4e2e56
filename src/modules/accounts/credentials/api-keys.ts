import type { Selectable } from 'kysely'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { AccountsApiKeys } from '#platform/database/control-tables.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { weakKey } from '../errors.ts'
import type { ApiKey } from '../schemas.ts'
import { FORMER_IDS } from './sessions.ts'

const MASK = '••••'
export const maskOf = (last4: string) => MASK + last4

/** What a key may do at most, and until when; null: all that its user may, without an end. */
export type Bounds = { permissions: readonly string[] | null; expiresAt: Date | null }

/**
 * Keys with bounds are hashed for a purpose of their own: a version of this service that knows of no bounds does not
 * find them, instead of letting them do everything.
 */
const purposeOf = ({ permissions, expiresAt }: Bounds) => (permissions || expiresAt ? 'limited-api-key' : 'api-key')

/** Under every SECRET_KEY, so that rotating it breaks no key. */
export const hashesOf = (box: SecretBox, value: string): Buffer[] => [
  ...box.hashes('api-key', value),
  ...box.hashes('limited-api-key', value),
]

/** A key that may be used until `expiresMs`; `lastUsedMs` as it was written last. */
export type FoundKey = { actor: Actor; userId: string; keyId: string; expiresMs: number; lastUsedMs: number }

export async function findApiKey(db: ControlDb, box: SecretBox, value: string): Promise<FoundKey | undefined> {
  const row = await db
    .selectFrom('accounts.apiKeys')
    .innerJoin('accounts.users', 'accounts.users.id', 'accounts.apiKeys.userId')
    .select([
      'accounts.apiKeys.userId',
      'accounts.apiKeys.id',
      'accounts.apiKeys.businessId',
      'accounts.apiKeys.permissions',
      'accounts.apiKeys.expiresAt',
      'accounts.apiKeys.lastUsedAt',
      'accounts.apiKeys.keyHash',
      'accounts.apiKeys.secretPrint',
      'accounts.apiKeys.passedSecondFactor',
      'accounts.users.email',
      FORMER_IDS,
    ])
    .where('accounts.apiKeys.keyHash', 'in', hashesOf(box, value))
    .where('accounts.users.suspendedAt', 'is', null)
    .where((key) => key.or([key('expiresAt', 'is', null), key('expiresAt', '>', now())]))
    .executeTakeFirst()
  if (!row) return undefined
  // Not awaited: if it fails, the next use tries again.
  if (row.secretPrint !== box.fingerprints[0]) rehash(db, box, value, row).catch(() => {})
  const { userId, id: keyId, permissions, expiresAt, lastUsedAt } = row
  const actor: Actor = {
    kind: 'api',
    userId,
    email: row.email ?? undefined,
    sessionId: undefined,
    keyId,
    onlyBusinessId: row.businessId ?? undefined,
    passedSecondFactor: row.passedSecondFactor,
    ...(permissions ? { onlyPermissions: permissions as Permission[] } : {}),
    formerIds: row.formerIds,
  }
  return { actor, userId, keyId, expiresMs: expiresAt?.getTime() ?? Infinity, lastUsedMs: lastUsedAt?.getTime() ?? 0 }
}

/** A key's value is known only while it is used, so this is the moment to hash it under the current SECRET_KEY. */
async function rehash(db: ControlDb, box: SecretBox, value: string, before: Bounds & { keyHash: Buffer }) {
  const hashed = hashedNow(box, value, before)
  await db.updateTable('accounts.apiKeys').set(hashed).where('keyHash', '=', before.keyHash).execute()
}

function hashedNow(box: SecretBox, value: string, bounds: Bounds) {
  const [keyHash] = box.hashes(purposeOf(bounds), value)
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

/** The keys of a user, oldest first; `businessId`: only those bound to it. */
export async function listApiKeys(db: ControlDb, userId: string, businessId?: string): Promise<ApiKey[]> {
  const rows = await db
    .selectFrom('accounts.apiKeys')
    .selectAll()
    .where('userId', '=', userId)
    .$if(businessId !== undefined, (keys) => keys.where('businessId', '=', businessId ?? ''))
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(presentKey)
}

type KeyRow = Selectable<AccountsApiKeys>

export const presentKey = (row: Omit<KeyRow, 'keyHash' | 'secretPrint'>): ApiKey => ({
  id: row.id,
  name: row.name,
  value: maskOf(row.last4),
  businessId: row.businessId,
  permissions: row.permissions as Permission[] | null,
  expiresAt: row.expiresAt && toSeconds(row.expiresAt),
  lastUsedAt: row.lastUsedAt && toSeconds(row.lastUsedAt),
  createdAt: toSeconds(row.createdAt),
  passedSecondFactor: row.passedSecondFactor,
})

export type NewKey = Bounds & {
  userId: string
  id: string
  name: string
  value: string
  businessId: string | null
  /** Whether it is made in a session that has passed a second factor. */
  passedSecondFactor: boolean
}

/** A key with a known id is replaced. `field`: where its value was sent. */
export async function insertKey(tx: ControlTx, box: SecretBox, { value, ...key }: NewKey, field: string) {
  const { userId, id } = key
  const permissions = key.permissions && [...key.permissions]
  const row = {
    ...key,
    ...hashedNow(box, value, key),
    permissions,
    last4: value.slice(-4),
    createdAt: now(),
    lastUsedAt: null,
  }
  // Somebody else's key is refused like a weak one, so that guessing values reveals nothing.
  const taken = await tx
    .selectFrom('accounts.apiKeys')
    .select('id')
    .where('keyHash', 'in', hashesOf(box, value))
    .where((known) => known.not(known.and({ userId, id })))
    .executeTakeFirst()
  if (taken) throw weakKey({ field })
  try {
    await tx
      .insertInto('accounts.apiKeys')
      .values(row)
      .onConflict((same) => same.columns(['userId', 'id']).doUpdateSet(row))
      .execute()
  } catch (error) {
    throw violatedConstraint(error) === 'api_keys_hash_key' ? weakKey({ field }) : error
  }
  return row
}
