import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordChanged } from './refusals.ts'

export const etagOf = (version: number | string) => `"${version}"`

const READERS = '-read"'
const WRITERS = '-write"'

/** Callers without write permission get a shorter version of the record, so it needs another ETag. */
export const etagForReaders = (etag: string) => etag.slice(0, -1) + READERS
/** Callers who may write but not read all of it: another version, another ETag. */
export const etagForWriters = (etag: string) => etag.slice(0, -1) + WRITERS

/** The tags of a conditional header, without the weakness mark; undefined when the header is absent. */
function tagsOf(header: string | string[] | undefined): string[] | undefined {
  if (header === undefined || header === '') return undefined
  return [header]
    .flat()
    .join(',')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
}

/** Whether the caller has this version already. */
export function isKnown({ method, headers }: FastifyRequest, etag: string): boolean {
  const tags = tagsOf(headers['if-none-match'])
  return (method === 'GET' || method === 'HEAD') && tags !== undefined && (tags.includes(etag) || tags.includes('*'))
}

/**
 * Sends the record with its ETag, or 304 when the caller has it already. `Vary` shows caches that callers may see
 * different parts.
 */
export function sendVersioned<Body>(request: FastifyRequest, reply: FastifyReply, etag: string, body: Body): Body {
  void reply.header('etag', etag).header('vary', 'Authorization, X-API-Key')
  if (isKnown(request, etag)) {
    return reply.code(304).send() as unknown as Body // already sent, without a body
  }
  return body
}

/**
 * The versions in `If-Match`; checked against the locked row, inside the transaction that changes it (optimistic
 * locking).
 */
export type Expected = readonly string[] | undefined
/** The ETags of shorter versions are accepted as well: it is the same record. */
export const expectedOf = (request: FastifyRequest): Expected =>
  tagsOf(request.headers['if-match'])?.map((tag) => tag.replace(/-(read|write)"$/, '"'))

/** Whether a write creates the record: `If-None-Match: *`. */
export const isCreation = ({ headers }: FastifyRequest): boolean =>
  tagsOf(headers['if-none-match'])?.includes('*') === true

export function checkExpected(expected: Expected, etag: string): void {
  if (expected && !expected.includes(etag) && !expected.includes('*')) throw recordChanged()
}
