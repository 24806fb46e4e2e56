import { randomInt, randomUUID } from 'node:crypto'
import { CALLBACK_PATH } from '#modules/accounts/sign-in/oauth.ts'
import { startStripeTwin } from '../../twins/stripe/server.ts'
import { startChild } from '../support/child.ts'
import { openIdentityProvider } from '../support/identity-provider.ts'
import { startMailServer } from '../support/mail-server.ts'
import { createMake } from '../support/make.ts'
import { createPeople } from '../support/people.ts'
import { createTestDatabases, startApi } from '../support/start-api.ts'
import { type FaultLine, openFaultLine } from './fault-line.ts'
import { supervise } from './supervise.ts'

/** What the service needs, each behind a line of its own. A cell is one of its databases; PostgreSQL is all of them. */
export const PARTS = ['PostgreSQL', 'cell', 'SMTP', 'Stripe', 'identity', 'Redis'] as const
export type Part = (typeof PARTS)[number]
export const SHOP_ORIGIN = 'https://shop.example.com'
const PUBLIC_URL = 'http://localhost:3000'
const REDIS = new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379')
const MAX_ANSWER_MS = 30_000

export type Reply = {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- what a probe expects of a body is for the probe to say
  body: any
  headers: Headers
  seconds: number
}
export type FaultWorld = Awaited<ReturnType<typeof openFaultWorld>>

/** The real API and worker in processes of their own, with a line that can be broken between them and all that they need. */
export async function openFaultWorld() {
  const secrets = { secretKey: 'sk_test_twin', webhookSecret: 'whsec_twin' }
  const [databases, twin, mailServer] = await Promise.all([
    createTestDatabases(),
    startStripeTwin({ ...secrets, retryMs: Array.from({ length: 300 }, () => 500) }),
    startMailServer(),
  ])
  const lines: FaultLine[] = []
  const lineTo = async (at: { host: string; port: number }) => {
    const line = await openFaultLine(at)
    lines.push(line)
    return line
  }
  const lineToUrl = async (url: string) => {
    const { hostname, port } = new URL(url)
    return lineTo({ host: hostname, port: Number(port || 5432) })
  }
  const control = await lineToUrl(databases.main.url)
  const cell = await lineToUrl(databases.second.url)
  const mail = await lineToUrl(mailServer.env.SMTP_URL)
  const stripe = await lineToUrl(twin.url)
  const redis = await lineTo({ host: REDIS.hostname, port: Number(REDIS.port || 6379) })
  let identity: FaultLine | undefined
  const idp = await openIdentityProvider(PUBLIC_URL + CALLBACK_PATH, async (at) => {
    identity = await lineTo(at)
    return identity
  })
  const linesOf: Record<Part, FaultLine[]> = {
    PostgreSQL: [control, cell],
    cell: [cell],
    SMTP: [mail],
    Stripe: [stripe],
    identity: identity ? [identity] : [],
    Redis: [redis],
  }

  const shared = {
    ...idp.env,
    MAIL_FROM: mailServer.env.MAIL_FROM,
    STRIPE_SECRET_KEY: secrets.secretKey,
    STRIPE_WEBHOOK_SECRET: secrets.webhookSecret,
    STRIPE_SHARED_ACCOUNT: 'true',
    ALLOWED_ORIGINS: SHOP_ORIGIN,
  }
  const env = {
    ...shared,
    DATABASE_URL: through(databases.main.url, control),
    CELLS: JSON.stringify({ second: { url: through(databases.second.url, cell) } }),
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    STRIPE_API_URL: `http://127.0.0.1:${stripe.port}`,
    RATE_LIMITS: 'on',
    REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    REDIS_PREFIX: `faults-${process.pid}:`,
    TRUST_PROXY: '127.0.0.1',
  }
  /** Past all lines: to make things with, and to look at what has become of them. */
  const aside = await startApi({
    databases,
    publicUrl: PUBLIC_URL,
    env: { ...shared, SMTP_URL: mailServer.env.SMTP_URL, STRIPE_API_URL: twin.url },
  })
  const api = await startChild('api', env)
  twin.setWebhookUrl(`${api.url}/v1/payments/webhooks/stripe`)

  const worker = supervise(() => startChild('worker', env))

  /** One request to the API under test, each from an address of its own. */
  async function ask(method: string, path: string, options: { token?: string; body?: unknown; key?: string } = {}) {
    const start = performance.now()
    const { token, body, key } = options
    const response = await fetch(api.url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(MAX_ANSWER_MS),
      headers: {
        'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(key && { 'idempotency-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const seconds = (performance.now() - start) / 1000
    return { status: response.status, body: parse(text), headers: response.headers, seconds } satisfies Reply
  }

  return {
    ask,
    aside,
    make: createMake(aside),
    people: createPeople(aside),
    twin,
    mailServer,
    idp,
    cells: aside.services.databases.cells,
    api,
    workerEnds: worker.exits,
    newKey: () => randomUUID(),
    break: async (part: Part, how: Parameters<FaultLine['break']>[0]) => {
      await Promise.all(linesOf[part].map((line) => line.break(how)))
    },
    mend: async (part: Part) => {
      await Promise.all(linesOf[part].map((line) => line.mend()))
    },
    async close() {
      await Promise.all([api.kill(), worker.stop()])
      await aside.close()
      await Promise.all([twin.close(), idp.close(), mailServer.close(), ...lines.map((line) => line.close())])
      await databases.drop()
    },
  }
}

function through(url: string, { host, port }: FaultLine): string {
  const changed = new URL(url)
  changed.hostname = host
  changed.port = String(port)
  return changed.href
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
