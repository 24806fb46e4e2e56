import { verify, X509Certificate } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { createCache } from '#platform/cache.ts'
import { nowMs } from '#platform/clock.ts'
import { findUnstorable, isTooDeep } from '#platform/http/json-body.ts'
import { createChecker } from '#platform/http/validation.ts'
import { badRequest, providerFailed, rateLimited } from '#vocabulary/errors.ts'
import { Nullable, OneOf } from '#vocabulary/schemas.ts'
import { type MailEvent, readMessageId } from './suppressions.ts'

const TIMEOUT_MS = 5_000
const MAX_AGE_MS = 3_600_000
const KEEP_CERTIFICATE_MS = 24 * 3_600_000
/** Anybody may name certificates that there are not: no more than this many are looked for at a time. */
const MAX_FETCHES = 4

const Text = (maxLength: number) => Type.String({ maxLength })
const Message = Type.Object({
  Type: OneOf(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: Text(200),
  TopicArn: Text(400),
  Subject: Type.Optional(Text(1_000)),
  Message: Text(300_000), // it sends 256 KiB at most
  Timestamp: Text(40),
  SignatureVersion: OneOf(['1', '2']),
  Signature: Text(2_000),
  SigningCertURL: Text(1_000),
  SubscribeURL: Type.Optional(Text(4_000)),
  Token: Type.Optional(Text(2_000)),
})
export type SnsMessage = Static<typeof Message>

const checkMessage = createChecker(Message)
const HASHES = { '1': 'sha1', '2': 'sha256' } as const

const notSigned = () =>
  badRequest('This is not signed by Amazon SNS, or was signed too long ago.', [
    { field: 'Signature', error: 'SIGNATURE_INVALID', message: 'The signature does not fit.' },
  ])
const topicUnknown = () =>
  badRequest('Nothing is expected from this topic.', [
    { field: 'TopicArn', error: 'TOPIC_UNKNOWN', message: 'SNS_TOPIC_ARNS does not name this topic.' },
  ])

/** Undefined for whatever cannot be read, or not be stored. */
export function readJson(text: string): unknown {
  if (isTooDeep(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return findUnstorable(value, '') === undefined ? value : undefined
  } catch {
    return undefined
  }
}

/** Messages of Amazon's notification service, believed only if they are signed and come from a topic of ours. */
export function createSns({ topicArns, fetch }: { topicArns: readonly string[]; fetch: typeof globalThis.fetch }) {
  const certificates = createCache<X509Certificate>({ max: 20, ttlMs: KEEP_CERTIFICATE_MS })
  let fetching = 0

  async function read(raw: string): Promise<SnsMessage> {
    const checked = checkMessage(readJson(raw))
    if ('details' in checked) throw notSigned()
    const message = checked.value
    if (!topicArns.includes(message.TopicArn)) throw topicUnknown()
    const ageMs = Math.abs(nowMs() - Date.parse(message.Timestamp))
    if (!(ageMs <= MAX_AGE_MS)) throw notSigned() // what is no date is not in time either
    const certificate = await findCertificate(message)
    if (!certificate || !isSignedBy(certificate, message)) throw notSigned()
    return message
  }

  async function findCertificate({ TopicArn, SigningCertURL }: SnsMessage): Promise<X509Certificate | undefined> {
    const url = urlAt(TopicArn, SigningCertURL)
    if (!url || url.search !== '' || !/^\/SimpleNotificationService-[\w-]{1,200}\.pem$/.test(url.pathname)) {
      return undefined
    }
    return certificates.get(url.href, async () => {
      if (fetching >= MAX_FETCHES) throw rateLimited(1)
      fetching++
      try {
        const response = await ask(url)
        return response.ok ? toCertificate(await response.text()) : undefined
      } finally {
        fetching--
      }
    })
  }

  async function ask(url: URL): Promise<Response> {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(url, { redirect: 'error', signal }).catch(() => undefined)
    if (!response || response.status >= 500) throw providerFailed('SNS') // it sends its message again
    return response
  }

  /** Tells SNS that we want what the topic sends. */
  async function confirm({ TopicArn, SubscribeURL = '' }: SnsMessage): Promise<void> {
    const url = urlAt(TopicArn, SubscribeURL)
    const isConfirmation =
      url?.pathname === '/' &&
      url.searchParams.get('Action') === 'ConfirmSubscription' &&
      url.searchParams.get('TopicArn') === TopicArn
    if (!isConfirmation) throw notSigned()
    const response = await ask(url)
    if (!response.ok) throw providerFailed('SNS')
  }

  return { read, confirm }
}

/** The address, if it is one of SNS itself, in the region of that topic: we ask nobody else. */
function urlAt(topicArn: string, text: string): URL | undefined {
  const [, partition, , region] = topicArn.split(':')
  const url = URL.parse(text)
  const host = `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`
  const isThere = url?.protocol === 'https:' && url.host === host && url.username === '' && url.password === ''
  return isThere ? url : undefined
}

function toCertificate(pem: string): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(pem)
    return certificate.publicKey.asymmetricKeyType === 'rsa' ? certificate : undefined
  } catch {
    return undefined
  }
}

function isSignedBy({ publicKey, validFromDate, validToDate }: X509Certificate, message: SnsMessage): boolean {
  if (nowMs() < validFromDate.getTime() || nowMs() > validToDate.getTime()) return false
  const hash = HASHES[message.SignatureVersion]
  return verify(hash, Buffer.from(signedText(message)), publicKey, Buffer.from(message.Signature, 'base64'))
}

/** What the signature is over: names and values, a line each, in this order. */
function signedText(message: SnsMessage): string {
  const names =
    message.Type === 'Notification'
      ? (['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const)
      : (['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const)
  return names.map((name) => (message[name] === undefined ? '' : `${name}\n${message[name]}\n`)).join('')
}

const Recipients = Type.Array(Type.Object({ emailAddress: Text(1_000) }), { maxItems: 1_000 })
const Value = Text(100_000)
const Mail = Type.Object({
  commonHeaders: Type.Optional(Nullable(Type.Object({ messageId: Type.Optional(Nullable(Value)) }))),
  headers: Type.Optional(Nullable(Type.Array(Type.Object({ name: Value, value: Value }), { maxItems: 10_000 }))),
  tags: Type.Optional(
    Nullable(Type.Object({ 'X-Kontor-Business': Type.Optional(Type.Array(Value, { maxItems: 100 })) })),
  ),
})
const SesEvent = Type.Object({
  notificationType: Type.Optional(Value),
  eventType: Type.Optional(Value),
  bounce: Type.Optional(Type.Object({ bounceType: Value, bouncedRecipients: Recipients })),
  complaint: Type.Optional(
    Type.Object({ complainedRecipients: Recipients, complaintFeedbackType: Type.Optional(Nullable(Value)) }),
  ),
  mail: Mail,
})
const checkSesEvent = createChecker(SesEvent)

export type ReportedEvent = Pick<MailEvent, 'type' | 'email'> & {
  businessId?: string | undefined
  messageId?: string | undefined
}

/** What Amazon SES tells in the message; nothing, if it is about something else, or nobody knows whose mail it was. */
export function readSesEvents(message: string): ReportedEvent[] {
  const checked = checkSesEvent(readJson(message))
  if ('details' in checked) return []
  const { notificationType, eventType = notificationType, bounce, complaint, mail } = checked.value
  const messageId = messageIdsOf(mail).find((id) => readMessageId(id))
  const businessId = messageId === undefined ? businessOf(mail) : undefined
  if (messageId === undefined && businessId === undefined) return []
  const toEvents = (type: MailEvent['type'], recipients: Static<typeof Recipients>) =>
    recipients
      .map(({ emailAddress }) => bareAddress(emailAddress))
      .filter((email) => email.includes('@') && email.length <= 254)
      .map((email) => ({ type, email, businessId, messageId }))

  if (eventType === 'Bounce' && bounce) {
    return toEvents(bounce.bounceType === 'Permanent' ? 'HARD_BOUNCE' : 'SOFT_BOUNCE', bounce.bouncedRecipients)
  }
  // A mailbox provider can also report that somebody took a mail out of the spam.
  if (eventType === 'Complaint' && complaint && complaint.complaintFeedbackType !== 'not-spam') {
    return toEvents('COMPLAINT', complaint.complainedRecipients)
  }
  return []
}

/** SES gives mails an id of its own; what we called them is among the headers. */
const messageIdsOf = ({ commonHeaders, headers }: Static<typeof Mail>) => [
  commonHeaders?.messageId ?? '',
  ...valuesOf(headers, 'message-id'),
]

const businessOf = ({ headers, tags }: Static<typeof Mail>) =>
  [...(tags?.['X-Kontor-Business'] ?? []), ...valuesOf(headers, 'x-kontor-business')].find((id) =>
    /^[\w-]{1,64}$/.test(id),
  )

const valuesOf = (headers: Static<typeof Mail>['headers'], wanted: string) =>
  (headers ?? []).filter(({ name }) => name.toLowerCase() === wanted).map(({ value }) => value)

/** As it stood in the mail: `Ada <ada@example.com>`, or bare. */
const bareAddress = (text: string) => (/<([^<>]+)>\s*$/.exec(text)?.[1] ?? text).trim()
