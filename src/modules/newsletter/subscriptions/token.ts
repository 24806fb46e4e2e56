import { isProof as isOurs, makeProof } from '#platform/crypto/proof.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'

/** Newsletters get forwarded with their unsubscribe link, so that link must not confirm the address. */
export type Purpose = 'leave' | 'confirm'
type Named = { businessId: string; id: string }

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

export const isProof = (box: SecretBox, proof: string, named: Named, purpose: Purpose): boolean =>
  isOurs(box, LINK, toText(named, purpose), proof)

/** `sendId`: of the letter that it stands in. It proves nothing, and is believed of readers who got that letter. */
export const unsubscribeUrl = (publicUrl: string, box: SecretBox, named: Named, sendId?: string) =>
  `${publicUrl}/newsletters/unsubscribe?token=${encodeURIComponent(tokenOf(box, named, 'leave'))}${sendId === undefined ? '' : `&send=${sendId}`}`
export const confirmUrl = (publicUrl: string, box: SecretBox, named: Named) =>
  `${publicUrl}/newsletters/confirm?token=${encodeURIComponent(tokenOf(box, named, 'confirm'))}`
