import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger } from 'fastify'
import { nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { forEachLimit } from '#platform/for-each-limit.ts'
import { cellOf } from '#platform/http/cells.ts'
import { handle } from '#platform/http/operation.ts'
import { openCounter } from '#platform/observability/define-metric.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import type { Business } from '#vocabulary/business.ts'
import { AppError } from '#vocabulary/errors.ts'
import { bodyNotJson, noBounces, noSns, signatureInvalid } from '../errors.ts'
import { mailEvents } from '../metrics.ts'
import * as operation from './operations.ts'
import { createSns, type ReportedEvent, readJson, readSesEvents } from './sns.ts'
import { applyMailEvents, type MailEvent, readMessageId } from './suppress.ts'

export type BounceOptions = {
  /** Each secret may sign events of a mail server; without any, events are refused. */
  secrets: readonly string[]
  topicArns: readonly string[]
  findBusiness: (id: string) => Promise<Business | undefined> | Business | undefined
  cells: ReadonlyMap<string, Db>
  metrics: Metrics
  /** For fetching the certificates of SNS. */
  fetch?: typeof globalThis.fetch
}

const TOLERANCE_SECONDS = 300
const LOOKUPS_AT_A_TIME = 4

/** Webhooks for bounces and complaints. */
export const bounceRoutes: FastifyPluginAsyncTypebox<BounceOptions> = async (app, options) => {
  const { secrets, topicArns, findBusiness, cells, metrics, fetch = globalThis.fetch } = options
  const sns = createSns({ topicArns, fetch })
  const counted = openCounter(metrics, mailEvents)
  // Signatures cover the raw bytes.
  app.removeContentTypeParser('application/json')
  for (const type of ['application/json', 'text/plain']) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, raw, done) => done(null, raw))
  }

  handle(
    app,
    operation.receiveBounces,
    async ({ body, log }) => {
      await receive(body.events, log)
      return { success: true } as const
    },
    {
      preValidation: async (request) => {
        if (secrets.length === 0) throw noBounces()
        const raw = (request.body as Buffer | undefined) ?? Buffer.alloc(0)
        if (!isSigned(raw, request.headers['kontor-signature'], secrets)) {
          counted.inc({ outcome: 'forged' })
          throw signatureInvalid()
        }
        const body = readJson(raw.toString())
        if (body === undefined) throw bodyNotJson()
        request.body = body // validated by the schema next
      },
    },
  )

  handle(app, operation.receiveSesEvents, async ({ body, log }) => {
    if (topicArns.length === 0) throw noSns()
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
  })

  async function receive(events: readonly ReportedEvent[], log: FastifyBaseLogger): Promise<void> {
    const named = events.map(nameBusiness).filter((event) => event !== undefined)
    const found = new Map<string, Db>()
    await forEachLimit(LOOKUPS_AT_A_TIME, new Set(named.map(({ businessId }) => businessId)), async (id) => {
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
