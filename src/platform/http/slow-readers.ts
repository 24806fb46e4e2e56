import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** A reader must take this many bytes, or all that is left, within the patience. */
const MIN_BYTES = 32 * 1024
/** Limit of unread bytes in memory, for all connections together. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024
/** Above the limit, free memory down to this, so that the next response does not exceed it again. */
const ENOUGH_ROOM_BYTES = 96 * 1024 * 1024
const LARGE_BYTES = 32 * 1024
const LOOKS_PER_PATIENCE = 10

type Reader = { socket: Socket; taken: number; since: number }

/**
 * Backpressure's last resort: a response that nobody reads stays in memory, and its stream stays open. Connections that
 * take next to nothing of their response are closed; slow readers that make progress are left alone while there is
 * memory. Connections are reset: a graceful close leaves up to 4 MB each in the kernel until the peer reads it, and
 * when the kernel's memory for TCP is used up, every connection of the machine gets slow, also those to the database.
 */
export function endSlowReaders(app: FastifyInstance, patienceMs: number): void {
  const readers = new Set<Reader>()
  // In the order of the requests. Keyed by response, not by connection: with pipelining, all responses but the first
  // wait outside of the socket.
  const heavy = new Map<ServerResponse, Socket>()

  app.server.on('connection', (socket) => {
    const reader = { socket, taken: 0, since: 0 }
    readers.add(reader)
    socket.once('close', () => {
      readers.delete(reader)
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
      } else if (time - reader.since > patienceMs) socket.resetAndDestroy()
    }
  }, patienceMs / LOOKS_PER_PATIENCE).unref()
  app.addHook('onClose', async () => clearInterval(timer))

  // Most responses are read at once, and checking all of them for each new one costs more than it saves: sent bytes
  // count as unread until the limit is reached, and only then are measured.
  let sent = 0
  function makeRoom(bytes: number): void {
    sent = bytes
    for (const answer of heavy.keys()) sent += answer.writableLength
    if (sent <= MAX_UNREAD_BYTES) return
    for (const [answer, socket] of heavy) {
      if (sent <= ENOUGH_ROOM_BYTES) break
      sent -= answer.writableLength
      socket.resetAndDestroy()
    }
  }

  app.addHook('onSend', ({ raw: { socket } }, reply, payload, done) => {
    const bytes = sizeOf(payload)
    if (bytes >= LARGE_BYTES) {
      sent += bytes
      if (sent > MAX_UNREAD_BYTES) makeRoom(bytes)
      heavy.set(reply.raw, socket)
      reply.raw.once('close', () => heavy.delete(reply.raw))
    }
    done(null, payload)
  })
}

/** A stream never has more than one chunk in memory. */
const sizeOf = (payload: unknown) => (typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0)

type Handle = { bytesWritten: number; writeQueueSize: number }

/** Bytes accepted by the kernel. Node itself uses this when a socket may have timed out. */
function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: Handle | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}
