import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { sql } from 'kysely'
import { audit } from '#modules/access/index.ts'
import { createCache } from '#platform/cache.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { isDatabaseUnavailable } from '#platform/database/errors.ts'
import { type Listener, notify } from '#platform/database/listener.ts'
import { transaction } from '#platform/database/transaction.ts'
import { newId } from '#vocabulary/ids.ts'

export const ALGORITHM = 'ES256'
/** A new key is published this long before it signs, so that every verifier knows it by then. */
const ANNOUNCE_MS = 15 * 60_000
/** A replaced key stays published until the last access token that it signed has long expired. */
const PUBLISHED_AFTER_MS = 2 * 3_600_000
const REFRESH_MS = 60_000
/** An unknown kid triggers a reload, at most this often: strangers must not be able to make it expensive. */
const UNKNOWN_RELOAD_MS = 1_000

type SigningKey = {
  kid: string
  activeFrom: number
  publicKey: CryptoKey
  publicJwk: JWK
  privateKey: CryptoKey | undefined
}

export type Keyring = {
  /** The key that signs now. */
  signer(): Promise<{ kid: string; key: CryptoKey }>
  /** The public key to verify with; undefined for a kid that is not ours. */
  verifier(kid: string): Promise<CryptoKey | undefined>
  /** The response of `/.well-known/jwks.json`. */
  published(): Promise<{ keys: JWK[] }>
}

/** Signing keys are stored in the control database, sealed with SECRET_KEY; the first is created on demand. */
export function openKeyring(control: ControlDb, box: SecretBox, listener?: Listener): Keyring {
  const cache = createCache<SigningKey[]>({ max: 1, ttlMs: REFRESH_MS })
  let lookedAt = Number.NEGATIVE_INFINITY
  let last: SigningKey[] = []
  const forget = () => cache.drop('keys')
  listener?.on('signing-keys', forget)
  listener?.onGap(forget)

  /** While control is away, those that there were: a token is of no use without its session, which is looked up each time. */
  async function load(): Promise<SigningKey[]> {
    try {
      last = await read()
    } catch (error) {
      if (last.length === 0 || !isDatabaseUnavailable(error)) throw error
    }
    return last
  }

  async function read(): Promise<SigningKey[]> {
    const rows = await control.selectFrom('accounts.signingKeys').selectAll().orderBy('activeFrom').execute()
    return Promise.all(
      rows.map(async (row) => {
        const publicJwk = JSON.parse(row.publicJwk) as JWK
        const sealed = box.open(row.sealedPrivate)
        return {
          kid: row.kid,
          activeFrom: row.activeFrom.getTime(),
          publicJwk,
          publicKey: (await importJWK(publicJwk, ALGORITHM)) as CryptoKey,
          privateKey: sealed && ((await importJWK(JSON.parse(sealed.toString()) as JWK, ALGORITHM)) as CryptoKey),
        }
      }),
    )
  }

  const fresh = async () => (await cache.get('keys', load)) ?? []

  // The very first key signs whatever the clock says: the process that created it may be ahead of this one.
  const active = (all: SigningKey[]) => all.findLast((key) => key.activeFrom <= nowMs()) ?? all[0]

  return {
    async signer() {
      let key = active(await fresh())
      if (!key) {
        await transaction(control, (tx) => makeFirstKey(tx, box))
        forget()
        key = active(await fresh())
      }
      if (!key?.privateKey) {
        throw new Error(
          'SECRET_KEY does not open the signing key in the database. Give the old one as well: SECRET_KEY=new,old',
        )
      }
      return { kid: key.kid, key: key.privateKey }
    },
    async verifier(kid) {
      const find = (all: SigningKey[]) => all.find((key) => key.kid === kid)?.publicKey
      const known = find(await fresh())
      if (known) return known
      if (nowMs() - lookedAt >= UNKNOWN_RELOAD_MS) {
        lookedAt = nowMs()
        forget() // perhaps created by another process a moment ago
      }
      return find(await fresh())
    },
    async published() {
      const all = await fresh()
      const signing = active(all)
      const useful = all.filter((key) => {
        const successor = all.find((later) => later.activeFrom > key.activeFrom)
        return key === signing || !successor || successor.activeFrom > nowMs() - PUBLISHED_AFTER_MS
      })
      return { keys: useful.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, alg: ALGORITHM, use: 'sig' })) }
    },
  }
}

async function makeFirstKey(tx: ControlTx, box: SecretBox): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('kontor.signing-keys', 0))`.execute(tx)
  const known = await tx.selectFrom('accounts.signingKeys').select('kid').limit(1).executeTakeFirst()
  if (known) return
  const { kid } = await insertKey(tx, box, now())
  await notify(tx, 'signing-keys', kid)
}

/** Announces a new key, which signs in a quarter of an hour. Old keys still verify. */
export async function rotateSigningKey(tx: ControlTx, box: SecretBox): Promise<{ kid: string; activeFrom: Date }> {
  await makeFirstKey(tx, box)
  const key = await insertKey(tx, box, new Date(nowMs() + ANNOUNCE_MS))
  await notify(tx, 'signing-keys', key.kid)
  return key
}

async function insertKey(tx: ControlTx, box: SecretBox, activeFrom: Date) {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  const kid = newId('key')
  await tx
    .insertInto('accounts.signingKeys')
    .values({
      kid,
      publicJwk: JSON.stringify(await exportJWK(publicKey)),
      sealedPrivate: box.seal(Buffer.from(JSON.stringify(await exportJWK(privateKey)))),
      activeFrom,
      createdAt: now(),
    })
    .execute()
  return { kid, activeFrom }
}

export type KeyState = 'announced' | 'signs' | 'verifies'

/** Oldest first, each with its state and the time from which it signs or signed. */
export async function listSigningKeys(
  db: ControlDb,
): Promise<{ kid: string; state: KeyState; activeFrom: Date; createdAt: Date }[]> {
  const rows = await db
    .selectFrom('accounts.signingKeys')
    .select(['kid', 'activeFrom', 'createdAt'])
    .orderBy('activeFrom')
    .execute()
  const signing = rows.findLast(({ activeFrom }) => activeFrom.getTime() <= nowMs()) ?? rows[0]
  const stateOf = (row: { activeFrom: Date }): KeyState => {
    if (row === signing) return 'signs'
    return row.activeFrom.getTime() > nowMs() ? 'announced' : 'verifies'
  }
  return rows.map((row) => ({ ...row, state: stateOf(row) }))
}

/**
 * Invalidates everything that the key signed: access, refresh and confirmation tokens. If it was the active key, a new
 * one signs at once, unannounced: a token that some verifier does not know yet is better than a forged one.
 */
export async function revokeSigningKey(tx: ControlTx, box: SecretBox, kid: string): Promise<string | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended('kontor.signing-keys', 0))`.execute(tx)
  const revoked = (await listSigningKeys(tx)).find((key) => key.kid === kid)
  if (!revoked) return undefined
  await tx.deleteFrom('accounts.signingKeys').where('kid', '=', kid).execute()
  if (revoked.state === 'signs') await insertKey(tx, box, now())
  const signsNow = (await listSigningKeys(tx)).find(({ state }) => state === 'signs')?.kid
  await notify(tx, 'signing-keys', kid)
  await audit(tx, { action: 'signing-key.revoked', subject: kid, data: { signsNow: signsNow ?? null } })
  return signsNow
}

/** Seals every signing key again under the first SECRET_KEY, after a rotation. */
export async function resealSigningKeys(tx: ControlTx, box: SecretBox): Promise<number> {
  const rows = await tx.selectFrom('accounts.signingKeys').select(['kid', 'sealedPrivate']).forUpdate().execute()
  for (const { kid, sealedPrivate } of rows) {
    const plain = box.open(sealedPrivate)
    if (!plain) throw new Error(`No SECRET_KEY given opens signing key ${kid}.`)
    await tx
      .updateTable('accounts.signingKeys')
      .set({ sealedPrivate: box.seal(plain) })
      .where('kid', '=', kid)
      .execute()
  }
  return rows.length
}

/** The number of signing keys, and of those that no SECRET_KEY opens. */
export async function countSigningKeys(control: ControlDb, box: SecretBox): Promise<{ all: number; shut: number }> {
  const rows = await control.selectFrom('accounts.signingKeys').select('sealedPrivate').execute()
  return { all: rows.length, shut: rows.filter(({ sealedPrivate }) => !box.open(sealedPrivate)).length }
}
