import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** So much of an answer has to be taken within the patience that we have, or all that is left of it. */
const MIN_BYTES = 32 * 1024
/** What we keep for readers of large answers, all together. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024
const LARGE_BYTES = 256 * 1024
const LOOKS_PER_PATIENCE = 10

type Reader = { socket: Socket; taken: number; since: number }

/**
 * An answer that nobody reads is kept in memory, and a stream that nobody reads stays open. Who takes next to nothing of what
 * waits for them is hung up on; who reads slowly, but reads, is left alone while there is memory for it.
 */
export function endSlowReaders(app: FastifyInstance, patienceMs: number): void {
  const readers = new Set<Reader>()
  const heavy = new Set<Socket>() // in the order in which they asked

  app.server.on('connection', (socket) => {
    const reader = { socket, taken: 0, since: 0 }
    readers.add(reader)
    socket.once('close', () => {
      readers.delete(reader)
      heavy.delete(socket)
    })
  })

  const timer = setInterval(() => {
    const time = performance.now()
    for (const reader of readers) {
      const { socket } = reader
      if (socket.writableLength === 0) {
        reader.since = 0
        continue
      }
      const taken = bytesTaken(socket)
      if (reader.since === 0 || taken - reader.taken >= MIN_BYTES) {
        reader.since = time
        reader.taken = taken
      } else if (time - reader.since > patienceMs) socket.destroy()
    }
  }, patienceMs / LOOKS_PER_PATIENCE).unref()
  app.addHook('onClose', async () => clearInterval(timer))

  app.addHook('onSend', ({ raw: { socket } }, reply, payload, done) => {
    const bytes = sizeOf(payload)
    if (bytes >= LARGE_BYTES) {
      let unread = bytes
      for (const other of heavy) unread += other.writableLength
      for (const other of heavy) {
        if (unread <= MAX_UNREAD_BYTES) break
        unread -= other.writableLength
        if (other !== socket) other.destroy()
      }
      heavy.add(socket)
      reply.raw.once('close', () => heavy.delete(socket))
    }
    done(null, payload)
  })
}

/** Of a stream there is never more than a piece in memory. */
const sizeOf = (payload: unknown) => (typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0)

type Handle = { bytesWritten: number; writeQueueSize: number }

/** What the system has taken from us. Node itself looks at it like this when a socket may have timed out. */
function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: Handle | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}
