import type { FastifyReply, FastifyRequest } from 'fastify'
import { preconditionFailed } from '#vocabulary/errors.ts'

export const etagOf = (version: number | string) => `"${version}"`

const READERS = '-read"'

/** Who may not change a record is told less of it. That is another text, and needs a tag of its own. */
export const etagForReaders = (etag: string) => etag.slice(0, -1) + READERS

/** The tags of a conditional header, without the weakness mark; undefined when the header is absent. */
function tagsOf(header: string | string[] | undefined): string[] | undefined {
  if (header === undefined || header === '') return undefined
  return [header].flat().join(',').split(',').map((tag) => tag.trim().replace(/^W\//, '')) // biome-ignore format: one chain
}

/** Answers the record with its ETag, or 304 when the caller has it already. A cache must know that callers may see different parts. */
export function sendVersioned<Body>(request: FastifyRequest, reply: FastifyReply, etag: string, body: Body): Body {
  void reply.header('etag', etag).header('vary', 'Authorization, X-API-Key')
  const tags = tagsOf(request.headers['if-none-match'])
  if ((request.method === 'GET' || request.method === 'HEAD') && tags && (tags.includes(etag) || tags.includes('*'))) {
    return reply.code(304).send() as unknown as Body // answered: there is no body
  }
  return body
}

/** What the caller believes the record to be; checked against the locked row, inside the transaction that changes it. */
export type Expected = readonly string[] | undefined
/** The tag of what was read without permissions will do: it is the same record. */
export const expectedOf = (request: FastifyRequest): Expected =>
  tagsOf(request.headers['if-match'])?.map((tag) => (tag.endsWith(READERS) ? `${tag.slice(0, -READERS.length)}"` : tag))

export function checkExpected(expected: Expected, etag: string): void {
  if (expected && !expected.includes(etag) && !expected.includes('*')) throw preconditionFailed()
}
