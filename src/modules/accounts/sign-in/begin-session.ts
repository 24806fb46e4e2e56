import { audit, auditMemberships } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { type Device, FIRST_PROOF, isOwn, type Proof, type Provider, startSession } from '../credentials/sessions.ts'
import { staffRefused } from '../errors.ts'
import { sendIdentityNotice } from '../jobs.ts'
import { holdProvenAddress } from '../staff/domains.ts'
import { rememberAddress } from './known-addresses.ts'
import { mergeGuest } from './merge-guest.ts'

/** A login that is right, and all that its session needs. */
export type RightLogin = {
  userId: string
  provider: Exclude<Provider, 'GUEST'>
  /** Becomes this user. */
  guestId: string | null
  /** When the session ends, if it does by itself. */
  endsAt: Date | null
  sealedProviderToken: Buffer | null
  /** Of the identity provider: joins the account with this login. */
  newIdentity: { issuer: string; subject: string } | null
  /** The business whose provider it came from, and the provider's own id for the session. */
  staffOf?: string | null
  providerSession?: string | null
}

/**
 * Starts the session of a login that has shown all that its account asks for. `proof`: the second factor, if it was.
 * The provider or its domain may have been removed since the provider's response.
 */
export async function beginSession(
  tx: ControlTx,
  { box, device }: { box: SecretBox; device: Device },
  { userId, provider, guestId, endsAt, sealedProviderToken, newIdentity, staffOf, providerSession }: RightLogin,
  proof?: Proof,
) {
  const { email } = await tx
    .updateTable('accounts.users')
    .set({ lastLoginAt: now() })
    .where('id', '=', userId)
    .returning('email')
    .executeTakeFirstOrThrow()
  if (staffOf != null && !(await holdProvenAddress(tx, staffOf, email ?? ''))) throw staffRefused()
  if (newIdentity) {
    await joinIdentity(tx, userId, newIdentity)
    await announceIdentity(tx, userId, { issuer: newIdentity.issuer, staffOf: staffOf ?? null })
  }
  if (guestId) await mergeGuest(tx, guestId, userId)
  if (isOwn(proof ?? FIRST_PROOF[provider])) await rememberAddress(tx, box, userId, device.address)
  const session = await startSession(tx, {
    userId,
    provider,
    device,
    sealedProviderToken,
    endsAt: endsAt ?? undefined,
    staffOf: staffOf ?? null,
    providerSession: providerSession ?? null,
    ...(proof ? { proof } : {}),
  })
  await audit(tx, {
    action: 'login.succeeded',
    subject: userId,
    data: { provider, address: device.address, ...(proof ? { secondFactor: proof } : {}) },
  })
  return session
}

/** From now on that identity opens this account. */
export async function joinIdentity(
  tx: ControlTx,
  userId: string,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<void> {
  const joined = await tx
    .insertInto('accounts.identities')
    .values({ issuer, subject, userId, createdAt: now() })
    .onConflict((known) => known.doNothing())
    .returning('userId')
    .executeTakeFirst()
  if (joined) await audit(tx, { action: 'identity.linked', subject: userId, data: { issuer } })
}

/**
 * An account that could be opened before can be opened by an identity provider as well: its person and the businesses where
 * they are members learn of it. Which provider it is only its own business learns: the others need not know where else
 * somebody works.
 */
export async function announceIdentity(
  tx: ControlTx,
  userId: string,
  { issuer, staffOf }: { issuer: string; staffOf: string | null },
): Promise<void> {
  await auditMemberships(tx, userId, (businessId) => ({
    action: 'member.identity-joined',
    data: businessId === staffOf ? { issuer } : {},
  }))
  await enqueue(tx, sendIdentityNotice, { userId, businessId: staffOf })
}
