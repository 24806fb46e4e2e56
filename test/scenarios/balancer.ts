import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const LOOK_MS = 250
const MAX_LOOK_MS = 2_000
/** As many looks in a row that say nothing at all take a node out; one clear no does so at once. */
const PATIENCE = 3
const MAX_ANSWER_MS = 30_000

export type Balancer = Awaited<ReturnType<typeof openBalancer>>
type Node = { url: string; isReady: boolean; silent: number; agent: Agent; timer: NodeJS.Timeout | undefined }

/**
 * What stands in front of several API processes, as small as can be. It sends to those whose `/readyz` says 200, keeps connections
 * open, and tries another one only where the first could not be connected to: then nothing was sent. Everything else that goes
 * wrong is the caller's to see, as with real ones.
 */
export async function openBalancer() {
  const nodes = new Set<Node>()
  let turn = 0
  let retried = 0

  const pick = (tried: ReadonlySet<Node>) => {
    const ready = [...nodes].filter((node) => node.isReady && !tried.has(node))
    return ready[turn++ % ready.length]
  }

  function look(node: Node): void {
    const next = () => {
      if (nodes.has(node)) node.timer = setTimeout(() => look(node), LOOK_MS)
    }
    const asked = get(`${node.url}/readyz`, { agent: false, timeout: MAX_LOOK_MS }, (answer) => {
      answer.resume().once('close', next)
      node.isReady = answer.statusCode === 200
      node.silent = 0
    })
    asked.on('timeout', () => asked.destroy(new Error('silent')))
    asked.on('error', (error: NodeJS.ErrnoException) => {
      node.silent++
      if (error.code === 'ECONNREFUSED' || node.silent >= PATIENCE) node.isReady = false
      next()
    })
  }

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, tried: Set<Node>): void {
    const node = pick(tried)
    if (!node) return void outgoing.writeHead(502).end('{"error":"NO_NODE"}')
    tried.add(node)
    const { connection: _, ...headers } = incoming.headers
    const { method = 'GET', url = '/' } = incoming
    const sent = request(node.url + url, { method, headers, agent: node.agent, timeout: MAX_ANSWER_MS }, (answer) => {
      const { connection: __, 'keep-alive': ___, ...kept } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, kept)
      answer.on('error', () => outgoing.destroy()).pipe(outgoing)
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')))
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') {
        node.isReady = false
        retried++
        return forward(incoming, outgoing, body, tried)
      }
      if (outgoing.headersSent) return void outgoing.destroy()
      outgoing.writeHead(502).end(JSON.stringify({ error: 'BROKEN', message: error.message }))
    })
    sent.end(body)
  }

  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => forward(incoming, outgoing, Buffer.concat(chunks), new Set()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    retried: () => retried,
    /** How many get requests now. */
    ready: () => [...nodes].filter(({ isReady }) => isReady).length,
    add(url: string) {
      const agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: 60_000 })
      const node: Node = { url, isReady: false, silent: 0, agent, timer: undefined }
      nodes.add(node)
      look(node)
    },
    remove(url: string) {
      for (const node of nodes) {
        if (node.url !== url) continue
        nodes.delete(node)
        clearTimeout(node.timer)
        node.agent.destroy()
      }
    },
    async close() {
      for (const { url } of nodes) this.remove(url)
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}
