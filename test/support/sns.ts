import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:bounces'
const HOST = 'https://sns.eu-central-1.amazonaws.com'
const CERTIFICATE = `${HOST}/SimpleNotificationService-0123456789abcdef.pem`
const DAY_MS = 86_400_000

export type Envelope = Record<string, string | undefined>
type Signing = { version?: '1' | '2'; key?: KeyObject }
export type Sns = Awaited<ReturnType<typeof openSns>>

/** Amazon's notification service on loopback: signs as it does, serves its certificate, and hears confirmations. */
export async function openSns() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const until = (ms: number) => toPem(makeCertificate(privateKey, publicKey, new Date(Date.now() + ms)))
  const files: Record<string, string> = {
    [new URL(CERTIFICATE).pathname]: until(DAY_MS),
    '/SimpleNotificationService-late.pem': until(DAY_MS),
    '/SimpleNotificationService-expired.pem': until(-1_000),
    '/SimpleNotificationService-broken.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    '/': '<ConfirmSubscriptionResponse/>',
  }
  const state = { status: 200, hold: Promise.resolve() }
  const server = createServer(({ url = '' }, response) => {
    const file = files[url.split('?')[0] ?? '']
    void state.hold.then(() => response.writeHead(file === undefined ? 404 : state.status).end(file ?? ''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  /** Every address that the service was sent to, also those that it should never ask. */
  const asked: string[] = []

  const sign = (envelope: Envelope, { version = '2', key = privateKey }: Signing = {}): Envelope => {
    const lines = Object.entries({ ...envelope, SignatureVersion: undefined, SigningCertURL: undefined })
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${name}\n${value}\n`)
    const signer = createSign(version === '1' ? 'RSA-SHA1' : 'RSA-SHA256').update(lines.join(''))
    return { ...envelope, SignatureVersion: version, Signature: signer.sign(key, 'base64') }
  }
  let count = 0
  const common = () => ({
    MessageId: `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`,
    TopicArn: TOPIC,
    Timestamp: new Date().toISOString(),
    SigningCertURL: CERTIFICATE,
  })

  return {
    asked,
    /** What it answers to the next questions. */
    answer(status: number) {
      state.status = status
    },
    /** From now on nothing is answered, until what this answers is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>()
      state.hold = promise
      return resolve
    },
    fetch: ((input: string | URL | Request, init?: RequestInit) => {
      const { href, origin: wanted, pathname, search } = new URL(input instanceof Request ? input.url : input)
      asked.push(href)
      return wanted === HOST ? fetch(origin + pathname + search, init) : Promise.reject(new TypeError(`asked ${href}`))
    }) as typeof fetch,
    notification: (message: unknown, changes: Envelope = {}, signing?: Signing) => {
      const Message = typeof message === 'string' ? message : JSON.stringify(message)
      return sign({ Type: 'Notification', Message, ...common(), ...changes }, signing)
    },
    confirmation: (changes: Envelope = {}, signing?: Signing) => {
      const { TopicArn, ...rest } = { ...common(), ...changes }
      const query = `Action=ConfirmSubscription&TopicArn=${TopicArn}&Token=token`
      const SubscribeURL = changes.SubscribeURL ?? `${HOST}/?${query}`
      const Message = 'You have chosen to subscribe'
      const Type = 'SubscriptionConfirmation'
      return sign({ Type, Message, Token: 'token', TopicArn, ...rest, SubscribeURL }, signing)
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const toPem = (der: Buffer) => {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

/** A self-signed certificate, by hand: Node reads them but cannot make one. */
function makeCertificate(privateKey: KeyObject, publicKey: KeyObject, until: Date): Buffer {
  const algorithm = sequence(der(0x06, Buffer.from('2a864886f70d01010b', 'hex')), der(0x05)) // RSA with SHA-256
  const commonName = sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from('sns.amazonaws.com')))
  const name = sequence(der(0x31, commonName))
  const from = new Date(until.getTime() - 30 * DAY_MS)
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = createSign('RSA-SHA256').update(body).sign(privateKey)
  return sequence(body, algorithm, der(0x03, Buffer.from([0]), signature))
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const time = (at: Date) => der(0x17, Buffer.from(`${at.toISOString().replaceAll(/\D/g, '').slice(2, 14)}Z`))
