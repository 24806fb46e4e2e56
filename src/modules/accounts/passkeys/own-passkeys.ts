import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { needFreshProof } from '../credentials/need-proof.ts'
import { renewProof, revokeSessionsOf } from '../credentials/sessions.ts'
import { passkeyExists, passkeyInvalid, passkeyNotFound, tooManyPasskeys, userGone } from '../errors.ts'
import { sendSecurityNotice } from '../jobs.ts'
import { MAX_PASSKEYS } from '../limits.ts'
import { hasAnyFactor, lockUser } from '../second-factor/queries.ts'
import { forgetFactor } from '../second-factor/second-factor.ts'
import { CHALLENGE_MS, newChallenge, useChallenge } from './challenges.ts'
import type { PasskeyContext } from './judge-passkey.ts'
import { ALGORITHMS, orInvalid, readClientData, relyingPartyId, webauthn } from './relying-party.ts'
import type { NewPasskey } from './schemas.ts'

/** What the browser needs to make a passkey: one that is found without a name, and asks who is there. */
export async function offerPasskey({ control, box, publicUrl }: PasskeyContext, actor: Actor) {
  await needFreshProof(control, actor)
  const { userId } = actor
  const user = await control
    .selectFrom('accounts.users')
    .select(['name', 'email'])
    .where('id', '=', userId)
    .executeTakeFirst()
  if (!user) throw userGone()
  const host = relyingPartyId(publicUrl)
  return {
    challenge: newChallenge(box, `register:${userId}`),
    rp: { id: host, name: host },
    user: {
      id: Buffer.from(userId).toString('base64url'),
      name: user.email ?? user.name,
      displayName: user.name || (user.email ?? ''),
    },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: CHALLENGE_MS,
    attestation: 'none' as const,
    excludeCredentials: await listCredentials(control, userId),
    authenticatorSelection: {
      residentKey: 'required' as const,
      requireResidentKey: true as const,
      userVerification: 'required' as const,
    },
  }
}

/** What browsers need to know of the passkeys that an account has. */
export async function listCredentials(db: ControlDb, userId: string) {
  const rows = await db
    .selectFrom('accounts.passkeys')
    .select(['credentialId', 'transports'])
    .where('userId', '=', userId)
    .orderBy('id')
    .execute()
  return rows.map(({ credentialId, transports }) => ({
    type: 'public-key' as const,
    id: credentialId.toString('base64url'),
    transports,
  }))
}

/** The first factor of an account ends its other sessions: somebody may have been in them who could not pass it. */
export async function addPasskey(
  context: PasskeyContext,
  actor: Actor,
  { passkey, name }: { passkey: NewPasskey; name: string },
) {
  const { control, publicUrl } = context
  const { userId, sessionId } = actor
  await needFreshProof(control, actor)
  const { clientDataJSON, attestationObject, transports = [] } = passkey.response
  const { challenge, origin } = await readClientData(context, `register:${userId}`, clientDataJSON)
  const { verifyRegistrationResponse } = await webauthn()
  const { registrationInfo } = await orInvalid(
    verifyRegistrationResponse({
      response: {
        id: passkey.id,
        rawId: passkey.rawId,
        type: passkey.type,
        response: { clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: relyingPartyId(publicUrl),
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  )
  if (!registrationInfo) throw passkeyInvalid()
  const { credential } = registrationInfo
  const row = {
    userId,
    id: newId('pky'),
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports,
    name,
    createdAt: now(),
    lastUsedAt: null,
  }
  await transaction(control, async (tx) => {
    if (!(await lockUser(tx, userId))) throw userGone()
    await needFreshProof(tx, actor) // once more: this session may have ended, or a factor been added, meanwhile
    await useChallenge(tx, challenge)
    const isFirst = !(await hasAnyFactor(tx, userId))
    const { held } = await tx
      .selectFrom('accounts.passkeys')
      .select((all) => all.fn.countAll<number>().as('held'))
      .where('userId', '=', userId)
      .executeTakeFirstOrThrow()
    if (held >= MAX_PASSKEYS) throw tooManyPasskeys()
    try {
      await tx.insertInto('accounts.passkeys').values(row).execute()
    } catch (error) {
      throw violatedConstraint(error) === 'passkeys_credential_key' ? passkeyExists() : error
    }
    if (isFirst) await revokeSessionsOf(tx, userId, sessionId)
    if (sessionId) await renewProof(tx, sessionId, 'PASSKEY') // the person has just been verified
    await audit(tx, { action: 'passkey.added', subject: userId, actor, data: { id: row.id } })
    await enqueue(tx, sendSecurityNotice, { userId, notice: 'passkey-added' })
  })
  return presentPasskey(row)
}

export async function listPasskeys(db: ControlDb, userId: string) {
  const rows = await db
    .selectFrom('accounts.passkeys')
    .select(['id', 'name', 'createdAt', 'lastUsedAt'])
    .where('userId', '=', userId)
    .orderBy('id')
    .execute()
  return rows.map(presentPasskey)
}

const presentPasskey = (row: { id: string; name: string; createdAt: Date; lastUsedAt: Date | null }) => ({
  id: row.id,
  name: row.name,
  createdAt: toSeconds(row.createdAt),
  lastUsedAt: row.lastUsedAt && toSeconds(row.lastUsedAt),
})

export async function removePasskey(control: ControlDb, actor: Actor, id: string): Promise<void> {
  const { userId, sessionId } = actor
  await transaction(control, async (tx) => {
    await lockUser(tx, userId)
    await needFreshProof(tx, actor)
    const { numDeletedRows } = await tx
      .deleteFrom('accounts.passkeys')
      .where((row) => row.and({ userId, id }))
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw passkeyNotFound()
    await forgetFactor(tx, userId, sessionId)
    await audit(tx, { action: 'passkey.removed', subject: userId, actor, data: { id } })
    await enqueue(tx, sendSecurityNotice, { userId, notice: 'passkey-removed' })
  })
}
