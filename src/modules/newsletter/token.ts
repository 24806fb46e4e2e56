import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** 128 bits. Kept as it is, because what is made from it must be put into mails for years. */
export const newSecret = () => randomBytes(16).toString('base64url')

/** A letter is forwarded, with its link for leaving: that must not confirm the address. */
export type Purpose = 'leave' | 'confirm'
type Named = { businessId: string; id: string; secret: string }

const proofOf = (secret: string, purpose: Purpose) =>
  createHmac('sha256', secret).update(purpose).digest('base64url').slice(0, 22)

/** What a link in a mail carries: which subscription, and the proof. */
export const tokenOf = ({ businessId, id, secret }: Named, purpose: Purpose) =>
  `${businessId}.${id}.${proofOf(secret, purpose)}`

export function readToken(token: string): { businessId: string; id: string; proof: string } | undefined {
  const [, businessId, id, proof] = /^([\w-]{1,64})\.([\w-]{1,64})\.([\w-]{1,64})$/.exec(token) ?? []
  return businessId && id && proof ? { businessId, id, proof } : undefined
}

export function isProof(proof: string, secret: string, purpose: Purpose): boolean {
  const [a, b] = [Buffer.from(proof), Buffer.from(proofOf(secret, purpose))]
  return a.length === b.length && timingSafeEqual(a, b)
}

export const unsubscribeUrl = (publicUrl: string, named: Named) =>
  `${publicUrl}/newsletters/unsubscribe?token=${encodeURIComponent(tokenOf(named, 'leave'))}`
export const confirmUrl = (publicUrl: string, named: Named) =>
  `${publicUrl}/newsletters/confirm?token=${encodeURIComponent(tokenOf(named, 'confirm'))}`
