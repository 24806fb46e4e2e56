import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { open, rename, rm } from 'node:fs/promises'
import { PassThrough, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { now } from '#platform/clock.ts'
import { BrokenArchive, listTar, readEntry, type TarEntry, tarEnd, tarFill, tarHeader } from '#platform/portable/tar.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { BootError } from '../boot.ts'
import { type CarriedFile, MANIFEST, type Manifest, type Part, parseFile, parseManifest } from './manifest.ts'

/** Lines of about this many characters are packed together. */
const PART_LENGTH = 4 * 1024 * 1024
/** More than any part with its last row: what unpacks to more was not packed here, and would fill the memory. */
const MAX_UNPACKED = 256 * 1024 * 1024

const pack = promisify(gzip)
const unpack = promisify(gunzip)
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

export type ArchiveWriter = ReturnType<typeof createArchive>

/** Where an archive goes, piece by piece. It is there only once it is finished. */
export type Sink = {
  write(bytes: Buffer): Promise<void>
  /** Returns the size. */
  finish(): Promise<number>
  abandon(): Promise<void>
}

/** Writes to a temporary name first: the file appears under its name only when it is complete. Only its owner reads it. */
export async function toFile(path: string): Promise<Sink> {
  const part = `${path}.part`
  await rm(part, { force: true }) // of a run that was cut off; a file or link of somebody else is not written to
  const file = await open(part, 'wx', 0o600).catch((error: Error) => {
    throw new BootError(`${path} cannot be written: ${error.message}`)
  })
  return {
    write: (bytes) => file.appendFile(bytes),
    async finish() {
      await file.sync()
      const { size } = await file.stat()
      await file.close()
      await rename(part, path)
      return size
    },
    async abandon() {
      await file.close().catch(() => {})
      await rm(part, { force: true })
    },
  }
}

/** As much as waits for the store before the rows wait. */
const WAITING_BYTES = 1024 * 1024

/** Straight into the store: where workers run there may be no disk. */
export function toStore(storage: Storage, key: string): Sink {
  const pipe = new PassThrough({ highWaterMark: WAITING_BYTES })
  pipe.on('error', () => {}) // whoever waits for the store is told
  const stored = storage.putLarge(key, pipe, { mimeType: 'application/x-tar', isAttachment: true })
  stored.catch(() => pipe.destroy())
  return {
    async write(bytes) {
      if (pipe.destroyed) await stored // fails with what the store said
      if (!pipe.write(bytes)) await Promise.race([once(pipe, 'drain'), stored])
    },
    async finish() {
      pipe.end()
      return stored
    },
    async abandon() {
      pipe.destroy(new Error('the export was given up'))
      await stored.catch(() => {})
    },
  }
}

export function createArchive(sink: Sink) {
  const at = now()

  async function add(name: string, bytes: Buffer): Promise<Part> {
    for (const piece of [tarHeader(name, bytes.length, at), bytes, tarFill(bytes.length)]) await sink.write(piece)
    return { name, bytes: bytes.length, sha256: hashOf(bytes) }
  }

  return {
    async addStream(name: string, size: number, body: Readable): Promise<Part> {
      const hash = createHash('sha256')
      await sink.write(tarHeader(name, size, at))
      let bytes = 0
      for await (const chunk of body as AsyncIterable<Buffer>) {
        hash.update(chunk)
        bytes += chunk.length
        await sink.write(chunk)
      }
      if (bytes !== size) throw new Error(`${name} has ${bytes} bytes instead of ${size}`)
      await sink.write(tarFill(size))
      return { name, bytes, sha256: hash.digest('hex') }
    },
    /** Packs lines as they come, a few megabytes at a time. */
    async addLines(name: string, batches: AsyncIterable<readonly string[]>): Promise<{ count: number; parts: Part[] }> {
      const parts: Part[] = []
      let [count, length, waiting]: [number, number, string[]] = [0, 0, []]
      const flush = async () => {
        if (waiting.length === 0) return
        const number = String(parts.length + 1).padStart(6, '0')
        parts.push(await add(`${name}/${number}.ndjson.gz`, await pack(`${waiting.join('\n')}\n`)))
        length = 0
        waiting = []
      }
      for await (const lines of batches) {
        for (const line of lines) {
          waiting.push(line)
          length += line.length
          if (length >= PART_LENGTH) await flush()
        }
        count += lines.length
      }
      await flush()
      return { count, parts }
    },
    async finish(manifest: Manifest): Promise<number> {
      await add(MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`))
      await sink.write(tarEnd())
      return sink.finish()
    },
    abandon: () => sink.abandon(),
  }
}

/** A row, and where it is in the archive. */
export type Line = { text: string; part: string; number: number }

export type Archive = {
  manifest: Manifest
  /** Tells one archive from another. */
  print: string
  /** In batches, a part at a time. */
  lines(parts: readonly Part[]): AsyncGenerator<Line[]>
  files(): AsyncGenerator<CarriedFile>
  body(part: Part): Readable
}

/** Opens an archive, and compares all that is in it with its hashes, before anybody uses any of it. */
export async function openArchive(path: string, seen: (bytes: number) => void = () => {}): Promise<Archive> {
  try {
    return await readArchive(path, seen)
  } catch (error) {
    if (error instanceof BrokenArchive) throw new BootError(`${path} cannot be imported: ${error.message}.`)
    const { code, message } = error as NodeJS.ErrnoException
    throw code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR'
      ? new BootError(`${path} cannot be read: ${message}`)
      : error
  }
}

async function readArchive(path: string, seen: (bytes: number) => void): Promise<Archive> {
  const entries = await indexOf(path)
  const find = (name: string): TarEntry => {
    const entry = entries.get(name)
    if (!entry) throw new BrokenArchive(`it lacks ${name}`)
    return entry
  }
  const text = await buffer(readEntry(path, find(MANIFEST)))
  const manifest = parseManifest(text.toString('utf8'))
  let bytes = 0
  const check = async (part: Part) => {
    const hash = createHash('sha256')
    for await (const chunk of readEntry(path, find(part.name)) as AsyncIterable<Buffer>) hash.update(chunk)
    if (hash.digest('hex') !== part.sha256) throw new BrokenArchive(`${part.name} is not what was packed`)
    bytes += part.bytes
    seen(bytes)
  }
  async function* lines(parts: readonly Part[]): AsyncGenerator<Line[]> {
    for (const part of parts) {
      const packed = await buffer(readEntry(path, find(part.name)))
      const unpacked = await unpack(packed, { maxOutputLength: MAX_UNPACKED }).catch((error: Error) => {
        throw new BrokenArchive(`${part.name} cannot be unpacked (${error.message})`)
      })
      const texts = unpacked.toString('utf8').replace(/\n$/, '').split('\n')
      yield texts.map((text, at) => ({ text, part: part.name, number: at + 1 }))
    }
  }
  async function* files(): AsyncGenerator<CarriedFile> {
    for await (const some of lines(manifest.media.parts))
      for (const { text, part, number } of some) yield parseFile(text, `${part}, line ${number},`, manifest.business.id)
  }

  for (const { table, rows, parts } of [
    ...manifest.tables,
    { table: 'jobs', rows: manifest.jobs.count, parts: manifest.jobs.parts },
  ]) {
    for (const part of parts) await check(part)
    let found = 0
    for await (const some of lines(parts)) found += some.length
    if (found !== rows) throw new BrokenArchive(`it has ${found} rows of ${table} instead of ${rows}`)
  }
  for (const part of manifest.media.parts) await check(part)
  for await (const each of files()) await check(each)
  return { manifest, print: hashOf(text), lines, files, body: (part) => readEntry(path, find(part.name)) }
}

async function indexOf(path: string): Promise<Map<string, TarEntry>> {
  const entries = new Map<string, TarEntry>()
  const file = await open(path)
  try {
    for await (const entry of listTar(file)) entries.set(entry.name, entry)
  } finally {
    await file.close()
  }
  return entries
}
