import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A passkey in software: what a phone would keep, with all that a thief or a broken one could do wrong. */
export type SoftPasskey = { id: Buffer; privateKey: KeyObject; userHandle: string; counter: number }

/** How one use of it goes. Whatever is left out goes as it should. */
export type Conduct = {
  origin?: string
  rpId?: string
  challenge?: string
  isVerified?: boolean
  counter?: number
  crossOrigin?: boolean
  /** Of a new passkey: the id of another. */
  id?: Buffer
}

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()

/** CBOR, as much of it as an attestation needs: whole numbers, texts, bytes and maps. */
function cbor(value: number | string | Uint8Array | Map<number | string, unknown>): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Map) {
    const pairs = [...value].flatMap(([key, inner]) => [cbor(key), cbor(inner as string)])
    return Buffer.concat([head(5, value.size), ...pairs])
  }
  return Buffer.concat([head(2, value.length), value])
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size])
  if (size < 256) return Buffer.from([(major << 5) | 24, size])
  return Buffer.from([(major << 5) | 25, size >> 8, size & 255])
}

const PRESENT = 1
const VERIFIED = 4
const WITH_KEY = 64

function authenticatorData(rpId: string, flags: number, counter: number): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), count])
}

const clientData = (type: string, challenge: string, origin: string, crossOrigin: boolean) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }))

/** A browser on a page of this origin, with its authenticator. */
export function createAuthenticator(pageOrigin: string) {
  return {
    /** What `navigator.credentials.create()` would answer. */
    // oxlint-disable-next-line typescript/no-explicit-any -- the body of an answer
    create(options: any, conduct: Conduct = {}) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const key: SoftPasskey = {
        id: conduct.id ?? randomBytes(32),
        privateKey,
        userHandle: options.user.id,
        counter: 0,
      }
      const { counter = 0, isVerified = true, rpId = options.rp.id, crossOrigin = false } = conduct
      key.counter = counter
      const cose = new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ])
      const flags = PRESENT | WITH_KEY | (isVerified ? VERIFIED : 0)
      const length = Buffer.from([0, key.id.length])
      const authData = Buffer.concat([
        authenticatorData(rpId, flags, counter),
        Buffer.alloc(16),
        length,
        key.id,
        cbor(cose),
      ])
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ])
      const { challenge = options.challenge, origin = pageOrigin } = conduct
      const passkey = {
        id: base64(key.id),
        rawId: base64(key.id),
        type: 'public-key',
        authenticatorAttachment: 'platform',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64(clientData('webauthn.create', challenge, origin, crossOrigin)),
          attestationObject: base64(cbor(attestation)),
          transports: ['internal'],
        },
      }
      return { key, passkey }
    },

    /** What `navigator.credentials.get()` would answer. */
    // oxlint-disable-next-line typescript/no-explicit-any -- the body of an answer
    get(key: SoftPasskey, options: any, conduct: Conduct = {}) {
      const { counter = key.counter === 0 ? 0 : ++key.counter, isVerified = true, rpId = options.rpId } = conduct
      const { challenge = options.challenge, origin = pageOrigin, crossOrigin = false } = conduct
      const authData = authenticatorData(rpId, PRESENT | (isVerified ? VERIFIED : 0), counter)
      const data = clientData('webauthn.get', challenge, origin, crossOrigin)
      const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), key.privateKey)
      return {
        id: base64(key.id),
        rawId: base64(key.id),
        type: 'public-key',
        authenticatorAttachment: 'platform',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64(data),
          authenticatorData: base64(authData),
          signature: base64(signature),
          userHandle: key.userHandle,
        },
      }
    },
  }
}
