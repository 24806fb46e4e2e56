import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A name server on loopback that knows text records. What it does not know it denies; about names in `silent` it says nothing. */
export async function startNameServer() {
  const texts = new Map<string, string[]>()
  const silent = new Set<string>()
  const server = createSocket('udp4', (query, { port, address }) => {
    const end = query.indexOf(0, 12)
    const labels: string[] = []
    for (let at = 12; at < end; at += 1 + (query[at] ?? 0))
      labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)))
    const name = labels.join('.').toLowerCase()
    if (silent.has(name)) return
    const known = query.readUInt16BE(end + 1) === 16 ? (texts.get(name) ?? []) : []
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(texts.has(name) ? 0x8180 : 0x8183, 2)
    head.writeUInt16BE(known.length, 6)
    head.writeUInt32BE(0, 8)
    const records = known.map((text) => {
      const data = Buffer.from(text)
      return Buffer.concat([Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, data.length + 1, data.length]), data])
    })
    server.send(Buffer.concat([head, query.subarray(12, end + 5), ...records]), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    texts,
    silent,
    env: { OUTGOING_NAME_SERVERS: `127.0.0.1:${server.address().port}` },
    close: () => void server.close(),
  }
}
