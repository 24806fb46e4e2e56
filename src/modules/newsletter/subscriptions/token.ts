import { createHmac, timingSafeEqual } from 'node:crypto'
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

/** One for each SECRET_KEY, the current one first. */
const proofsOf = (box: SecretBox, { businessId, id }: Named, purpose: Purpose) =>
  box
    .hashes('newsletter link', `${purpose} ${businessId} ${id}`)
    .map((hash) => hash.toString('base64url').slice(0, PROOF_LENGTH))

/** The token in a mailed link: the subscription, and the proof. */
export function tokenOf(box: SecretBox, named: Named, purpose: Purpose): string {
  const [proof] = proofsOf(box, named, purpose)
  if (!proof) throw new Error('no SECRET_KEY')
  return `${named.businessId}.${named.id}.${proof}`
}

export function readToken(token: string): { businessId: string; id: string; proof: string } | undefined {
  const [, businessId, id, proof] = /^([\w-]{1,64})\.([\w-]{1,64})\.([\w-]{1,64})$/.exec(token) ?? []
  return businessId && id && proof ? { businessId, id, proof } : undefined
}

export function isProof(box: SecretBox, proof: string, row: Named & Mailed, purpose: Purpose): boolean {
  if (proofsOf(box, row, purpose).some((expected) => isSame(Buffer.from(proof), Buffer.from(expected)))) return true
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

export const unsubscribeUrl = (publicUrl: string, box: SecretBox, named: Named) =>
  `${publicUrl}/newsletters/unsubscribe?token=${encodeURIComponent(tokenOf(box, named, 'leave'))}`
export const confirmUrl = (publicUrl: string, box: SecretBox, named: Named) =>
  `${publicUrl}/newsletters/confirm?token=${encodeURIComponent(tokenOf(box, named, 'confirm'))}`
