import { timingSafeEqual } from 'node:crypto'
import type { SecretBox } from '../crypto/secret-box.ts'

/** What an upload address of the folder is good for. */
export type Terms = { key: string; mimeType: string; size: number; sha256: string; expiresAt: number }
export type SignedTerms = Terms & { signature: string }

const PURPOSE = 'media-upload'

/** JSON, so that no two terms give the same text. */
const textOf = ({ key, mimeType, size, sha256, expiresAt }: Terms) =>
  JSON.stringify([key, mimeType, size, sha256, expiresAt])

export function signTerms(box: SecretBox, terms: Terms): SignedTerms {
  const [signature] = box.hashes(PURPOSE, textOf(terms))
  if (!signature) throw new Error('no SECRET_KEY')
  return { ...terms, signature: signature.toString('base64url') }
}

export function areSigned(box: SecretBox, terms: SignedTerms): boolean {
  const given = Buffer.from(terms.signature, 'base64url')
  return box
    .hashes(PURPOSE, textOf(terms))
    .some((signature) => given.length === signature.length && timingSafeEqual(given, signature))
}
