import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Storage } from '#platform/storage/storage.ts'
import type { FileRow } from './file.ts'
import { Rejected } from './problems.ts'

/** Reads an object into a file, once, and no further than it may be long. Throws `Rejected`. */
export async function readInto(
  path: string,
  storage: Storage,
  key: string,
  { size, sha256 }: Pick<FileRow, 'size' | 'sha256'>,
  signal: AbortSignal,
): Promise<void> {
  const found = await storage.get(key)
  if (!found) throw new Rejected('NOT_UPLOADED')
  if (found.size !== size) {
    found.body.destroy()
    throw new Rejected('SIZE_DIFFERS')
  }
  const hash = createHash('sha256')
  let length = 0
  await pipeline(
    found.body,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        length += chunk.length
        if (length > size) throw new Rejected('SIZE_DIFFERS')
        hash.update(chunk)
        yield chunk
      }
    },
    createWriteStream(path),
    { signal },
  )
  if (length !== size) throw new Rejected('SIZE_DIFFERS')
  if (hash.digest('hex') !== sha256) throw new Rejected('HASH_DIFFERS')
}
