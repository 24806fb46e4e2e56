import { createHmac, timingSafeEqual } from 'node:crypto'
import { isProof as isOurs, makeProof } from '#platform/crypto/proof.ts'
import { hashToken, type SecretBox } from '#platform/crypto/secret-box.ts'

/** Newsletters get forwarded with their unsubscribe link, so that link must not confirm the address. */
export type Purpose = 'leave' | 'confirm'
type Named = { businessId: string; id: string }
/**
 * Subscriptions from before proofs were derived have a stored secret; once it is removed, the hashes of its proofs
 * remain.
 */
type Mailed = { secret: string; mailedProofs: Buffer[] | null }

const PROOF_LENGTH = 22 // 132 bits

const LINK = 'newsletter link'
const toText = ({ businessId, id }: Named, purpose: Purpose) => `${purpose} ${businessId} ${id}`

/** The token in a mailed link: the subscription, and the proof. */
export function tokenOf(box: SecretBox, named: Named, purpose: Purpose): string {
  return `${named.businessId}.${named.id}.${makeProof(box, LINK, toText(named, purpose))}`
}

export function readToken(token: string): { businessId: string; id: string; proof: string } | undefined {
  const [, businessId, id, proof] = /^([\w-]{1,64})\.([\w-]{1,64})\.([\w-]{1,64})$/.exec(token) ?? []
  return businessId && id && proof ? { businessId, id, proof } : undefined
}

export function isProof(box: SecretBox, proof: string, row: Named & Mailed, purpose: Purpose): boolean {
  if (isOurs(box, LINK, toText(row, purpose), proof)) return true
  if (row.secret !== '' && isSame(Buffer.from(proof), Buffer.from(oldProofOf(row.secret, purpose)))) return true
  return (row.mailedProofs ?? []).some((hash) => isSame(hashOf(proof, purpose), hash))
}

const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

const oldProofOf = (secret: string, purpose: Purpose) =>
  createHmac('sha256', secret).update(purpose).digest('base64url').slice(0, PROOF_LENGTH)
const hashOf = (proof: string, purpose: Purpose) => hashToken(`${purpose} ${proof}`)

/** Enough to verify links that were mailed with a secret, and too little to forge one. */
export const hashesOfSecret = (secret: string): Buffer[] =>
  (['leave', 'confirm'] as const).map((purpose) => hashOf(oldProofOf(secret, purpose), purpose))

/** `sendId`: of the letter that it stands in. It proves nothing, and is believed of readers who got that letter. */
export const unsubscribeUrl = (publicUrl: string, box: SecretBox, named: Named, sendId?: string) =>
  `${publicUrl}/newsletters/unsubscribe?token=${encodeURIComponent(tokenOf(box, named, 'leave'))}${sendId === undefined ? '' : `&send=${sendId}`}`
export const confirmUrl = (publicUrl: string, box: SecretBox, named: Named) =>
  `${publicUrl}/newsletters/confirm?token=${encodeURIComponent(tokenOf(box, named, 'confirm'))}`
