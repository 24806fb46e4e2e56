import { pipeline, Readable } from 'node:stream'
import { createGzip, gzip, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { encodingsOf } from './encodings.ts'

/** What is shorter fits into one packet anyway. */
const MIN_BYTES = 1_024
/** Up to here it takes less than half a millisecond; what is longer goes to another thread, where passwords are hashed as well. */
const MAX_SYNC_BYTES = 32_768
/** A little larger than the usual 6, in half the time (measured on lists of products). */
const OPTIONS = { level: 4 }

/**
 * Off unless asked for: it takes a third of the throughput of product reads and half of that of lists, from whoever asks for gzip
 * (Node's own fetch does), and a proxy does the same in another process. Who does not ask pays nothing.
 *
 * Text is sent as gzip to whoever takes it, files and exports too. Never what must not be kept (pages with a token in them), nor
 * a stream of events, which has to arrive piece by piece.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isWorthIt(reply, payload)) return done(null, payload)
    addVary(reply)
    if (request.method === 'HEAD' || !encodingsOf(request.headers['accept-encoding']).includes('gzip'))
      return done(null, payload)
    const label = () => labelGzip(reply)
    if (payload instanceof Readable) {
      label()
      payload.once('error', () => unlabel(reply))
      // Whichever of the two ends early takes the other one with it; Fastify hears of it from the second.
      return done(
        null,
        pipeline(payload, createGzip(OPTIONS), () => {}),
      )
    }
    const text = payload as string | Buffer
    if (text.length <= MAX_SYNC_BYTES) {
      label()
      return done(null, gzipSync(text, OPTIONS))
    }
    gzip(text, OPTIONS, (error, zipped) => {
      if (error) return done(error)
      label()
      done(null, zipped)
    })
  })
}

function isWorthIt(reply: FastifyReply, payload: unknown): boolean {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
    if (payload.length < MIN_BYTES) return false
  } else if (!(payload instanceof Readable)) return false
  const type = reply.getHeader('content-type')
  if (typeof type !== 'string' || !isText(type) || reply.hasHeader('content-encoding')) return false
  return !String(reply.getHeader('cache-control')).includes('no-store')
}

const isText = (type: string) =>
  /^(text\/(?!event-stream)|application\/(json|x-ndjson|javascript|xml)|image\/svg\+xml)/.test(type)

function addVary(reply: FastifyReply): void {
  const before = reply.getHeader('vary')
  void reply.header('vary', before ? `${String(before)}, Accept-Encoding` : 'Accept-Encoding')
}

/** The bytes are others than without it, the record is the same: that is what a weak tag says. Conditions compare without the mark. */
function labelGzip(reply: FastifyReply): void {
  void reply.header('content-encoding', 'gzip').removeHeader('content-length')
  const etag = reply.getHeader('etag')
  if (typeof etag === 'string' && !etag.startsWith('W/')) void reply.header('etag', `W/${etag}`)
}

/** A stream that breaks before anything of it was sent is answered with an error, which is not gzip. */
function unlabel(reply: FastifyReply): void {
  if (reply.raw.headersSent) return
  void reply.removeHeader('content-encoding')
  reply.raw.removeHeader('content-encoding')
}
