import { type FileHandle, open } from 'node:fs/promises'
import { PICTURES, type PictureType } from './file-types.ts'
import { Rejected } from './problems.ts'

/** As much of the beginning as tells a type, and of the end as an archive's directory may be long. */
const HEAD = 4_096
const TAIL = 65_557
const CHUNK = 1_048_576

type Ends = { head: Buffer; tail: Buffer; size: number }

const startsWith = (head: Buffer, text: string, at = 0) =>
  head.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'))

/** Brands of the ISO base media format, the first one the major. */
function brandsOf(head: Buffer): string[] {
  if (!startsWith(head, 'ftyp', 4)) return []
  const end = Math.min(head.readUInt32BE(0), head.length)
  const brands = [head.toString('latin1', 8, 12)]
  for (let at = 16; at + 4 <= end; at += 4) brands.push(head.toString('latin1', at, at + 4))
  return brands
}
const isAvif = (head: Buffer) => brandsOf(head).some((brand) => brand === 'avif' || brand === 'avis')
const STILL = /^(avi[fs]|hei[cfmsx]|hev[cmx]|mif1|msf1|miaf)$/
const isMovie = (head: Buffer) => {
  const [major] = brandsOf(head)
  return major !== undefined && !STILL.test(major) && !isAvif(head)
}
const isRiff = (head: Buffer, form: string) => startsWith(head, 'RIFF') && startsWith(head, form, 8)
const isZip = ({ head }: Ends) => startsWith(head, 'PK\x03\x04') || startsWith(head, 'PK\x05\x06')

const textOf = (head: Buffer) =>
  head
    .toString('utf8')
    .replace(/^\u{FEFF}/u, '')
    .trimStart()
/**
 * After declarations and comments the first element is `svg`. A comment ends at its first `-->`: if it might end at a later one as
 * well, a few dozen comments could be read in more ways than anybody lives to try.
 */
const isSvg = ({ head }: Ends) =>
  /^(?:<\?xml[^>]*>|<!--(?:(?!-->)[^])*-->|<!DOCTYPE svg[^>]*>|\s)*<svg[\s>]/i.test(textOf(head))

/** By the type that was claimed: whether the bytes may be of it. */
const SIGNATURES: Readonly<Record<string, (ends: Ends) => boolean>> = {
  'image/jpeg': ({ head }) => startsWith(head, '\xFF\xD8\xFF'),
  'image/png': ({ head }) => startsWith(head, '\x89PNG\r\n\x1A\n'),
  'image/gif': ({ head }) => startsWith(head, 'GIF87a') || startsWith(head, 'GIF89a'),
  'image/webp': ({ head }) => isRiff(head, 'WEBP'),
  'image/avif': ({ head }) => isAvif(head),
  'image/svg+xml': isSvg,
  'application/pdf': ({ head }) => startsWith(head, '%PDF-'),
  'application/zip': isZip,
  'application/epub+zip': isZip,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': isZip,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': isZip,
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': isZip,
  'audio/mpeg': ({ head }) => startsWith(head, 'ID3') || (head[0] === 0xff && ((head[1] ?? 0) & 0xe6) === 0xe2),
  'audio/mp4': ({ head }) => isMovie(head),
  'audio/ogg': ({ head }) => startsWith(head, 'OggS'),
  'audio/wav': ({ head }) => isRiff(head, 'WAVE'),
  'video/mp4': ({ head }) => isMovie(head),
  'video/quicktime': ({ head }) => isMovie(head),
  'video/webm': ({ head }) => startsWith(head, '\x1A\x45\xDF\xA3') && head.subarray(0, 64).includes('webm'),
}
const TEXTS = ['text/plain', 'text/csv', 'image/svg+xml']
const isArchive = (mimeType: string) => SIGNATURES[mimeType] === isZip

/** The end of an archive lies where its directory says: the file can be opened as one, whatever it begins with. */
function hasArchive({ tail }: Ends): boolean {
  for (let at = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1'); at >= 0; ) {
    if (at + 22 <= tail.length && at + 22 + tail.readUInt16LE(at + 20) === tail.length) return true
    if (at === 0) return false
    at = tail.lastIndexOf('PK\x05\x06', at - 1, 'latin1')
  }
  return false
}

/** Long enough that noise does not spell them. */
const PAGES = /<script[\s>/]|<iframe[\s>]|<\?php\s|<!doctype html|<html[\s>]|<svg\s+xmlns/i
const OVERLAP = 16

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK)
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK, at)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    if (bytesRead < CHUNK) return
    at += CHUNK - OVERLAP
  }
}

async function hasPage(file: FileHandle): Promise<boolean> {
  for await (const chunk of chunksOf(file)) if (PAGES.test(chunk.toString('latin1'))) return true
  return false
}

async function isText(file: FileHandle): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const buffer = Buffer.allocUnsafe(CHUNK)
  try {
    for (let at = 0; ; at += CHUNK) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK, at)
      const chunk = buffer.subarray(0, bytesRead)
      // oxlint-disable-next-line no-control-regex -- those are what is looked for
      if (/[\0-\x08\x0E-\x1A\x1C-\x1F]/.test(chunk.toString('latin1'))) return false
      decoder.decode(chunk, { stream: bytesRead === CHUNK })
      if (bytesRead < CHUNK) return true
    }
  } catch {
    return false
  }
}

/** Where a PNG, GIF or WebP says that it ends. Undefined: not known, or broken, which decoding will tell. */
async function endOf(file: FileHandle, mimeType: string, { head, size }: Ends): Promise<number | undefined> {
  if (mimeType === 'image/webp')
    return head.length < 8 ? undefined : 8 + head.readUInt32LE(4) + (head.readUInt32LE(4) & 1)
  return mimeType === 'image/png' ? endOfPng(file, size) : undefined
}

const WINDOW = 65_536
const IEND = 0x49454e44

/** Read in large pieces: of parts without content there may be millions. */
async function endOfPng(file: FileHandle, size: number): Promise<number | undefined> {
  const buffer = Buffer.allocUnsafe(WINDOW)
  let [from, until] = [0, 0]
  for (let at = 8; at + 12 <= size; ) {
    if (at + 8 > until) {
      const { bytesRead } = await file.read(buffer, 0, WINDOW, at)
      ;[from, until] = [at, at + bytesRead]
      if (bytesRead < 8) return undefined
    }
    const part = at - from
    at += 12 + buffer.readUInt32BE(part)
    if (buffer.readUInt32BE(part + 4) === IEND) return at
  }
  return undefined
}

/** Which picture the bytes are of, by their beginning alone. */
export async function pictureTypeOf(path: string): Promise<PictureType | undefined> {
  const file = await open(path)
  try {
    const head = Buffer.alloc(HEAD)
    const { bytesRead: size } = await file.read(head, 0, HEAD, 0)
    const ends: Ends = { head: head.subarray(0, size), tail: Buffer.alloc(0), size }
    return PICTURES.find((type) => SIGNATURES[type]?.(ends))
  } finally {
    await file.close()
  }
}

/** Some programs pad files; a few bytes hide nothing. */
const MAX_PADDING = 64

/** Type by content, and nothing else inside. Throws `Rejected`. */
export async function checkContent(path: string, mimeType: string): Promise<void> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const read = async (at: number, length: number) => {
      const buffer = Buffer.alloc(Math.min(length, size))
      await file.read(buffer, 0, buffer.length, at)
      return buffer
    }
    const ends: Ends = { head: await read(0, HEAD), tail: await read(Math.max(0, size - TAIL), TAIL), size }
    const isOfType = SIGNATURES[mimeType]?.(ends) ?? true
    if (!isOfType || (TEXTS.includes(mimeType) && !(await isText(file)))) throw new Rejected('TYPE_DIFFERS')
    if (!isArchive(mimeType) && hasArchive(ends)) throw new Rejected('HIDDEN_CONTENT')
    if (mimeType !== 'application/pdf' && ends.head.subarray(0, 1_024).includes('%PDF-')) {
      throw new Rejected('HIDDEN_CONTENT')
    }
    if (!mimeType.startsWith('image/') || mimeType === 'image/svg+xml') return
    const end = await endOf(file, mimeType, ends)
    if (end !== undefined && size - end > MAX_PADDING) throw new Rejected('HIDDEN_CONTENT')
    if (await hasPage(file)) throw new Rejected('HIDDEN_CONTENT')
  } finally {
    await file.close()
  }
}
