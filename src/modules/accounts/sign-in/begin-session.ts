import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { type Device, type Proof, type Provider, startSession } from '../credentials/sessions.ts'
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

/** Starts the session of a login that has shown all that its account asks for. `proof`: the second factor, if it was. */
export async function beginSession(
  tx: ControlTx,
  { box, device }: { box: SecretBox; device: Device },
  { userId, provider, guestId, endsAt, sealedProviderToken, newIdentity, staffOf, providerSession }: RightLogin,
  proof?: Proof,
) {
  await tx.updateTable('accounts.users').set({ lastLoginAt: now() }).where('id', '=', userId).execute()
  if (newIdentity) await joinIdentity(tx, userId, newIdentity)
  if (guestId) await mergeGuest(tx, guestId, userId)
  if (provider !== 'OAUTH_IDP' || proof) await rememberAddress(tx, box, userId, device.address)
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
