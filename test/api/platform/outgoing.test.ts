import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { type Rules, rulesFor } from '#platform/outgoing/check-address.ts'
import { createDownload, type DownloadOptions } from '#platform/outgoing/download.ts'
import { OutgoingError } from '#platform/outgoing/errors.ts'
import { isPublicAddress } from '#platform/outgoing/public-address.ts'
import { namesOf, PRIVATE_HOSTS } from '../../support/private-hosts.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'kontor-outgoing-'))
const file = path.join(folder, 'file')
/** Stands for the world outside. Everything else on this machine is private, as it is in earnest. */
const OUTSIDE = '127.0.0.2'

/** Something private: whoever reaches it has won. On all addresses of this machine, of both kinds. */
const sink = { connections: 0, port: 0 }
const sinkServer = createTcpServer((socket) => {
  sink.connections++
  socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret')
})
const open: { close(): unknown }[] = [sinkServer]

before(async () => {
  sinkServer.listen(0, '::')
  await once(sinkServer, 'listening')
  sink.port = (sinkServer.address() as AddressInfo).port
})
after(() => {
  for (const server of open) server.close()
  rmSync(folder, { recursive: true })
})

const rules = (changes: Partial<Rules> = {}): Rules => ({
  ...rulesFor({ allowLoopback: false }),
  isAllowed: (address) => address === OUTSIDE || isPublicAddress(address),
  isAllowedPort: () => true, // so that the address alone decides
  ...changes,
})

async function outcome(address: string, changes?: Partial<Rules>, options?: Partial<DownloadOptions>) {
  try {
    const { size } = await createDownload(rules(changes))(address, file, { maxBytes: 5_000_000, ...options })
    return `${size} bytes`
  } catch (error) {
    if (error instanceof OutgoingError) return `${error.problem}${error.isTemporary ? ', for now' : ''}`
    throw error
  }
}

/** A server outside. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, OUTSIDE)
  await once(server, 'listening')
  open.push({ close: () => (server.closeAllConnections(), server.close()) })
  return `http://${OUTSIDE}:${(server.address() as AddressInfo).port}`
}

/** A server outside that says whatever it likes. */
async function serveRaw(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
  }).listen(0, OUTSIDE)
  await once(server, 'listening')
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  })
  return `http://${OUTSIDE}:${(server.address() as AddressInfo).port}`
}

const resolve: Rules['resolve'] = async (host) =>
  (namesOf(OUTSIDE)[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

test('no form of a private address is reached, whether it is named or led to', async () => {
  assert.ok(PRIVATE_HOSTS.length >= 70)
  const redirect = await serve((request, response) => {
    const host = decodeURIComponent(new URL(request.url ?? '', 'http://a').searchParams.get('to') ?? '')
    response
      .writeHead(302, { location: encodeURI(`http://${host}:${sink.port}/`).replaceAll(/%5B|%5D/g, decodeURI) })
      .end()
  })
  for (const host of PRIVATE_HOSTS) {
    assert.equal(await outcome(`http://${host}:${sink.port}/`, { resolve }), 'ADDRESS_NOT_ALLOWED', host)
    assert.equal(await outcome(`https://${host}:${sink.port}/`, { resolve }), 'ADDRESS_NOT_ALLOWED', host)
    const led = await outcome(`${redirect}/?to=${encodeURIComponent(host)}`, { resolve })
    assert.equal(led, 'ADDRESS_NOT_ALLOWED', `led to ${host}`)
  }
  assert.equal(sink.connections, 0)
})

test('only http and https, without a password, at the usual ports', async () => {
  const strict = { isAllowedPort: rulesFor({ allowLoopback: false }).isAllowedPort }
  for (const address of [
    'file:///etc/passwd',
    'ftp://example.com/a.png',
    'gopher://example.com/',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    'blob:http://example.com/1',
    `http://user:secret@${OUTSIDE}/`,
    `http://user@${OUTSIDE}/`,
    `http://${OUTSIDE}:22/`,
    `http://${OUTSIDE}:8080/`,
    `https://${OUTSIDE}:6379/`,
    'http://',
    'no address',
    '',
  ]) {
    assert.equal(await outcome(address, strict), 'ADDRESS_NOT_ALLOWED', address)
  }
  const led = await serve((_request, response) => response.writeHead(301, { location: 'file:///etc/passwd' }).end())
  assert.equal(await outcome(led), 'ADDRESS_NOT_ALLOWED')
})

test('in development this machine is allowed, at any port, and nothing else that is private', async () => {
  const url = await serve((_request, response) => response.end('picture'))
  const { isAllowed, isAllowedPort } = rulesFor({ allowLoopback: true })
  assert.equal(await outcome(url, { isAllowed, isAllowedPort }), '7 bytes')
  for (const host of ['10.0.0.1', '169.254.169.254', '[::ffff:127.0.0.1]', '0.0.0.0']) {
    assert.equal(await outcome(`http://${host}:${sink.port}/`, { isAllowed, isAllowedPort }), 'ADDRESS_NOT_ALLOWED')
  }
  assert.equal(isAllowedPort(8080, '93.184.216.34'), false)
})

test('a name that changes its mind after it was looked up changes nothing', async () => {
  const url = await serve((request, response) => response.end(`hello ${request.headers.host?.split(':')[0]}`))
  const { port } = new URL(url)
  let asked = 0
  const rebinding: Rules['resolve'] = async () => [{ address: asked++ === 0 ? OUTSIDE : '127.0.0.1', family: 4 }]
  assert.equal(await outcome(`http://rebind.test:${port}/`, { resolve: rebinding }), '17 bytes')
  assert.equal(readFileSync(file, 'utf8'), 'hello rebind.test')
  assert.equal(asked, 1)
  // Asked again, for the redirect, it is judged again.
  const back = await serve((_request, response) =>
    response.writeHead(307, { location: `http://rebind.test:${sink.port}/` }).end(),
  )
  assert.equal(await outcome(back, { resolve: rebinding }), 'ADDRESS_NOT_ALLOWED')
  assert.equal(sink.connections, 0)
})

test('a connection that ends up somewhere else is ended before anything is asked', async () => {
  let asked = 0
  const url = await serve((_request, response) => (asked++, response.end('x')))
  let looked = 0
  const isAllowed = () => looked++ === 0 // right when it was judged, wrong when it was connected
  assert.equal(await outcome(url, { isAllowed }), 'ADDRESS_NOT_ALLOWED')
  assert.equal(asked, 0)
})

test('three redirects are followed, the fourth is one too many', async () => {
  const url: string = await serve((request, response) => {
    const left = Number(request.url?.slice(1))
    if (left === 0) response.end('there')
    else response.writeHead(left === 2 ? 308 : 302, { location: `/${left - 1}` }).end()
  })
  assert.equal(await outcome(`${url}/3`), '5 bytes')
  assert.equal(await outcome(`${url}/4`), 'TOO_MANY_REDIRECTS')
  const nowhere = await serve((_request, response) => response.writeHead(302).end())
  assert.equal(await outcome(nowhere), 'REFUSED')
})

test('other statuses are refusals; some of them may go better later', async () => {
  const url = await serve((request, response) => response.writeHead(Number(request.url?.slice(1))).end('body'))
  for (const status of [201, 204, 206, 304, 400, 401, 403, 404, 410]) {
    assert.equal(await outcome(`${url}/${status}`), 'REFUSED', String(status))
  }
  for (const status of [408, 425, 429, 500, 502, 503]) {
    assert.equal(await outcome(`${url}/${status}`), 'REFUSED, for now', String(status))
  }
  assert.equal(await outcome(`http://${OUTSIDE}:1/`), 'UNREACHABLE, for now')
  assert.equal(await outcome('http://nobody.test/', { resolve }), 'UNREACHABLE, for now')
})

test('a server that is slow, at the beginning, in the middle or with its name, is left in time', async () => {
  const silent = await serveRaw(() => {})
  const dripping = await serveRaw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(timer))
  })
  const heads = await serveRaw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write('x-more: y\r\n'), 50)
    socket.on('close', () => clearInterval(timer))
  })
  const started = Date.now()
  for (const url of [silent, dripping, heads]) {
    assert.equal(await outcome(url, {}, { timeoutMs: 400 }), 'TIMED_OUT, for now')
  }
  const never: Rules['resolve'] = () => new Promise(() => {})
  assert.equal(await outcome('http://slow.test/', { resolve: never }, { timeoutMs: 400 }), 'TIMED_OUT, for now')
  assert.ok(Date.now() - started < 5_000)
})

test('an endless answer is read no further than it may be long', async () => {
  let sent = 0
  const chunk = Buffer.alloc(1_000_000)
  const endless = await serve((_request, response) => {
    const write = (): void => {
      while (!response.destroyed && sent < 1_000_000_000) {
        sent += chunk.length
        if (!response.write(chunk)) return void response.once('drain', write)
      }
      response.end()
    }
    write()
  })
  assert.equal(await outcome(endless), 'TOO_LARGE')
  assert.ok(sent < 60_000_000, `${sent} bytes were sent`)
})

test('what an answer says of its length is not believed', async () => {
  const raw = (head: string, body: string) =>
    serveRaw((socket) => void socket.end(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`))
  assert.equal(await outcome(await raw('content-length: 1000000000000', 'x')), 'TOO_LARGE')
  assert.equal(await outcome(await raw('content-length: 100', 'short')), 'INCOMPLETE, for now')
  assert.equal(await outcome(await raw('content-length: 4', 'longer')), '4 bytes')
  assert.equal(await outcome(await raw('content-length: -4', 'longer')), 'UNREACHABLE, for now')
  assert.equal(await outcome(await raw('transfer-encoding: chunked', 'ff\r\nshort')), 'INCOMPLETE, for now')
  assert.equal(await outcome(await raw('content-length: 0', '')), 'INCOMPLETE, for now')
  assert.equal(await outcome(await raw('content-type: image/png', 'to the end')), '10 bytes')
})

test('nothing of ours goes along, and whoever stops is heard', async () => {
  let headers: unknown
  const url = await serve((request, response) => {
    headers = request.headers
    response.end('x')
  })
  await outcome(url)
  assert.deepEqual(Object.keys(headers as object).toSorted(), [
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ])
  const ending = new AbortController()
  const silent = await serveRaw(() => ending.abort(new Error('stopping')))
  await assert.rejects(outcome(silent, {}, { signal: ending.signal }), /stopping/)
})
