import { pipeline, Readable } from 'node:stream'
import { createGzip, gzip, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { encodingsOf } from './encodings.ts'

/** Shorter bodies fit into one packet anyway. */
const MIN_BYTES = 1_024
/**
 * Up to this size it takes less than half a millisecond; larger bodies go to Node's thread pool, which also hashes
 * passwords.
 */
const MAX_SYNC_BYTES = 32_768
/** The output is a little larger than with the default 6, in half the time (measured on lists of products). */
const OPTIONS = { level: 4 }

/**
 * Off by default: for clients that accept gzip (Node's own fetch does) it costs a third of the throughput of product
 * reads and half of that of lists, and a proxy does the same in another process. Other clients cost nothing.
 *
 * Compresses text, files and exports. Excluded: responses with `no-store` (pages with a token in them), and event
 * streams, which must arrive piece by piece.
 */
export function compressResponses(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isWorthIt(reply, payload)) return done(null, payload)
    addVary(reply)
    if (request.method === 'HEAD' || !encodingsOf(request.headers['accept-encoding']).includes('gzip'))
      return done(null, payload)
    const label = () => labelGzip(reply)
    if (payload instanceof Readable) {
      label()
      payload.once('error', () => unlabel(reply))
      // A stream that ends early destroys the other one; Fastify handles the error of the second.
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

/**
 * The bytes differ but the record is the same, so the ETag becomes weak. Conditional requests compare without the mark.
 */
function labelGzip(reply: FastifyReply): void {
  void reply.header('content-encoding', 'gzip').removeHeader('content-length')
  const etag = reply.getHeader('etag')
  if (typeof etag === 'string' && !etag.startsWith('W/')) void reply.header('etag', `W/${etag}`)
}

/** A stream that breaks before its first byte becomes an error response, which is not gzip. */
function unlabel(reply: FastifyReply): void {
  if (reply.raw.headersSent) return
  void reply.removeHeader('content-encoding')
  reply.raw.removeHeader('content-encoding')
}
