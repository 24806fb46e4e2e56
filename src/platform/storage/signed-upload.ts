import { timingSafeEqual } from 'node:crypto'
import type { SecretBox } from '../crypto/secret-box.ts'

/** What an upload address of the folder is good for. */
export type Terms = { key: string; mimeType: string; size: number; sha256: string; expiresAt: number }
export type SignedTerms = Terms & { signature: string }

const PURPOSE = 'media-upload'

/** JSON, so that no two terms give the same text. */
const textOf = ({ key, mimeType, size, sha256, expiresAt }: Terms) =>
  JSON.stringify([key, mimeType, size, sha256, expiresAt])

export const signTerms = (box: SecretBox, terms: Terms): SignedTerms => ({
  ...terms,
  signature: sign(box, PURPOSE, textOf(terms)),
})

export const areSigned = (box: SecretBox, terms: SignedTerms): boolean =>
  isSigned(box, PURPOSE, textOf(terms), terms.signature)

export function sign(box: SecretBox, purpose: string, text: string): string {
  const [signature] = box.hashes(purpose, text)
  if (!signature) throw new Error('no SECRET_KEY')
  return signature.toString('base64url')
}

export function isSigned(box: SecretBox, purpose: string, text: string, signature: string): boolean {
  const given = Buffer.from(signature, 'base64url')
  return box
    .hashes(purpose, text)
    .some((expected) => given.length === expected.length && timingSafeEqual(given, expected))
}
