import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { Type } from 'typebox'
import { OneOf } from '#vocabulary/schemas.ts'
import { FILE_FORMATS, type FileFormat } from './file.ts'
import type { ImportJob, ImportReport } from './kind.ts'
import { fileTooLarge, notAFile } from './refusals.ts'
import { MAX_FILE_BYTES, type Staged, takeFile, type Upload } from './staging.ts'

const TYPES: Record<string, FileFormat> = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' }
export const FILE_TYPES = Object.keys(TYPES)

export function formatOf({ headers }: Pick<FastifyRequest, 'headers'>): FileFormat {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  const format = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  if (!format) throw notAFile({ types: FILE_TYPES.join(' or ') })
  return format
}

/** Files are not buffered: the handler streams them. */
export const acceptFiles = (app: FastifyInstance) =>
  app.addContentTypeParser(FILE_TYPES, (_request, payload, done) => done(null, payload))

/** Options of a route that takes a file. */
export const UPLOAD = {
  bodyLimit: Number.MAX_SAFE_INTEGER, // the handler counts the bytes as they arrive
  onRequest: async (request) => void formatOf(request), // before any other parser could buffer the body
  preHandler: async (request, reply) => {
    // Removed once the whole file was read: a refused file is never read to its end.
    void reply.header('connection', 'close')
    if (Number(request.headers['content-length']) > MAX_FILE_BYTES)
      throw fileTooLarge({ maxMebibytes: MAX_FILE_BYTES / 1024 / 1024 })
  },
} satisfies RouteShorthandOptions

/**
 * Responds once the whole file has arrived; a worker then imports it. A refused or incomplete file leaves nothing
 * behind.
 */
export async function receiveFile<Counter extends string>(
  kind: Staged<Counter> & { job: ImportJob },
  request: Pick<FastifyRequest, 'cell' | 'business' | 'actor' | 'body' | 'headers'>,
  reply: FastifyReply,
  { place = {}, ...how }: Pick<Upload, 'place' | 'readCsv' | 'about' | 'isDryRun'> = {},
): Promise<ImportReport<Counter>> {
  const { cell, business, actor, body: file } = request
  if (!(file instanceof Readable)) throw notAFile({ types: FILE_TYPES.join(' or ') })
  const arrived = () => reply.server.enterAgain(reply.request, reply) // it may have taken minutes
  const upload = { business, place, actor, file, format: formatOf(request), arrived, ...how }
  const made = await takeFile(kind, cell, upload, kind.job)
  void reply.code(201).removeHeader('connection')
  return made
}

export const formatQuery = (byDefault: FileFormat) =>
  Type.Object({ format: Type.Optional(OneOf(FILE_FORMATS, { default: byDefault })) })

const CONTENT_TYPES = { ndjson: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8' }

/** Streams a file with backpressure: it is generated only as fast as it is read. */
export function sendFile(reply: FastifyReply, name: string, format: FileFormat, texts: AsyncIterable<string>) {
  void reply
    .header('content-type', CONTENT_TYPES[format])
    .header('content-disposition', `attachment; filename="${name}.${format}"`)
  return reply.send(Readable.from(toTheEnd(reply, texts)))
}

/**
 * Where a business lived, its rows are deleted some time after it has moved: a file that takes longer would end early. It is broken
 * off instead of looking whole.
 */
async function* toTheEnd({ request: { business }, server }: FastifyReply, texts: AsyncIterable<string>) {
  yield* texts
  const cell = await server.findCellNow(business.id)
  if (cell?.name !== business.cell) throw new Error(`${business.id} has moved to another cell while it was read`)
}
