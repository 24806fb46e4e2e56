import { verify, X509Certificate } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { createCache } from '#platform/cache.ts'
import { nowMs } from '#platform/clock.ts'
import { findUnstorable, isTooDeep } from '#platform/http/json-body.ts'
import { createChecker } from '#platform/http/validation.ts'
import { isEmail } from '#vocabulary/email.ts'
import { Nullable, OneOf } from '#vocabulary/schemas.ts'
import { snsFailed, snsSignatureInvalid, tooManyCertificates, topicUnknown } from '../errors.ts'
import { type MailEvent, readMessageId } from './suppress.ts'

const TIMEOUT_MS = 5_000
const MAX_AGE_MS = 3_600_000
const KEEP_CERTIFICATE_MS = 24 * 3_600_000
/** Anybody may name certificates that do not exist, so concurrent fetches are bounded. */
const MAX_FETCHES = 4

const Text = (maxLength: number) => Type.String({ maxLength })
const Message = Type.Object({
  Type: OneOf(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: Text(200),
  TopicArn: Text(400),
  Subject: Type.Optional(Text(1_000)),
  Message: Text(300_000), // SNS sends 256 KiB at most
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

/** Undefined for text that cannot be parsed, or not be stored. */
export function readJson(text: string): unknown {
  if (isTooDeep(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return findUnstorable(value, '') === undefined ? value : undefined
  } catch {
    return undefined
  }
}

/** Messages of Amazon SNS, accepted only when they are signed and come from a configured topic. */
export function createSns({ topicArns, fetch }: { topicArns: readonly string[]; fetch: typeof globalThis.fetch }) {
  const certificates = createCache<X509Certificate>({ max: 20, ttlMs: KEEP_CERTIFICATE_MS })
  let fetching = 0

  async function read(raw: string): Promise<SnsMessage> {
    const checked = checkMessage(readJson(raw))
    if ('details' in checked) throw snsSignatureInvalid()
    const message = checked.value
    if (!topicArns.includes(message.TopicArn)) throw topicUnknown()
    const ageMs = Math.abs(nowMs() - Date.parse(message.Timestamp))
    if (!(ageMs <= MAX_AGE_MS)) throw snsSignatureInvalid() // an invalid date is refused, too
    const certificate = await findCertificate(message)
    if (!certificate || !isSignedBy(certificate, message)) throw snsSignatureInvalid()
    return message
  }

  async function findCertificate({ TopicArn, SigningCertURL }: SnsMessage): Promise<X509Certificate | undefined> {
    const url = urlAt(TopicArn, SigningCertURL)
    if (!url || url.search !== '' || !/^\/SimpleNotificationService-[\w-]{1,200}\.pem$/.test(url.pathname)) {
      return undefined
    }
    return certificates.get(url.href, async () => {
      if (fetching >= MAX_FETCHES) throw tooManyCertificates({ seconds: 1 })
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
    if (!response || response.status >= 500) throw snsFailed() // SNS repeats its message
    return response
  }

  /** Confirms the subscription to a topic. */
  async function confirm({ TopicArn, SubscribeURL = '' }: SnsMessage): Promise<void> {
    const url = urlAt(TopicArn, SubscribeURL)
    const isConfirmation =
      url?.pathname === '/' &&
      url.searchParams.get('Action') === 'ConfirmSubscription' &&
      url.searchParams.get('TopicArn') === TopicArn
    if (!isConfirmation) throw snsSignatureInvalid()
    const response = await ask(url)
    if (!response.ok) throw snsFailed()
  }

  return { read, confirm }
}

/** The URL, if it belongs to SNS in the region of the topic: no other host is called. */
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

/** The signed text: names and values, one per line, in this order. */
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

/** The events in a message of Amazon SES; none if it is about something else, or about an unknown mail. */
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
      .filter(isEmail)
      .map((email) => ({ type, email, businessId, messageId }))

  if (eventType === 'Bounce' && bounce) {
    return toEvents(bounce.bounceType === 'Permanent' ? 'HARD_BOUNCE' : 'SOFT_BOUNCE', bounce.bouncedRecipients)
  }
  // A mailbox provider also reports mails that were moved out of spam.
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
