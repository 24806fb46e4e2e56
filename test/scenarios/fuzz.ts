// Sends what the generator makes to a real API, and holds each answer against openapi.json.
import http from 'node:http'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { startChild } from '../support/child.ts'
import { createMake } from '../support/make.ts'
import { createPeople, PASSWORD, type People } from '../support/people.ts'
import { type SeededBusiness, seedBusiness } from '../support/seed-business.ts'
import { startWorld } from '../support/world.ts'
import {
  type FuzzRequest,
  type OpenApi,
  type Operation,
  operationsOf,
  requestsFor,
  type Stock,
} from './fuzz-requests.ts'
import type { Schema } from './fuzz-values.ts'

const MAX_MS = 10_000
const PARALLEL = 8
/** These end what the other callers of a round still need, so that they are asked by somebody who is not needed. */
const FAREWELLS = new Set(['eraseMe', 'endSessions', 'logout', 'changePassword', 'updateMe'])

/** What ends a record comes last in its round, or the others would find nothing. */
const ends = ({ operation, isPlain }: FuzzRequest) =>
  operation.method === 'DELETE' || operation.id === 'cancelSend' || (operation.id === 'updateBusiness' && !isPlain)

export type Finding = { operation: string; what: string; curl: string }
type RecordedEvent = { status: number; headers: http.IncomingHttpHeaders; text: string; ms: number }
export type FuzzResult = Awaited<ReturnType<typeof fuzz>>

/** `count` requests over all operations, a few of each at a time, the businesses and their people new in every round. */
export async function fuzz({
  count,
  seed,
  note,
  perRound = 6,
}: {
  count: number
  seed: number
  note(text: string): void
  perRound?: number
}) {
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'hello@kontor.example', BOUNCE_WEBHOOK_SECRET: 'bounces' }
  const service = await startWorld({ providers: ['stripe'], env: mail })
  const child = await startChild('api', { ...service.api.databases.env, ...service.env, LOG_LEVEL: 'info' })
  const agent = new http.Agent({ keepAlive: true, maxSockets: PARALLEL })
  try {
    const make = createMake({ url: child.url, services: service.api.services })
    const people = createPeople({ url: child.url, services: service.api.services })
    const document = (await make.anonymous().get('/openapi.json')).body as OpenApi
    const operations = operationsOf(document)
    const fits = createJudge(document)
    const findings: Finding[] = []
    const statuses = new Map<number, number>()
    const done = new Map<string, number>()
    const slowest: { ms: number; what: string }[] = []
    let [sent, plain, plainDone] = [0, 0, 0]

    for (let round = 0; sent < count; round++) {
      const { stock, credentials } = await makeStock(make, people, round)
      const requests: FuzzRequest[] = []
      for (const [index, operation] of operations.entries()) {
        const callers = FAREWELLS.has(operation.id)
          ? ['leaver', 'nobody']
          : ['admin', 'admin', 'admin', 'key', 'guest', 'user', 'nobody']
        const arbitrary = requestsFor(operation, document, stock, callers)
        requests.push(...fc.sample(arbitrary, { numRuns: perRound, seed: seed + round * 1_000 + index }))
      }
      const order = shuffle(requests, seed + round).sort((a, b) => Number(ends(a)) - Number(ends(b)))
      const queue = order.slice(0, count - sent).values()
      const work = async () => {
        for (const request of queue) {
          const full = { ...request, headers: { ...credentials[request.caller], ...request.headers } }
          const told = await send(agent, child.url, full).catch((error: Error) => error)
          sent++
          if (request.isPlain) plain++
          const id = request.operation.id
          if (told instanceof Error) {
            findings.push({ operation: id, what: told.message, curl: curlOf(child.url, full) })
            continue
          }
          statuses.set(told.status, (statuses.get(told.status) ?? 0) + 1)
          if (told.status < 400) {
            done.set(id, (done.get(id) ?? 0) + 1)
            if (request.isPlain) plainDone++
          }
          slowest.push({ ms: told.ms, what: `${request.operation.method} ${request.operation.path} (${told.status})` })
          if (slowest.length > 500) slowest.sort((a, b) => b.ms - a.ms).splice(20)
          const what = fits(request.operation, told)
          if (what === undefined) continue
          const isNew = !findings.some((known) => known.operation === id && known.what === what)
          const least = isNew
            ? await shrink(full, async (less) => fits(less.operation, await send(agent, child.url, less)) === what)
            : full
          findings.push({ operation: id, what, curl: isNew ? curlOf(child.url, least) : '' })
          if (isNew) note(`${id}: ${what}\n    ${curlOf(child.url, least).slice(0, 1_500)}`)
        }
      }
      await Promise.all(Array.from({ length: PARALLEL }, work))
      if (round % 10 === 0) note(`${sent} requests, ${findings.length} findings`)
    }

    const metrics = await (await fetch(child.metricsUrl)).text()
    const gauge = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN)
    const loud = child.lines().filter(({ level }) => /^(error|fatal|50|60)$/.test(String(level)))
    for (const line of loud.slice(0, 10)) note(`log: ${JSON.stringify(line).slice(0, 600)}`)
    const isAlive = child.process.exitCode === null && (await make.anonymous().get('/healthz')).status === 200
    return {
      sent,
      plain,
      plainDone,
      findings,
      statuses,
      operations: operations.map(({ id }) => id),
      done,
      slowest: slowest.sort((a, b) => b.ms - a.ms).slice(0, 10),
      loopDelayMs: {
        p99: gauge('nodejs_eventloop_lag_p99_seconds') * 1_000,
        max: gauge('nodejs_eventloop_lag_max_seconds') * 1_000,
      },
      loud: loud.length,
      unhandled: /unhandled|uncaught/i.test(child.output()),
      isAlive,
    }
  } finally {
    agent.destroy()
    await child.stop()
    await service.close()
  }
}

type Make = ReturnType<typeof createMake>

/** A business with one of everything, another one, and everybody who may come. */
async function makeStock(
  make: Make,
  people: People,
  round: number,
): Promise<{ stock: Stock; credentials: Record<string, Record<string, string>> }> {
  const [here, there] = [await seedBusiness(make, { canary: `fuzz-${round}` }), await make.business({ cell: 'second' })]
  const [guest, user] = [await make.guest(), await make.user()]
  const { email } = await people.person()
  const leaver = await people.session(email)
  const { refreshToken } = leaver
  const bodies = {
    ...here.bodies,
    refresh: { provider: 'EMAIL', refreshToken },
    logout: { token: (await people.session(email)).accessToken },
    changePassword: { oldPassword: PASSWORD, newPassword: `${PASSWORD} two` },
  }
  const key = await make.apiKey(here.admin.id, here.id)
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  return {
    stock: { records: recordsOf(here, there.id), bodies, files: here.files, pools: poolsOf(here) },
    credentials: {
      admin: bearer(here.admin.token),
      leaver: bearer(leaver.accessToken),
      guest: bearer(guest.token),
      user: bearer(user.token),
      key: { 'x-api-key': key.value },
      nobody: {},
    },
  }
}

const recordsOf = ({ records, id }: SeededBusiness, otherId: string) => ({
  ...records,
  businesses: [id, otherId, id],
})

export function poolsOf({ records, id, customer }: SeededBusiness) {
  const all = Object.values(records).flat()
  const byPrefix = Object.groupBy(all, (value) => value.split('_')[0] ?? '') as Record<string, string[]>
  const [collections = [], entries = [], orders = [], products = []] = [
    'collections',
    'entries',
    'orders',
    'products',
  ].map((name) => records[name])
  const owners = [
    ...collections.map((it) => `collection:${it}`),
    ...orders.map((it) => `order:${it}`),
    ...products.map((it) => `product:${it}`),
  ]
  return {
    byPrefix,
    byField: {
      businessId: [id],
      variantId: ['one'],
      marketId: ['us', 'de'],
      market: ['us', 'de'],
      currency: ['USD', 'EUR'],
      promoCode: ['TEN'],
      code: ['TEN', 'SPRING'],
      owner: owners,
      value: [...products, ...entries],
      customerId: [customer.id],
      email: [customer.email ?? ''],
      locale: ['en'],
      slug: ['a', 'b-c'],
    } as Record<string, string[]>,
  }
}

/** A copy in which no object may have more fields than it says. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)]))
  const { type, properties, additionalProperties } = value as Schema
  const isOpen = type === 'object' && properties !== undefined && additionalProperties === undefined
  return isOpen ? { ...copy, additionalProperties: false } : copy
}

/** Answers what is wrong with an answer. */
export function createJudge(document: OpenApi) {
  const ajv = new Ajv({ strict: false, validateFormats: true })
  addFormats.default(ajv)
  ajv.addFormat('binary', true)
  ajv.addSchema(closed(document) as OpenApi, 'openapi')
  const compiled = new Map<string, ValidateFunction>()
  const escape = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
  return ({ id, responses }: Operation, { status, headers, text, ms }: RecordedEvent): string | undefined => {
    if (ms > MAX_MS) return `took more than ${MAX_MS / 1_000} s`
    const isProvider = /"error":"PROVIDER_(NOT_CONFIGURED|FAILED)"/.test(text)
    if (status >= 500 && !isProvider) return `${status} ${text.slice(0, 60)}`
    const response = responses[status]
    if (!response) return `${status} is not documented`
    const type = headers['content-type']?.split(';')[0] ?? ''
    const types = Object.keys(response.content ?? {})
    if (types.length === 0) return text === '' ? undefined : `${status} has a body that is not documented`
    if (!types.includes(type)) return `${status} is ${type}, which is not documented`
    if (type !== 'application/json') return undefined
    const name = `${id} ${status}`
    const pointer = [...response.place, 'content', type, 'schema']
    const validate = compiled.get(name) ?? ajv.compile({ $ref: `openapi#/${pointer.map(escape).join('/')}` })
    compiled.set(name, validate)
    try {
      if (validate(JSON.parse(text))) return undefined
    } catch {
      return `${status} is not JSON`
    }
    const [first] = validate.errors ?? []
    return `${status} does not fit its schema: ${first?.instancePath.replaceAll(/\d+/g, 'n')} ${first?.message}`
  }
}

function send(agent: http.Agent, url: string, request: FuzzRequest): Promise<RecordedEvent> {
  const { hostname, port } = new URL(url)
  const start = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<RecordedEvent>()
  const length = request.body ? { 'content-length': String(request.body.length) } : {}
  const headers = { ...request.headers, ...length }
  const sending = http.request({ hostname, port, agent, method: request.operation.method, path: request.path, headers })
  const timer = setTimeout(() => sending.destroy(new Error(`no answer within ${MAX_MS / 1_000} s`)), MAX_MS)
  sending.on('error', (error) => reject(error))
  sending.on('response', (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      text += chunk
    })
    const answer = () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text, ms: performance.now() - start })
    response.on('error', reject)
    response.on('end', answer)
    if (!response.headers['content-type']?.startsWith('text/event-stream')) return
    answer() // it would go on for ever
    response.destroy()
  })
  sending.end(request.body)
  return promise.finally(() => clearTimeout(timer))
}

/** The same finding with less: without headers, without a query, with fewer fields. */
async function shrink(request: FuzzRequest, isSame: (less: FuzzRequest) => Promise<boolean>): Promise<FuzzRequest> {
  let least = request
  const attempt = async (less: FuzzRequest) => {
    if (await isSame(less).catch(() => false)) least = less
  }
  await attempt({ ...least, path: least.path.split('?')[0] ?? '' })
  for (const name of Object.keys(least.headers)) {
    if (name === 'content-type' || name === 'authorization' || name === 'x-api-key') continue
    const { [name]: _, ...headers } = least.headers
    await attempt({ ...least, headers })
  }
  for (const name of fieldsOf(least.body)) {
    const { [name]: _, ...rest } = parse(least.body)
    await attempt({ ...least, body: Buffer.from(JSON.stringify(rest)) })
  }
  return least
}

function parse(body: Buffer | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}
const fieldsOf = (body: Buffer | undefined) => (body && body.length < 100_000 ? Object.keys(parse(body)) : [])

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** What repeats it on a terminal. Bytes that are no text go through `printf`. */
function curlOf(url: string, { operation, caller, path, headers, body }: FuzzRequest): string {
  const shown = (name: string, value: string) =>
    /^(authorization|x-api-key)$/.test(name) && value.length > 30 && value.length < 1_000 ? `<${caller}>` : value
  const parts = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${shown(name, value)}`)}`)
  const isText = body?.equals(Buffer.from(body.toString())) && !body.includes(0)
  const escaped = () => Array.from(body ?? [], (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  const bytes = body && (isText ? `--data-binary ${quote(body.toString())}` : '--data-binary @-')
  const piped = body && !isText ? `printf '${escaped()}' | ` : ''
  return `${piped}curl --path-as-is -g -X ${operation.method} ${[...parts, bytes].filter(Boolean).join(' ')} ${quote(url + path)}`
}

function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  const order =
    fc.sample(fc.shuffledSubarray([...items.keys()], { minLength: items.length }), { numRuns: 1, seed })[0] ?? []
  return order.map((index) => items[index] as Item)
}
