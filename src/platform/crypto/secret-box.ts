import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Encryption at rest and keyed hashes (HMAC), both under SECRET_KEY: secrets in the database are sealed, and those that
 * only have to be recognised are hashed. Each purpose has a derived key of its own. During key rotation the first key
 * writes and all of them read.
 */
export type SecretBox = {
  seal(plain: Uint8Array): Buffer
  /** Returns undefined when no key fits. */
  open(sealed: Uint8Array): Buffer | undefined
  /** Keyed hash under every key, the current one first. */
  hashes(purpose: string, text: string): Buffer[]
  /**
   * Fingerprints of the keys, the current one first: stored beside a hash to say which key made it. They reveal nothing
   * of the key.
   */
  fingerprints: readonly string[]
}

const IV_BYTES = 12
const TAG_BYTES = 16

const derive = (key: Buffer, purpose: string) => Buffer.from(hkdfSync('sha256', key, '', `kontor ${purpose}`, 32))

export function createSecretBox(secretKeys: readonly Buffer[]): SecretBox {
  const sealing = secretKeys.map((key) => derive(key, 'seal'))
  const hashing = new Map<string, Buffer[]>()
  const keysFor = (purpose: string) => {
    const known = hashing.get(purpose)
    if (known) return known
    const made = secretKeys.map((key) => derive(key, `hash ${purpose}`))
    hashing.set(purpose, made)
    return made
  }
  return {
    seal(plain) {
      const [key] = sealing
      if (!key) throw new Error('no SECRET_KEY')
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed) {
      const box = Buffer.from(sealed)
      if (box.length < IV_BYTES + TAG_BYTES) return undefined
      for (const key of sealing) {
        const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
        decipher.setAuthTag(box.subarray(-TAG_BYTES))
        try {
          return Buffer.concat([decipher.update(box.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
        } catch {
          // sealed under another key
        }
      }
      return undefined
    },
    fingerprints: secretKeys.map((key) => derive(key, 'print').toString('hex', 0, 8)),
    hashes: (purpose, text) => keysFor(purpose).map((key) => createHmac('sha256', key).update(text).digest()),
  }
}

/** For long random tokens: they need neither a key nor a slow hash. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
export const newToken = (): string => randomBytes(32).toString('base64url')
