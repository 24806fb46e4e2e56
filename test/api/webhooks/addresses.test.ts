import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { after, before, test } from 'node:test'
import { type Rules, rulesFor } from '#platform/outgoing/check-address.ts'
import { openLine } from '#platform/outgoing/line.ts'
import { isPublicAddress } from '#platform/outgoing/public-address.ts'
import { namesOf, PRIVATE_HOSTS } from '../../support/private-hosts.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

/** Stands for the world outside. Everything else on this machine is private, as it is in earnest. */
const OUTSIDE = '127.0.0.2'
const used = useWorld()
const sink = { connections: 0, port: 0 }
const sinkServer = createTcpServer((socket) => {
  sink.connections++
  socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret')
})
const outside = { asked: 0, port: 0, redirect: '' }
const outsideServer = createServer((request, response) => {
  outside.asked++
  request.resume()
  if (outside.redirect) response.writeHead(307, { location: outside.redirect }).end()
  else response.writeHead(200).end('fine')
})

before(async () => {
  sinkServer.listen(0, '::')
  outsideServer.listen(0, OUTSIDE)
  await Promise.all([once(sinkServer, 'listening'), once(outsideServer, 'listening')])
  sink.port = (sinkServer.address() as AddressInfo).port
  outside.port = (outsideServer.address() as AddressInfo).port
})
after(() => {
  sinkServer.close()
  outsideServer.closeAllConnections()
  outsideServer.close()
})

const rules = (changes: Partial<Rules> = {}): Rules => ({
  ...rulesFor({ allowLoopback: false }),
  isAllowed: (address) => address === OUTSIDE || isPublicAddress(address),
  isAllowedPort: () => true, // so that the address alone decides
  resolve: async (host) =>
    (namesOf(OUTSIDE)[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  ...changes,
})

async function post(address: string, changes?: Partial<Rules>) {
  const line = openLine(address, rules(changes))
  try {
    return await line.post({ body: '{}', headers: {}, timeoutMs: 2_000 })
  } finally {
    line.close()
  }
}

test('no form of a private address is reached, whether it is named or led to', async () => {
  for (const host of PRIVATE_HOSTS) {
    for (const scheme of ['http', 'https']) {
      const { problem } = await post(`${scheme}://${host}:${sink.port}/`)
      assert.equal(problem, 'ADDRESS_NOT_ALLOWED', `${scheme} ${host}`)
    }
    outside.redirect = encodeURI(`http://${host}:${sink.port}/`).replaceAll(/%5B|%5D/g, decodeURI)
    const led = await post(`http://${OUTSIDE}:${outside.port}/`)
    assert.deepEqual([led.status, led.problem], [307, undefined], host)
  }
  outside.redirect = ''
  for (const address of [`http://u:p@${OUTSIDE}:${outside.port}/`, `http://u@${OUTSIDE}:${sink.port}/`])
    assert.equal((await post(address)).problem, 'ADDRESS_NOT_ALLOWED')
  assert.equal(sink.connections, 0)
})

test('a name that changes its mind between being looked up and connected to changes nothing', async () => {
  let asked = 0
  const resolve: Rules['resolve'] = async () => [{ address: asked++ === 0 ? OUTSIDE : '127.0.0.1', family: 4 }]
  const line = openLine(`http://rebind.test:${outside.port}/`, rules({ resolve }))
  const before = outside.asked
  // The connection is kept, so it still leads outside; nobody looks the name up again.
  for (let count = 0; count < 3; count++) assert.equal((await line.post({ body: '{}', headers: {} })).status, 200)
  assert.deepEqual([asked, outside.asked - before], [1, 3])
  // A new connection is judged anew.
  outsideServer.closeAllConnections()
  const { problem } = await line.post({ body: '{}', headers: {} })
  assert.equal(problem, 'ADDRESS_NOT_ALLOWED')
  line.close()
  assert.equal(sink.connections, 0)
})

test('a connection that ends up somewhere else is ended before anything is sent', async () => {
  let looked = 0
  const before = outside.asked
  const isAllowed = () => looked++ === 0 // right when it was judged, wrong when it was connected
  assert.equal((await post(`http://${OUTSIDE}:${outside.port}/`, { isAllowed })).problem, 'ADDRESS_NOT_ALLOWED')
  assert.equal(outside.asked, before)
})

test('an endpoint cannot be made of any of them', async () => {
  const { admin, path } = await used.make.business()
  const made = (url: string) => admin.post(`${path}/webhook-endpoints`, { url, types: ['*'] })
  // Those that a name server of the test knows are private, too, but here none is asked.
  const known = PRIVATE_HOSTS.filter((host) => !host.endsWith('.test'))
  assert.ok(known.length >= 70)
  for (const host of known) assert.match(refusal(await made(`https://${host}/`)), /^422 VALIDATION_FAILED url/, host)
  for (const url of ['http://8.8.8.8/', 'https://8.8.8.8:8443/', 'https://a:b@8.8.8.8/', 'file:///etc/passwd'])
    assert.match(refusal(await made(url)), /^422 VALIDATION_FAILED url/, url)
  assert.equal((await made('https://8.8.8.8/')).status, 201)
})

test('WEBHOOKS_ALLOW_PRIVATE lets requests go anywhere, for whoever runs both sides', () => {
  const { isAllowed, isAllowedPort } = rulesFor({ allowLoopback: false, allowPrivate: true })
  assert.ok(isAllowed('10.0.0.1') && isAllowedPort(8080, '10.0.0.1'))
})
