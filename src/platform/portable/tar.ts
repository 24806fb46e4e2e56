import { createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'

/** The plain form of tar that every tool reads (ustar): a block of 512 bytes about a file, then the file, filled up. */
const BLOCK = 512
const MAX_SIZE = 0o77777777777

const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`

function splitName(name: string): { prefix: string; base: string } {
  if (Buffer.byteLength(name) <= 100) return { prefix: '', base: name }
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) {
    const [prefix, base] = [name.slice(0, at), name.slice(at + 1)]
    if (Buffer.byteLength(base) <= 100 && Buffer.byteLength(prefix) <= 155) return { prefix, base }
  }
  throw new Error(`The name is too long for an archive: ${name}`)
}

export function tarHeader(name: string, size: number, at: Date): Buffer {
  if (size > MAX_SIZE) throw new Error(`${name} is too large for an archive`)
  const { prefix, base } = splitName(name)
  const block = Buffer.alloc(BLOCK)
  block.write(base, 0)
  block.write(octal(0o600, 8), 100)
  block.write(octal(0, 8), 108)
  block.write(octal(0, 8), 116)
  block.write(octal(size, 12), 124)
  block.write(octal(Math.floor(at.getTime() / 1000), 12), 136)
  block.write('        ', 148) // the sum is of the block with spaces here
  block.write('0', 156)
  block.write('ustar\u000000', 257)
  block.write(prefix, 345)
  block.write(`${octal(sumOf(block), 7)} `, 148)
  return block
}

const sumOf = (block: Buffer) => block.reduce((sum, byte) => sum + byte, 0)

/** What fills a file up to whole blocks. */
export const tarFill = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
export const tarEnd = (): Buffer => Buffer.alloc(2 * BLOCK)

export type TarEntry = { name: string; offset: number; size: number }

/** Not a tar archive, or one that was cut off. */
export class BrokenArchive extends Error {}

/** What is in an archive, and where. Reads the blocks between the files only. */
export async function* listTar(file: FileHandle): AsyncGenerator<TarEntry> {
  const { size: total } = await file.stat()
  const block = Buffer.alloc(BLOCK)
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(block, 0, BLOCK, at)
    if (bytesRead < BLOCK) throw new BrokenArchive('it is cut off')
    if (block.every((byte) => byte === 0)) return
    const text = (from: number, length: number) => {
      const part = block.subarray(from, from + length)
      const end = part.indexOf(0)
      return part.toString('utf8', 0, end < 0 ? length : end)
    }
    const said = Number.parseInt(text(148, 8), 8)
    block.fill(' ', 148, 156)
    if (said !== sumOf(block)) throw new BrokenArchive('it is no tar archive, or damaged')
    const [size, prefix] = [Number.parseInt(text(124, 12), 8), text(345, 155)]
    if (!(size >= 0)) throw new BrokenArchive('it is no tar archive, or damaged')
    if (at + BLOCK + size > total) throw new BrokenArchive('it is cut off')
    yield { name: prefix ? `${prefix}/${text(0, 100)}` : text(0, 100), offset: at + BLOCK, size }
    at += BLOCK + size + tarFill(size).length
  }
}

export const readEntry = (path: string, { offset, size }: TarEntry): Readable =>
  size === 0 ? Readable.from([]) : createReadStream(path, { start: offset, end: offset + size - 1 })
