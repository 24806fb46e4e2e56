import type { SecretBox } from '#platform/crypto/secret-box.ts'
import { isLoopback } from '#vocabulary/origins.ts'
import { passkeyInvalid } from '../errors.ts'
import type { Origins } from '../sign-in/origins.ts'
import { isChallenge, type Purpose } from './challenges.ts'

export type RelyingParty = { box: SecretBox; origins: Origins; publicUrl: string }

/** Passkeys are for the host of PUBLIC_URL. */
export const relyingPartyId = (publicUrl: string) => new URL(publicUrl).hostname

/** Loaded when the first passkey is judged: it takes 0.4 s, and most processes never need it. */
export const webauthn = () => import('@simplewebauthn/server')

/** Ed25519, ECDSA on P-256, RSA: all that authenticators in use can do. */
export const ALGORITHMS = [-8, -7, -257]

/**
 * What the browser says about the page that asked, which the passkey signs: the challenge must be ours, the page one of
 * the operator's, and not inside of another site's. In development any page of this machine will do.
 */
export async function readClientData(
  { box, origins, publicUrl }: RelyingParty,
  purpose: Purpose,
  clientDataJson: string,
): Promise<{ challenge: string; origin: string }> {
  const { challenge, origin, crossOrigin } = parse(clientDataJson)
  if (typeof challenge !== 'string' || typeof origin !== 'string' || crossOrigin === true) throw passkeyInvalid()
  if (!isChallenge(box, purpose, challenge)) throw passkeyInvalid()
  const isDevelopment = isLoopback(publicUrl) && isLoopback(origin)
  if (!isDevelopment && !(await origins.isAllowed(origin, []))) throw passkeyInvalid()
  return { challenge, origin }
}

function parse(clientDataJson: string): Record<string, unknown> {
  try {
    return (JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()) ?? {}) as Record<string, unknown>
  } catch {
    throw passkeyInvalid()
  }
}

/** Whatever the library finds wrong, the caller learns only that the passkey does not hold. */
export async function orInvalid<Verified extends { verified: boolean }>(work: Promise<Verified>): Promise<Verified> {
  const verified = await work.catch(() => undefined)
  if (!verified?.verified) throw passkeyInvalid()
  return verified
}
