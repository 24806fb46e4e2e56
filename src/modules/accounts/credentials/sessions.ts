import { sql } from 'kysely'
import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { toSeconds } from '#vocabulary/time.ts'

export type Provider = 'EMAIL' | 'OAUTH_IDP' | 'PASSKEY' | 'GUEST'

/** How a person proved themselves. */
export type Proof = 'PASSWORD' | 'PROVIDER' | 'PROVIDER_FACTOR' | 'TOTP' | 'PASSKEY' | 'RECOVERY_CODE'

/** Shown to us by the person, not said of them by an identity provider. */
export const isOwn = (proof: Proof) => proof !== 'PROVIDER' && proof !== 'PROVIDER_FACTOR'

/** A passkey asks for something that its person has, and for what they know or are: it is both factors. */
const isSecondFactor = (proof: Proof) => proof !== 'PASSWORD' && proof !== 'PROVIDER'

export const FIRST_PROOF = { EMAIL: 'PASSWORD', OAUTH_IDP: 'PROVIDER', PASSKEY: 'PASSKEY', GUEST: undefined } as const

/** What a session keeps of a proof. */
const provenNow = (proof: Proof | undefined) =>
  proof && {
    provenAt: now(),
    provenWith: proof,
    ...(isSecondFactor(proof) ? { secondFactorAt: now() } : {}),
    ...(isOwn(proof) ? { confirmedWith: proof } : {}),
  }

/** Where a login came from, for the user's list of sessions. */
export type Device = { userAgent: string | undefined; address: string }

export type NewSession = {
  userId: string
  provider: Provider
  /** How the person proved themselves last; default: as the provider asks for. */
  proof?: Proof
  device?: Device | undefined
  sealedProviderToken?: Buffer | null
  /** Those of the dashboard, and of staff, end then; others do not end by themselves. */
  endsAt?: Date | undefined
  /** Of the provider of this business, and its own id for the session, if it has told. */
  staffOf?: string | null
  providerSession?: string | null
}

/** Starts a session, one per login. Returns its id and that of its first refresh token. */
export async function startSession(
  tx: ControlTx,
  {
    userId,
    provider,
    proof = FIRST_PROOF[provider],
    device,
    sealedProviderToken,
    endsAt,
    staffOf = null,
    providerSession = null,
  }: NewSession,
) {
  const session = { id: newId('ses'), refreshId: newId('tok') }
  await tx
    .insertInto('accounts.sessions')
    .values({
      ...session,
      userId,
      provider,
      createdAt: now(),
      lastUsedAt: now(),
      userAgent: device?.userAgent?.slice(0, 300) ?? null,
      address: device?.address ?? null,
      sealedProviderToken: sealedProviderToken ?? null,
      endsAt: endsAt ?? null,
      staffOf,
      providerSession,
      ...provenNow(proof),
    })
    .execute()
  return session
}

/** The person has proven themselves again. Every process learns of it. */
export async function renewProof(tx: ControlTx, sessionId: string, proof: Proof): Promise<void> {
  await tx
    .updateTable('accounts.sessions')
    .set({ ...provenNow(proof) })
    .where('id', '=', sessionId)
    .execute()
  await notify(tx, 'session', sessionId)
}

/** Ends a session in every process as soon as `tx` commits. False when it had ended already. */
export async function revokeSession(tx: ControlTx, sessionId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts.sessions')
    .set({ revokedAt: now() })
    .where('id', '=', sessionId)
    .where('revokedAt', 'is', null)
    .executeTakeFirst()
  await notify(tx, 'session', sessionId)
  return numUpdatedRows > 0n
}

/** Ends all sessions of a user, except `exceptId` if given. */
export async function revokeSessionsOf(tx: ControlTx, userId: string, exceptId?: string): Promise<number> {
  const ended = await tx
    .updateTable('accounts.sessions')
    .set({ revokedAt: now() })
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .$if(exceptId !== undefined, (query) => query.where('id', '<>', exceptId ?? ''))
    .returning('id')
    .execute()
  for (const { id } of ended) await notify(tx, 'session', id)
  return ended.length
}

/** Ids of the guests who became this user, as a column beside the user's own. */
export const FORMER_IDS = sql<string[]>`
  array(select guest_id from accounts.guest_aliases where guest_aliases.user_id = users.id)`.as('formerIds')

/** The provider of a business may say of anybody in its domains that they are there: that makes nobody an operator. */
const IS_OPERATOR = sql<boolean>`
  sessions.staff_of is null and exists (select from accounts.operators where operators.user_id = users.id)`.as(
  'isOperator',
)

/** Sent instead of an id: any session may have ended. */
export const ALL_SESSIONS = '*'
const BATCH = 5_000

/** Ends all sessions, guests' too, in short batches. Logins in the meantime stay. Returns how many ended. */
export async function endAllSessions(control: ControlDb): Promise<number> {
  const before = now()
  let [ended, last] = [0, '']
  for (;;) {
    const ids = await transaction(control, (tx) => endSome(tx, before, last))
    ended += ids.length
    last = ids.at(-1) ?? last
    if (ids.length < BATCH) break
  }
  await transaction(control, (tx) => audit(tx, { action: 'sessions.ended', subject: ALL_SESSIONS, data: { ended } }))
  return ended
}

async function endSome(tx: ControlTx, before: Date, afterId: string): Promise<string[]> {
  const some = await tx
    .selectFrom('accounts.sessions')
    .select('id')
    .where('id', '>', afterId)
    .where('revokedAt', 'is', null)
    .where('createdAt', '<=', before)
    .orderBy('id')
    .limit(BATCH)
    .forUpdate()
    .execute()
  const ids = some.map(({ id }) => id)
  await tx
    .updateTable('accounts.sessions')
    .set({ revokedAt: now() })
    .where('id', '=', sql<string>`any(${ids})`)
    .execute()
  await notify(tx, 'session', ALL_SESSIONS)
  return ids
}

/** The actor of a session that is still alive. */
export async function findSessionActor(db: ControlDb, sessionId: string): Promise<Actor | undefined> {
  const row = await db
    .selectFrom('accounts.sessions')
    .innerJoin('accounts.users', 'accounts.users.id', 'accounts.sessions.userId')
    .select([
      'accounts.sessions.userId',
      'accounts.sessions.secondFactorAt',
      'accounts.sessions.staffOf',
      'accounts.sessions.confirmedWith',
      'accounts.users.email',
      'accounts.users.isGuest',
      FORMER_IDS,
      IS_OPERATOR,
    ])
    .where('accounts.sessions.id', '=', sessionId)
    .where('accounts.sessions.revokedAt', 'is', null)
    .where((session) => session.or([session('endsAt', 'is', null), session('endsAt', '>', now())]))
    .where('accounts.users.suspendedAt', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const kind = row.isGuest ? 'guest' : 'user'
  const { userId, formerIds, isOperator } = row
  const email = row.email ?? undefined
  return { kind, userId, email, sessionId, isOperator, formerIds, ...reachOf(row) }
}

type Reach = { staffOf: string | null; confirmedWith: string | null; secondFactorAt: Date | null }

/** Where a session may act, and where its second factor counts: what the provider of a business says counts there only. */
function reachOf({ staffOf, confirmedWith, secondFactorAt }: Reach) {
  const passed = secondFactorAt !== null
  if (staffOf === null) return { onlyBusinessId: undefined, passedSecondFactor: passed }
  return {
    onlyBusinessId: confirmedWith === null ? staffOf : undefined,
    passedSecondFactor: passed && confirmedWith !== null && isSecondFactor(confirmedWith as Proof),
    ...(passed ? { secondFactorOf: staffOf } : {}),
  }
}

export async function listSessions(db: ControlDb, userId: string, currentId: string | undefined) {
  const rows = await db
    .selectFrom('accounts.sessions')
    .select(['id', 'provider', 'createdAt', 'lastUsedAt', 'userAgent', 'address'])
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .where((session) => session.or([session('endsAt', 'is', null), session('endsAt', '>', now())]))
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    provider: row.provider,
    userAgent: row.userAgent,
    address: row.address,
    createdAt: toSeconds(row.createdAt),
    lastUsedAt: toSeconds(row.lastUsedAt),
    current: row.id === currentId,
  }))
}
