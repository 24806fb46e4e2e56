import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { openTracing } from '#platform/observability/open-tracing.ts'
import { startChild } from '../../support/child.ts'
import { createMake } from '../../support/make.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

type Attribute = { key: string; value: Record<string, unknown> }
type SentSpan = { traceId: string; spanId: string; parentSpanId?: string; name: string; attributes: Attribute[] }
type Sent = { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }

/** Takes spans as JSON, and keeps all that it hears as text, too. */
async function startCollector(t: TestContext) {
  const spans: SentSpan[] = []
  const heard: string[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    request.on('end', () => {
      heard.push(text)
      const { resourceSpans } = JSON.parse(text) as Sent
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  }
  return {
    spans,
    env,
    text: () => heard.join('\n'),
    untilSpan: (name: string) => until(name, () => spans.find((span) => span.name === name)),
  }
}

const valueOf = ({ attributes }: SentSpan, name: string) =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]

async function startTraced(t: TestContext, env: Record<string, string>) {
  const child = await startChild('api', { ...used.api.databases.env, ...env })
  t.after(() => child.kill())
  return { child, make: createMake({ url: child.url, services: used.api.services }) }
}

test('a request is a span with its route, its ids, and the statements that it needed', async (t) => {
  const collector = await startCollector(t)
  const { make } = await startTraced(t, collector.env)
  const { admin, path, id } = await make.business()
  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  assert.equal((await admin.get(`${path}/roles`, { 'x-request-id': 'traced-1', traceparent: parent })).status, 200)
  assert.equal((await admin.put(path, { name: 'Renamed' })).status, 200)

  const read = await collector.untilSpan('GET /v1/businesses/:businessId/roles')
  assert.equal(read.traceId, '0af7651916cd43dd8448eb211c80319c')
  assert.equal(valueOf(read, 'kontor.request_id'), 'traced-1')
  assert.equal(valueOf(read, 'kontor.business_id'), id)
  assert.equal(Number(valueOf(read, 'http.response.status_code')), 200)
  const write = await collector.untilSpan('PUT /v1/businesses/:businessId')
  for (const { traceId } of [read, write]) {
    const statements = collector.spans.filter((span) => span.traceId === traceId && span.name.startsWith('pg.query'))
    assert.ok(statements.length > 0)
  }
})

test('what people send is in no span: not in addresses, statements or errors', async (t) => {
  const collector = await startCollector(t)
  const { child, make } = await startTraced(t, collector.env)
  const { admin, path } = await make.business()
  const canary = 'canary-7f3a'
  await make.anonymous().post('/v1/users/login', {
    provider: 'EMAIL',
    email: `${canary}@example.com`,
    password: `${canary} harbour lantern`,
  })
  await admin.get(`${path}/products?query=${canary}&email=${canary}@example.com`)
  await admin.put(path, { name: canary }, { 'idempotency-key': canary })
  await make.anonymous().get(`/v1/${canary}?token=${canary}`)
  await make.anonymous().get(path, { authorization: `Bearer ${canary}`, 'user-agent': canary })
  assert.deepEqual(await child.stop(), { code: 0, signal: null }) // sends what is left

  assert.ok(collector.spans.length > 5)
  assert.doesNotMatch(collector.text(), new RegExp(canary))
  assert.ok(!collector.text().includes(admin.token))
})

test('a collector that is gone or silent changes nothing, and holds up stopping for 2 seconds at most', async (t) => {
  const silent = createServer(() => {}) // never answers
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    silent.closeAllConnections()
    silent.close()
  })
  for (const port of [1, (silent.address() as AddressInfo).port]) {
    const { child, make } = await startTraced(t, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: '20',
    })
    const { admin, path } = await make.business()
    for (let count = 0; count < 20; count++) assert.equal((await admin.get(path)).status, 200)
    const since = performance.now()
    assert.deepEqual(await child.stop(), { code: 0, signal: null })
    assert.ok(performance.now() - since < 8_000)
  }
})

test('without an address for traces nothing of OpenTelemetry is loaded', async () => {
  // The whole API runs in this process, and so would its traces.
  assert.equal(await openTracing(used.api.config, 'kontor-api', used.api.app.log), undefined)
  const loaded = Object.keys(createRequire(import.meta.url).cache).filter((file) =>
    file.includes('/@opentelemetry/sdk-'),
  )
  assert.deepEqual(loaded, [])
})
