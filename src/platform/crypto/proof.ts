import { timingSafeEqual } from 'node:crypto'
import type { SecretBox } from './secret-box.ts'

const LENGTH = 22 // 132 bits

const proofsOf = (box: SecretBox, purpose: string, text: string) =>
  box.hashes(purpose, text).map((hash) => hash.toString('base64url').slice(0, LENGTH))

/** What a link carries to show that it is ours: short enough for an address, made with the current SECRET_KEY. */
export function makeProof(box: SecretBox, purpose: string, text: string): string {
  const [proof] = proofsOf(box, purpose, text)
  if (!proof) throw new Error('no SECRET_KEY')
  return proof
}

/** Whether one of our keys made it. */
export function isProof(box: SecretBox, purpose: string, text: string, proof: string): boolean {
  const given = Buffer.from(proof)
  return proofsOf(box, purpose, text).some(
    (expected) => given.length === expected.length && timingSafeEqual(given, Buffer.from(expected)),
  )
}
