import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertError } from '../../support/assert-error.ts'
import { createClient } from '../../support/client.ts'
import { startApi } from '../../support/start-api.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const LONG_MS = 10_500

/** Sends the last of its body when everybody else has been answered long since. */
async function postSlowly(url: string): Promise<number | undefined> {
  const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/json' } })
  sent.write('{"a":')
  await sleep(LONG_MS)
  sent.end('1}')
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}

async function* writeSlowly() {
  yield 'first '
  await sleep(LONG_MS)
  yield 'last'
}

// One test, because a deadline takes its time: all of them wait together.
test('who is not answered within nine seconds is told so; files, slow senders and slow routes are left alone', async (t) => {
  const lines: string[] = []
  const api = await startApi({
    databases: used.api.databases,
    lines,
    routes(app) {
      const config = { access: 'public', business: 'none' } as const
      const late = async () => {
        await sleep(LONG_MS)
        return { done: true }
      }
      app.get('/test/late', { config }, late)
      app.get('/test/slow', { config: { ...config, isSlow: true } }, late)
      app.post('/test/told', { config }, () => ({ done: true }))
      app.get('/test/file', { config }, (_request, reply) =>
        reply.type('text/plain').send(Readable.from(writeSlowly())),
      )
    },
  })
  t.after(() => api.close())
  const client = createClient(api.url)
  const start = performance.now()
  const [late, slow, file, told] = await Promise.all([
    client.get('/test/late').then((answer) => ({ ...answer, ms: performance.now() - start })),
    client.get('/test/slow'),
    client.get('/test/file'),
    postSlowly(`${api.url}/test/told`),
  ])
  assertError(late, 503, 'UNAVAILABLE')
  assert.equal(late.headers.get('retry-after'), '1')
  assert.ok(late.ms > 8_500, `${late.ms} ms`)
  assert.deepEqual([slow.status, file.text, told], [200, 'first last', 200])
  // What comes after the answer disturbs nobody.
  assert.equal((await client.post('/test/told', {})).status, 200)
  assert.ok(lines.some((line) => line.includes('a request took too long')))
  assert.ok(!lines.some((line) => line.includes('unexpected error')))
})
