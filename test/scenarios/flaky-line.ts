// A line between a browser and the service that loses answers, and is gone for seconds at a time.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../twins/stripe/random.ts'

export type FlakyLine = Awaited<ReturnType<typeof openFlakyLine>>

const LOSS = 0.3
const GAP_MS = 5_000
const BETWEEN_GAPS_MS = 25_000

/**
 * Of what the page asks the service, three in ten answers are lost: half of them before the service has heard of it, half
 * after it has done it. Every now and then nothing passes for five seconds, then all that was open breaks. Files of the
 * page come as long as the line is there: a page that did not come is loaded again by whoever wanted it.
 */
export async function openFlakyLine(target: string, seed: number, { loss = LOSS, hasGaps = true } = {}) {
  const { hostname, port, origin } = new URL(target)
  const random = seededRandom(seed)
  const counts = { asked: 0, lostBefore: 0, lostAfter: 0, gaps: 0, inGaps: 0 }
  const sockets = new Set<Socket>()
  const open = new Set<{ far: IncomingMessage; answer: ServerResponse }>()
  let isFine = false
  let gap: Promise<void> | undefined

  const server = createServer((near, answer) => void pass(near, answer).catch(() => answer.destroy()))
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
  })

  async function pass(near: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await bytesOf(near)
    if (gap) {
      counts.inGaps++
      await gap
      return void answer.destroy()
    }
    const url = near.url ?? '/'
    const isWork = (url.startsWith('/v1/') && !url.endsWith('/events/stream')) || url === '/admin/session'
    const fate = isWork && !isFine ? random() : 1
    if (isWork) counts.asked++
    if (fate < loss / 2) {
      counts.lostBefore++
      return void answer.destroy()
    }
    const far = await ask(near, url, body)
    if (fate < loss) {
      far.resume()
      await once(far, 'end')
      counts.lostAfter++
      return void answer.destroy()
    }
    answer.writeHead(far.statusCode ?? 502, far.headers)
    const call = { far, answer }
    open.add(call)
    far.on('error', () => open.has(call) && answer.destroy())
    answer.on('close', () => {
      open.delete(call)
      far.destroy()
    })
    far.pipe(answer)
  }

  async function ask(near: IncomingMessage, path: string, body: Buffer): Promise<IncomingMessage> {
    const { method = 'GET' } = near
    // The service lets only its own pages have a session, and this is where they come from.
    const headers = { ...near.headers, host: `${hostname}:${port}`, ...(near.headers.origin && { origin }) }
    const far = request({ hostname, port, path, method, headers })
    far.end(body)
    const [response] = (await once(far, 'response')) as [IncomingMessage]
    return response
  }

  const ended = new AbortController()
  const gaps = (async () => {
    while (!ended.signal.aborted) {
      await sleep(BETWEEN_GAPS_MS * (0.5 + random()), undefined, { signal: ended.signal })
      if (isFine || !hasGaps) continue
      counts.gaps++
      gap = sleep(GAP_MS, undefined, { signal: ended.signal }).finally(() => {
        gap = undefined
      })
      await gap
      for (const socket of sockets) socket.destroy()
    }
  })().catch(() => {})

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    /** From now on nothing is lost. */
    heal() {
      isFine = true
    },
    /** Nothing passes any more, and nobody is told. Answers: a way to let new connections through; the old ones stay dead. */
    hush() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gap = promise
      for (const call of open) {
        open.delete(call)
        call.far.unpipe(call.answer).destroy()
      }
      return () => {
        gap = undefined
        resolve()
      }
    },
    async close() {
      ended.abort()
      await gaps
      server.close()
      server.closeAllConnections()
    },
  }
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
