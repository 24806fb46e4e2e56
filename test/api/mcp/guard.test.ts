import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectMcp } from '../../support/mcp.ts'
import { useWorld } from '../../support/world.ts'

let key: string
const used = useWorld({}, async ({ make }) => {
  const { admin } = await make.business()
  key = (await make.apiKey(admin.id)).value
})

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

const send = (query = '', { headers = {}, body = JSON.stringify(LIST), method = 'POST' } = {}) =>
  fetch(`${used.api.url}/mcp${query}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(method === 'POST' && { body }),
  })

test('without a key, or with a wrong one, it is 401 and says how to authenticate', async () => {
  const wrong = await send('', { headers: { authorization: 'Bearer kontor_wrong' } })
  assert.equal(wrong.status, 401)
  assert.match(wrong.headers.get('www-authenticate') ?? '', /^Bearer/)
  const none = await fetch(`${used.api.url}/mcp`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(none.status, 401)
  await assert.rejects(connectMcp(used.api.url, 'kontor_wrong'), /401|[Uu]nauthorized/)
  const guest = await used.make.guest()
  assert.equal((await send('', { headers: { authorization: `Bearer ${guest.token}` } })).status, 403)
})

test('a key in the address is refused, not read', async () => {
  for (const query of [`?key=${key}`, `?access_token=${key}`, `?api_key=${key}`]) {
    const answer = await send(query)
    assert.equal(answer.status, 400)
    assert.match(await answer.text(), /in the Authorization header/)
    const without = await fetch(`${used.api.url}/mcp${query}`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(without.status, 401)
  }
  assert.equal((await send('?write=yes')).status, 400)
  assert.match(await (await send('?tags=orders&tags=products')).text(), /Give tags once/)
  assert.match(await (await send('?tags=colours')).text(), /There are no tools of \\"colours\\"\. There are .*orders/)
})

test('pages of other origins are refused', async () => {
  assert.equal((await send('', { headers: { origin: 'https://evil.example' } })).status, 403)
  assert.equal((await send('', { headers: { origin: 'null' } })).status, 403)
  assert.equal((await send('', { headers: { origin: 'http://localhost:3000' } })).status, 200)
})

test('nothing stays open: GET and DELETE are 405, and there are no subscriptions', async () => {
  for (const method of ['GET', 'DELETE']) {
    const answer = await send('', { method })
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'])
  }
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: meta },
  })
  const answer = await send('', {
    body,
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
  })
  assert.match(await answer.text(), /"error"/)
})

test('bodies have a limit, and must be JSON', async () => {
  assert.equal(
    (await send('', { body: JSON.stringify({ ...LIST, padding: 'x'.repeat(2 * 1024 * 1024) }) })).status,
    413,
  )
  assert.equal((await send('', { body: '{' })).status, 400)
  assert.equal((await send('', { headers: { 'content-type': 'text/plain' } })).status, 400)
  const unknown = await send('', { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/list' }) })
  assert.match(await unknown.text(), /-32601/)
})

test('a list of messages is refused: it would count as one request', async () => {
  const answer = await send('', { body: JSON.stringify([LIST, { ...LIST, id: 2 }]) })
  assert.equal(answer.status, 400)
  assert.match(await answer.text(), /one message at a time/)
})

test('it is no operation of the reference, and answers are not kept', async () => {
  const { body } = await used.make.anonymous().get('/openapi.json')
  assert.equal(body.paths['/mcp'], undefined)
  assert.equal((await send()).headers.get('cache-control'), 'no-store')
})
