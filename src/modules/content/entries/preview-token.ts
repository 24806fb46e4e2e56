import { nowMs } from '#platform/clock.ts'
import { isProof, makeProof } from '#platform/crypto/proof.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import { previewEnded, previewInvalid } from '../errors.ts'

type Named = { businessId: string; id: string }

const LASTS_SECONDS = 3_600
const PURPOSE = 'entry preview'

/**
 * Lets whoever holds it read one entry as the shop would show it, published or not, for an hour. Nothing is stored: it
 * says when it ends, and proves with SECRET_KEY that we said so.
 */
export function makePreviewToken(box: SecretBox, entry: Named): { token: string; expiresAt: number } {
  const expiresAt = Math.floor(nowMs() / 1000) + LASTS_SECONDS
  return { token: `${expiresAt}.${makeProof(box, PURPOSE, toText(entry, expiresAt))}`, expiresAt }
}

export function checkPreviewToken(box: SecretBox, entry: Named, token: string): void {
  const [, end, proof] = /^(\d{1,12})\.([\w-]{22})$/.exec(token) ?? []
  if (!end || !proof) throw previewInvalid()
  if (!isProof(box, PURPOSE, toText(entry, Number(end)), proof)) throw previewInvalid()
  if (Number(end) * 1000 <= nowMs()) throw previewEnded()
}

const toText = ({ businessId, id }: Named, expiresAt: number) => `${businessId} ${id} ${expiresAt}`
