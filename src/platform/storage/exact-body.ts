import type { Readable } from 'node:stream'

export class WrongSize extends Error {}

/** The body, which fails unless it has exactly this many bytes. */
export async function* exactly(
  body: Buffer | Readable,
  size: number,
  see?: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of Buffer.isBuffer(body) ? [body] : (body as AsyncIterable<Buffer>)) {
    bytes += chunk.length
    if (bytes > size) throw new WrongSize(`The body is longer than ${size} bytes`)
    see?.(chunk)
    yield chunk
  }
  if (bytes < size) throw new WrongSize(`The body has ${bytes} bytes, not ${size}`)
}
