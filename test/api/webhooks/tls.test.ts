import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startChild } from '../../support/child.ts'
import { until } from '../../support/until.ts'
import { happen } from '../../support/webhooks.ts'
import { useWorld } from '../../support/world.ts'

const LOOPBACK = { OUTGOING_LOOPBACK: 'on' }
const used = useWorld({ own: true, env: LOOPBACK })

const folder = mkdtempSync(path.join(tmpdir(), 'kontor-tls-'))
after(() => rmSync(folder, { recursive: true }))
const [keyFile, certFile] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=Test'.split(' ')
const name = ['-addext', 'subjectAltName=DNS:localhost']
execFileSync('openssl', [...kind, ...name, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' })

/** Has a certificate for `localhost` by somebody whom only who is told so trusts. */
async function startSecureReceiver() {
  const received: { body: string; headers: Record<string, string>; protocol: string | null }[] = []
  const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const { socket } = request as { socket: { getProtocol?(): string | null } }
      const headers = request.headers as Record<string, string>
      received.push({ body, headers, protocol: socket.getProtocol?.() ?? null })
      response.writeHead(204).end()
    })
  })
  server.on('tlsClientError', () => {}) // who does not trust it goes away
  server.listen(0)
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { received, port: (server.address() as AddressInfo).port }
}

test('events go over TLS to whoever has a certificate that is trusted, for the name that was called', async () => {
  const { received, port } = await startSecureReceiver()
  const { admin, path: business, id } = await used.make.business()
  const endpoints = `${business}/webhook-endpoints`
  const make = async (host: string) => {
    const { body } = await admin.post(endpoints, { url: `https://${host}:${port}/kontor`, types: ['order.*'] })
    const deliveries = async () => (await admin.get(`${endpoints}/${body.id}/deliveries`)).body.items
    return { secret: body.secret as string, deliveries }
  }
  const named = await make('localhost')
  const other = await make('127.0.0.1') // the same server, under a name that its certificate has not
  const env = { ...used.api.databases.env, ...LOOPBACK }

  const wary = await startChild('worker', env)
  await happen(used.api, id, 1)
  const [failed] = await until('it has failed', async () => {
    const items = await named.deliveries()
    return items.length === 1 && items
  })
  await wary.stop()
  assert.equal(failed.attempts[0].problem, 'UNREACHABLE')
  assert.equal(received.length, 0, 'nothing is sent to whom nobody trusts')

  const trusting = await startChild('worker', { ...env, NODE_EXTRA_CA_CERTS: certFile })
  await happen(used.api, id, 1)
  await until('it has come', () => received.length > 0)
  await until('the other name has failed', async () => (await other.deliveries()).length >= 2)
  await trusting.stop()
  for (const { body, headers, protocol } of received) {
    assert.match(protocol ?? '', /^TLSv1\.[23]$/)
    assert.ok(new Webhook(named.secret).verify(body, headers))
  }
})
