import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { askNameServers } from './resolve-name.ts'

const ANSWERS: Record<string, { [type: number]: number[] }> = {
  'both.test': { 1: [192, 0, 2, 7], 28: [0x20, 1, 0xd, 0xb8, ...Array<number>(11).fill(0), 1] },
  'four.test': { 1: [192, 0, 2, 8] },
}

/** A name server. What it does not know it denies; about `silent.test` it says nothing. */
const server = createSocket('udp4', (query, { port, address }) => {
  const end = query.indexOf(0, 12)
  const labels: string[] = []
  for (let at = 12; at < end; at += 1 + (query[at] ?? 0)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)))
  }
  const name = labels.join('.').toLowerCase()
  if (name === 'silent.test') return
  const type = query.readUInt16BE(end + 1)
  const known = ANSWERS[name]
  const data = known?.[type]
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(known ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(data ? 1 : 0, 6)
  head.writeUInt32BE(0, 8)
  const record = data ? Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]) : Buffer.alloc(0)
  server.send(Buffer.concat([head, query.subarray(12, end + 5), record]), port, address)
})
let servers: string[] = []
before(async () => {
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  servers = [`127.0.0.1:${server.address().port}`]
})
after(() => void server.close())

test('a name has all of its addresses, or at least those of one kind', async () => {
  assert.deepEqual(await askNameServers('both.test', servers), [
    { address: '192.0.2.7', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ])
  assert.deepEqual(await askNameServers('four.test', servers), [{ address: '192.0.2.8', family: 4 }])
  await assert.rejects(askNameServers('nobody.test', servers), { code: 'ENOTFOUND' })
})

test('names whose servers stay silent hold up nobody else', async () => {
  const silent = [1, 2, 3, 4].map(() => assert.rejects(askNameServers('silent.test', servers), { code: 'ETIMEOUT' }))
  const begun = performance.now()
  await lookup('localhost')
  assert.ok(performance.now() - begun < 1_000)
  await Promise.all(silent)
  assert.ok(performance.now() - begun < 20_000)
})
