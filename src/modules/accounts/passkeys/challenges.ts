import { randomBytes } from 'node:crypto'
import { now, nowMs } from '#platform/clock.ts'
import { isProof, makeProof } from '#platform/crypto/proof.ts'
import { hashToken, type SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { passkeyInvalid } from '../errors.ts'

export const CHALLENGE_MS = 5 * 60_000

/** A challenge is for one purpose: to log in, or to register a passkey with one account. */
export type Purpose = 'login' | `register:${string}`

const proofText = (purpose: Purpose, body: string) => `${purpose}:${body}`

/**
 * Made without a write, because anybody may ask for one: it says itself when it ends, and proves that it is ours. Only
 * those that were used are written down.
 */
export function newChallenge(box: SecretBox, purpose: Purpose): string {
  const body = `${randomBytes(16).toString('base64url')}.${nowMs() + CHALLENGE_MS}`
  return Buffer.from(`${body}.${makeProof(box, 'passkey-challenge', proofText(purpose, body))}`).toString('base64url')
}

export function isChallenge(box: SecretBox, purpose: Purpose, challenge: string): boolean {
  const [random = '', endsMs = '', proof = ''] = Buffer.from(challenge, 'base64url').toString().split('.')
  const isOurs = isProof(box, 'passkey-challenge', proofText(purpose, `${random}.${endsMs}`), proof)
  return isOurs && Number(endsMs) > nowMs()
}

/** A challenge works once. */
export async function useChallenge(tx: ControlTx, challenge: string): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('accounts.usedChallenges')
    .values({ challengeHash: hashToken(challenge), expiresAt: new Date(now().getTime() + CHALLENGE_MS) })
    .onConflict((used) => used.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw passkeyInvalid()
}
