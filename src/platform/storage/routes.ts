import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { nowMs } from '../clock.ts'
import { isKnown } from '../http/etag.ts'
import { handle } from '../http/operation.ts'
import { tooManyRequests } from '../http/refusals.ts'
import { WrongSize } from './exact-body.ts'
import type { Folder } from './folder.ts'
import { cacheControlOf, isRaster } from './keys.ts'
import * as operation from './operations.ts'
import * as refusal from './refusals.ts'

type Options = {
  /** Undefined where the store is another one, or none. */
  folder: Folder | undefined
}

/** Below one prefix, which is one owner's. Uploads may be slow, and all of them share the places that there are for them. */
const MAX_AT_ONCE = 16
const LATER_SECONDS = 1

/** Takes uploads into the folder. An address is good for one key, length, type, hash and time. */
export const uploadRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { folder }) => {
  // Files of any type, JSON too: not read into memory, but handed on as they arrive.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  app.addHook('onRequest', async (_request, reply) => {
    void reply.header('connection', 'close') // removed once the whole file was read
  })
  const underWay = new Map<string, number>()

  async function inTurn<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    const before = underWay.get(owner) ?? 0
    if (before >= MAX_AT_ONCE) throw tooManyRequests({ seconds: LATER_SECONDS })
    underWay.set(owner, before + 1)
    try {
      return await work()
    } finally {
      const left = (underWay.get(owner) ?? 1) - 1
      if (left === 0) underWay.delete(owner)
      else underWay.set(owner, left)
    }
  }

  handle(app, operation.uploadFile, async ({ query: terms, headers, body }, reply) => {
    if (!folder) throw refusal.storageNotConfigured()
    if (!folder.isSigned(terms)) throw refusal.addressNotSigned()
    if (terms.expiresAt * 1_000 < nowMs()) throw refusal.addressExpired()
    if (headers['content-type'] !== terms.mimeType) throw refusal.typeDiffers(terms)
    if (headers['content-length'] !== String(terms.size)) throw refusal.lengthDiffers(terms)
    const file = body instanceof Readable ? body : Readable.from([])
    const owner = terms.key.slice(0, terms.key.lastIndexOf('/'))
    const isTaken = await inTurn(owner, () => folder.takeUpload(terms, file)).catch((error: NodeJS.ErrnoException) => {
      if (error instanceof WrongSize) throw refusal.lengthDiffers(terms)
      throw error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ECONNRESET'
        ? refusal.uploadEndedEarly()
        : error
    })
    void reply.removeHeader('connection')
    if (!isTaken) throw refusal.hashDiffers()
    return { uploaded: true as const }
  })
}

const Params = Type.Object({
  owner: Type.String({ maxLength: 200 }),
  hash: Type.String({ maxLength: 200 }),
  name: Type.String({ maxLength: 200 }),
})

/** Serves what the folder has below `public/`. Not in the API reference: answers hold the addresses. */
export const fileRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { folder }) => {
  app.get(
    '/media/:owner/:hash/:name',
    { config: { access: 'public', business: 'none', downloads: ['*/*'] }, schema: { params: Params } },
    async (request, reply) => {
      const { owner, hash, name } = request.params
      const file = await folder?.findPublic(`${owner}/${hash}/${name}`)
      if (!file) throw refusal.fileNotFound()
      const etag = `"${file.size.toString(36)}-${file.changedAt.getTime().toString(36)}"`
      void reply
        .header('content-type', file.mimeType)
        .header('cache-control', cacheControlOf(file.isImmutable))
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('etag', etag)
      if (file.isAttachment || !isRaster(file.mimeType)) void reply.header('content-disposition', 'attachment')
      if (isKnown(request, etag)) return reply.code(304).send()
      void reply.header('content-length', file.size)
      return reply.send(request.method === 'HEAD' ? Readable.from([]) : file.read())
    },
  )
}

const Download = Type.Object({
  key: Type.String({ maxLength: 500 }),
  fileName: Type.String({ maxLength: 200 }),
  expiresAt: Type.Integer({ minimum: 0, maximum: 99_999_999_999 }),
  signature: Type.String({ maxLength: 100 }),
})

/** Hands out what the folder has below `private/`, at the addresses that it signed. Not in the API reference, as above. */
export const downloadRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { folder }) => {
  app.get(
    '/media-downloads',
    { config: { access: 'public', business: 'none', downloads: ['*/*'] }, schema: { querystring: Download } },
    async ({ query: terms, method }, reply) => {
      if (!folder?.isDownloadSigned(terms)) throw refusal.addressNotSigned()
      if (terms.expiresAt * 1_000 < nowMs()) throw refusal.addressExpired()
      const file = await folder.get(terms.key)
      if (!file) throw refusal.fileNotFound()
      void reply
        .header('content-type', 'application/octet-stream')
        .header('content-disposition', `attachment; filename="${terms.fileName}"`)
        .header('cache-control', 'private, no-store')
        .header('content-length', file.size)
      if (method !== 'HEAD') return reply.send(file.body)
      file.body.destroy()
      return reply.send(Readable.from([]))
    },
  )
}
