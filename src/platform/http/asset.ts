import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Encoding, encodingsOf } from './encodings.ts'

// Higher qualities take seconds for a few percent.
const QUALITY = 6
const compress: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }),
  gzip: promisify(gzip),
}

/** Returns the bytes; null when the caller has them already (304). */
export type Asset = (request: FastifyRequest, reply: FastifyReply) => Promise<Buffer | null>

/**
 * A static text: compressed once for each encoding, with an ETag. `maxAgeSeconds`: how long clients may use it without
 * revalidating.
 */
export function createAsset(text: string, type: string, maxAgeSeconds = 0): Asset {
  const bytes = Buffer.from(text)
  const print = createHash('sha256').update(bytes).digest('base64url').slice(0, 16)
  const etag = `W/"${print}"` // weak: the same for every encoding
  const compressed = new Map<Encoding, Promise<Buffer>>()
  const compressOnce = (encoding: Encoding) => {
    const made = compressed.get(encoding) ?? compress[encoding](bytes)
    compressed.set(encoding, made)
    return made
  }
  return async (request, reply) => {
    void reply
      .header('content-type', type)
      .header('etag', etag)
      .header('vary', 'Accept-Encoding')
      .header('cache-control', maxAgeSeconds > 0 ? `public, max-age=${maxAgeSeconds}` : 'public, no-cache')
      .removeHeader('content-length')
    if (request.headers['if-none-match']?.includes(`"${print}"`)) {
      void reply.code(304)
      return null
    }
    const [encoding] = encodingsOf(request.headers['accept-encoding'])
    if (!encoding) return bytes
    void reply.header('content-encoding', encoding)
    return compressOnce(encoding)
  }
}
