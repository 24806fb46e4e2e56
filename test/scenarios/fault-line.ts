import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** The ways in which a line breaks. `fine` is none. */
export const LINE_FAULTS = ['down', 'slow', 'trickle', 'half-open', 'reset', 'black hole'] as const
export type LineFault = (typeof LINE_FAULTS)[number]
export type FaultLine = Awaited<ReturnType<typeof openFaultLine>>

export const LATENCY_MS = 3_000
const DRIP_MS = 100
const DRIP_BYTES = 4

/**
 * Stands between the service and something that it needs, on a port of its own.
 *
 * - down: connections are refused, and those that there were are reset
 * - slow: each answer comes three seconds late
 * - trickle: answers come at 40 bytes a second
 * - half-open: connections are taken, and nothing is ever said on them; those that there were are reset
 * - reset: of each answer the first half comes, then a reset
 * - black hole: nothing passes any more, on old and new connections, and nobody is told
 */
export async function openFaultLine(target: { host: string; port: number }) {
  const pairs = new Set<Pair>()
  let fault: LineFault | 'fine' = 'fine'
  let server: Server | undefined
  let port = 0

  async function listen(): Promise<void> {
    const opened = createServer(join)
    opened.listen(port, '127.0.0.1')
    await once(opened, 'listening')
    server = opened
    port = (opened.address() as AddressInfo).port
  }

  function join(near: Socket) {
    const isMute = fault === 'half-open' || fault === 'black hole'
    const pair: Pair = { near, far: isMute ? undefined : connect(target.port, target.host), isMute }
    pairs.add(pair)
    const close = () => {
      pairs.delete(pair)
      near.destroy()
      pair.far?.destroy()
    }
    near.setNoDelay(true).on('data', (chunk) => {
      if (!pair.isMute) pair.far?.write(chunk)
    })
    let sent = Promise.resolve() // what is slow still comes in order
    pair.far?.setNoDelay(true).on('data', (chunk) => {
      const mine = fault
      const due = performance.now() + LATENCY_MS
      if (pair.isMute) return
      if (mine === 'fine') return void (sent = sent.then(() => pass(pair, chunk)))
      if (mine === 'slow') return void (sent = sent.then(() => pauseUntil(due)).then(() => pass(pair, chunk)))
      if (mine === 'trickle') return void (sent = sent.then(() => drip(pair, chunk, () => fault === 'trickle')))
      if (mine === 'reset') {
        near.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => {
          near.resetAndDestroy()
          close()
        })
      }
    })
    for (const socket of [near, pair.far]) socket?.on('error', close).on('close', close)
  }

  await listen()
  return {
    host: '127.0.0.1',
    port,
    fault: () => fault,
    async break(how: LineFault): Promise<void> {
      fault = how
      if (how === 'black hole') for (const pair of pairs) pair.isMute = true
      if (how !== 'down' && how !== 'half-open') return
      const closed = how === 'down' && server ? once(server, 'close') : undefined
      if (how === 'down') server?.close()
      for (const { near } of pairs) near.resetAndDestroy()
      await closed
    },
    /** New connections are good. What was swallowed stays so: who waits on an old connection waits in vain. */
    async mend(): Promise<void> {
      const wasDown = fault === 'down'
      fault = 'fine'
      if (wasDown) await listen()
    },
    async close(): Promise<void> {
      for (const { near } of pairs) near.destroy()
      if (server?.listening) await new Promise((resolve) => void server?.close(resolve))
    },
  }
}

type Pair = { near: Socket; far: Socket | undefined; isMute: boolean }

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref())
const pauseUntil = (due: number) => pause(Math.max(0, due - performance.now()))

function pass({ near, isMute }: Pair, chunk: Buffer): void {
  if (!isMute && near.writable) near.write(chunk)
}

/** The rest comes at once when it is over. */
async function drip(pair: Pair, chunk: Buffer, isOn: () => boolean): Promise<void> {
  let at = 0
  for (; at < chunk.length && isOn() && pair.near.writable; at += DRIP_BYTES) {
    pass(pair, chunk.subarray(at, at + DRIP_BYTES))
    await pause(DRIP_MS)
  }
  if (at < chunk.length) pass(pair, chunk.subarray(at))
}
