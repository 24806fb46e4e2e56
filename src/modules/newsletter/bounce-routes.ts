import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger } from 'fastify'
import { Counter } from 'prom-client'
import { Type } from 'typebox'
import { nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { cellOf } from '#platform/http/cells.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { someAtATime } from '#platform/some-at-a-time.ts'
import type { Business } from '#vocabulary/business.ts'
import { AppError, badRequest, providerNotConfigured } from '#vocabulary/errors.ts'
import { BusinessId, Email, OneOf, Success } from '#vocabulary/schemas.ts'
import { createSns, type ReportedEvent, readJson, readSesEvents } from './sns.ts'
import { applyMailEvents, MAIL_EVENTS, type MailEvent, readMessageId } from './suppressions.ts'

export type BounceOptions = {
  /** Any of them signs what comes from a mail server; none: it is not listened to. */
  secrets: readonly string[]
  topicArns: readonly string[]
  findBusiness: (id: string) => Promise<Business | undefined> | Business | undefined
  cells: ReadonlyMap<string, Db>
  metrics: Metrics
  /** How SNS is asked for its certificates. */
  fetch?: typeof globalThis.fetch
}

const TOLERANCE_SECONDS = 300
const LOOKUPS_AT_A_TIME = 4

const MailEvents = Type.Object({
  events: Type.Array(
    Type.Object({
      type: OneOf(MAIL_EVENTS, {
        description: 'HARD_BOUNCE and COMPLAINT suppress the address; SOFT_BOUNCE is only told to the business.',
        examples: ['HARD_BOUNCE'],
      }),
      email: Email,
      businessId: Type.Optional(BusinessId),
      messageId: Type.Optional(
        Type.String({
          maxLength: 998,
          description: 'The Message-ID of the mail. Names the business if `businessId` is absent.',
          examples: ['<newsletter.biz_4k7q2m9x1c3v.snd_01jcq3v7k8.sub_01jcq3v7k8@api.example.com>'],
        }),
      ),
    }),
    { minItems: 1, maxItems: 1_000 },
  ),
})

const signatureInvalid = () =>
  badRequest('These events are not signed with the secret of this service, or were signed too long ago.', [
    { field: 'kontor-signature', error: 'SIGNATURE_INVALID', message: 'The signature does not fit.' },
  ])

/** What mail servers tell about mails that were sent. */
export const bounceRoutes: FastifyPluginAsyncTypebox<BounceOptions> = async (app, options) => {
  const { secrets, topicArns, findBusiness, cells, metrics, fetch = globalThis.fetch } = options
  const sns = createSns({ topicArns, fetch })
  const counted = new Counter({
    name: 'kontor_mail_events_total',
    help: 'Bounces and complaints about newsletters, by what became of them',
    labelNames: ['outcome'],
    registers: [metrics.registry],
  })
  // Signatures are over the bytes as they came.
  app.removeContentTypeParser('application/json')
  for (const type of ['application/json', 'text/plain']) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, raw, done) => done(null, raw))
  }

  app.post(
    '/v1/newsletters/webhooks/bounces',
    {
      config: { access: 'public', business: 'provider' },
      schema: {
        operationId: 'receiveBounces',
        tags: ['Newsletters'],
        summary: 'Take bounces and complaints of a mail server',
        description:
          'Signed: `Kontor-Signature: t=<unix seconds>,v1=<hex>`, where `v1` is the HMAC-SHA256 of `<t>.<body>` with ' +
          '`BOUNCE_WEBHOOK_SECRET`; `t` is not older than 5 minutes. Events that name no business that there is are ignored.',
        body: MailEvents,
        response: { 200: Success },
      },
      preValidation: async (request) => {
        if (secrets.length === 0) throw providerNotConfigured('bounce')
        const raw = (request.body as unknown as Buffer | undefined) ?? Buffer.alloc(0)
        if (!isSigned(raw, request.headers['kontor-signature'], secrets)) {
          counted.inc({ outcome: 'forged' })
          throw signatureInvalid()
        }
        const body = readJson(raw.toString())
        if (body === undefined) throw badRequest('The body is not valid JSON.')
        request.body = body as typeof request.body // the schema looks next
      },
    },
    async ({ body, log }) => {
      await receive(body.events, log)
      return { success: true } as const
    },
  )

  app.post(
    '/v1/newsletters/webhooks/ses',
    {
      config: { access: 'public', business: 'provider' },
      schema: {
        operationId: 'receiveSesEvents',
        tags: ['Newsletters'],
        summary: 'Take bounces and complaints of Amazon SES',
        description:
          'For Amazon SNS, with topics that `SNS_TOPIC_ARNS` names: their subscriptions are confirmed, and what is published ' +
          'there by SES is applied. Include the original headers in notifications: they name the business.',
        response: { 200: Success },
      },
    },
    async ({ body, log }) => {
      if (topicArns.length === 0) throw providerNotConfigured('SNS')
      const message = await sns.read((body as Buffer | undefined)?.toString() ?? '').catch((error: unknown) => {
        if (error instanceof AppError && error.status === 400) counted.inc({ outcome: 'forged' })
        throw error
      })
      const { Type: type, TopicArn: topic, MessageId: id } = message
      if (type === 'SubscriptionConfirmation') await sns.confirm(message)
      if (type !== 'Notification') log.info({ topic, type }, 'a subscription to an SNS topic has changed')
      else {
        const events = readSesEvents(message.Message)
        if (events.length === 0) log.info({ topic, id }, 'an SNS message that is about no mail of ours')
        await receive(events, log)
      }
      return { success: true } as const
    },
  )

  async function receive(events: readonly ReportedEvent[], log: FastifyBaseLogger): Promise<void> {
    const named = events.map(nameBusiness).filter((event) => event !== undefined)
    const found = new Map<string, Db>()
    await someAtATime(LOOKUPS_AT_A_TIME, new Set(named.map(({ businessId }) => businessId)), async (id) => {
      const business = await findBusiness(id)
      if (business) found.set(id, cellOf(cells, business, log))
    })
    const known = named.filter(({ businessId }) => found.has(businessId))
    for (const [cell, ofCell] of Map.groupBy(known, ({ businessId }) => found.get(businessId))) {
      if (cell) await transaction(cell, (tx) => applyMailEvents(tx, ofCell))
    }
    for (const { type } of known) counted.inc({ outcome: type })
    const foreign = events.length - known.length
    if (foreign === 0) return
    counted.inc({ outcome: 'foreign' }, foreign)
    log.info({ foreign }, 'bounces that name no business of ours')
  }
}

function nameBusiness({ type, email, businessId, messageId }: ReportedEvent): MailEvent | undefined {
  const named = messageId === undefined ? undefined : readMessageId(messageId)
  const id = businessId ?? named?.businessId
  if (id === undefined) return undefined
  return { type, email, businessId: id, sendId: named?.businessId === id ? named.sendId : undefined }
}

function isSigned(raw: Buffer, header: string | string[] | undefined, secrets: readonly string[]): boolean {
  const [, seconds, signature] = /^t=(\d{1,12}),\s*v1=([0-9a-f]{64})$/i.exec(String(header ?? '')) ?? []
  if (!seconds || !signature || Math.abs(nowMs() / 1000 - Number(seconds)) > TOLERANCE_SECONDS) return false
  const given = Buffer.from(signature, 'hex')
  return secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(`${seconds}.`).update(raw).digest()
    return timingSafeEqual(given, expected)
  })
}
