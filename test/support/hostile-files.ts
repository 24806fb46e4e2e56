import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

/** A file, what it is said to be, and what becomes of it. */
export type Hostile = { name: string; bytes: Buffer; mimeType: string; becomes: string; size?: number; sha256?: string }

/** A part of a PNG. */
export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

const PNG = Buffer.from('\x89PNG\r\n\x1A\n', 'latin1')

/** A grey PNG of one bit a pixel, all of it zero: a few kilobytes, however large. */
export function flatPng(width: number, height: number, further: Buffer[] = []): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * Math.min(height, 10_000))
  const data = chunk('IDAT', deflateSync(rows, { level: 9 }))
  return Buffer.concat([PNG, chunk('IHDR', header), ...further, data, chunk('IEND', Buffer.alloc(0))])
}

const textBomb = () =>
  chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(Buffer.alloc(100_000_000))]))

/** A GIF of `frames` frames with a single pixel each. */
export function gifOf(width: number, height: number, frames: number): Buffer {
  const screen = Buffer.alloc(7)
  screen.writeUInt16LE(width, 0)
  screen.writeUInt16LE(height, 2)
  screen[4] = 0x80
  const palette = Buffer.from([0, 0, 0, 255, 255, 255])
  const frame = Buffer.alloc(10)
  frame[0] = 0x2c
  frame.writeUInt16LE(1, 5)
  frame.writeUInt16LE(1, 7)
  const control = Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0])
  // One pixel, dark or light by turns: frames that are the same would become one.
  const one = (index: number) =>
    Buffer.concat([control, frame, Buffer.from([2, 2, index % 2 === 0 ? 0x44 : 0x4c, 1, 0])])
  const all = Array.from({ length: frames }, (_, index) => one(index))
  return Buffer.concat([Buffer.from('GIF89a'), screen, palette, ...all, Buffer.from([0x3b])])
}

/** An archive with nothing in it: whoever looks for one at the end of a file finds it. */
const EMPTY_ZIP = Buffer.from('PK\x05\x06'.padEnd(22, '\0'), 'latin1')

export const noise = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({
    create: { width, height, channels, background: '#336699', noise: { type: 'gaussian', mean: 128, sigma: 30 } },
  })

export async function photo(width = 1_500, height = 1_000): Promise<Buffer> {
  return noise(width, height).jpeg().toBuffer()
}

/** Taken lying on the side, at a place that nobody else is to know. */
export const photoWithPlace = () =>
  noise(800, 600)
    .jpeg()
    .withMetadata({ orientation: 6 })
    .withExifMerge({
      IFD0: { Copyright: 'Somebody Private' },
      IFD3: { GPSLatitude: '52/1 31/1 0/1', GPSLatitudeRef: 'N' },
    })
    .toBuffer()

const svg = (inside: string) =>
  Buffer.from(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${inside}</svg>`)

const ftyp = (brand: string) =>
  Buffer.concat([
    Buffer.from([0, 0, 0, 24]),
    Buffer.from(`ftyp${brand}\0\0\0\0${brand}mif1`, 'latin1'),
    Buffer.alloc(64),
  ])

export async function hostileFiles(): Promise<Hostile[]> {
  const jpeg = await photo(400, 300)
  const png = await noise(300, 200).png().toBuffer()
  const webp = await noise(300, 200).webp().toBuffer()
  const html = Buffer.from('<!doctype html><html><script>alert(1)</script></html>')
  const script = Buffer.from('<script>alert(document.domain)</script>')
  const pdf = Buffer.from('%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n')
  const broken = Buffer.from(png)
  broken.fill(0x41, 60, 400)
  const wrongLength = Buffer.from(webp)
  wrongLength.writeUInt32LE(100, 4)

  return [
    { name: 'a pixel bomb', bytes: flatPng(60_000, 60_000), mimeType: 'image/png', becomes: 'TOO_MANY_PIXELS' },
    {
      name: 'a picture just above the limit',
      bytes: flatPng(10_000, 5_001),
      mimeType: 'image/png',
      becomes: 'TOO_MANY_PIXELS',
    },
    {
      name: 'a picture at the limit, a few kilobytes large',
      bytes: flatPng(10_000, 5_000),
      mimeType: 'image/png',
      becomes: 'READY',
    },
    {
      name: 'a moving picture whose frames are too many together',
      bytes: gifOf(1_000, 1_000, 51),
      mimeType: 'image/gif',
      becomes: 'TOO_MANY_PIXELS',
    },
    {
      name: 'a moving picture that is small enough',
      bytes: gifOf(100, 80, 20),
      mimeType: 'image/gif',
      becomes: 'READY',
    },
    {
      name: 'a picture as thin as a thread',
      bytes: flatPng(20_000, 2),
      mimeType: 'image/png',
      becomes: 'SIDE_TOO_LONG',
    },
    {
      name: 'a picture as high as a tower',
      bytes: flatPng(2, 20_000),
      mimeType: 'image/png',
      becomes: 'SIDE_TOO_LONG',
    },
    {
      name: 'a text that unpacks to 100 MB inside a picture',
      bytes: flatPng(64, 64, [textBomb()]),
      mimeType: 'image/png',
      becomes: 'READY',
    },
    {
      name: 'a JPEG that is cut off',
      bytes: jpeg.subarray(0, jpeg.length / 2),
      mimeType: 'image/jpeg',
      becomes: 'BROKEN',
    },
    { name: 'a PNG that is cut off', bytes: png.subarray(0, png.length / 2), mimeType: 'image/png', becomes: 'BROKEN' },
    {
      name: 'a WebP that is cut off',
      bytes: webp.subarray(0, webp.length / 2),
      mimeType: 'image/webp',
      becomes: 'BROKEN',
    },
    { name: 'a PNG whose bytes are broken', bytes: broken, mimeType: 'image/png', becomes: 'BROKEN' },
    {
      name: 'nothing but the beginning of a JPEG',
      bytes: Buffer.from('\xFF\xD8\xFF\xE0', 'latin1'),
      mimeType: 'image/jpeg',
      becomes: 'BROKEN',
    },
    { name: 'a PNG that is said to be a JPEG', bytes: png, mimeType: 'image/jpeg', becomes: 'TYPE_DIFFERS' },
    { name: 'a page that is said to be a picture', bytes: html, mimeType: 'image/png', becomes: 'TYPE_DIFFERS' },
    { name: 'an SVG that is said to be a PNG', bytes: svg(''), mimeType: 'image/png', becomes: 'TYPE_DIFFERS' },
    { name: 'a HEIC that is said to be an AVIF', bytes: ftyp('heic'), mimeType: 'image/avif', becomes: 'TYPE_DIFFERS' },
    {
      name: 'a program that is said to be a PDF',
      bytes: Buffer.from('MZ\x90\0\x03 This program cannot be run'),
      mimeType: 'application/pdf',
      becomes: 'TYPE_DIFFERS',
    },
    {
      name: 'bytes that are said to be a text',
      bytes: Buffer.from([0, 1, 2, 3, 255]),
      mimeType: 'text/plain',
      becomes: 'TYPE_DIFFERS',
    },
    { name: 'a page that is said to be an SVG', bytes: html, mimeType: 'image/svg+xml', becomes: 'TYPE_DIFFERS' },
    {
      name: 'comments upon comments that are said to be an SVG',
      bytes: Buffer.from(`${'<!---->'.repeat(500)}<p>`),
      mimeType: 'image/svg+xml',
      becomes: 'TYPE_DIFFERS',
    },
    {
      name: 'an SVG after comments and declarations',
      bytes: Buffer.from('<?xml version="1.0"?>\n<!-- a > b --><!-- --- -->\n<!DOCTYPE svg>\n<svg width="9"/>'),
      mimeType: 'image/svg+xml',
      becomes: 'READY',
    },
    {
      name: 'a JPEG that is an archive, too',
      bytes: Buffer.concat([jpeg, EMPTY_ZIP]),
      mimeType: 'image/jpeg',
      becomes: 'HIDDEN_CONTENT',
    },
    {
      name: 'a PDF that is an archive, too',
      bytes: Buffer.concat([pdf, EMPTY_ZIP]),
      mimeType: 'application/pdf',
      becomes: 'HIDDEN_CONTENT',
    },
    {
      name: 'a JPEG with a page behind it',
      bytes: Buffer.concat([jpeg, html]),
      mimeType: 'image/jpeg',
      becomes: 'HIDDEN_CONTENT',
    },
    {
      name: 'a GIF that is a script, too',
      bytes: Buffer.concat([gifOf(9, 9, 1), script]),
      mimeType: 'image/gif',
      becomes: 'HIDDEN_CONTENT',
    },
    {
      name: 'a PNG with a script in a comment',
      bytes: flatPng(64, 64, [chunk('tEXt', Buffer.concat([Buffer.from('Comment\0'), script]))]),
      mimeType: 'image/png',
      becomes: 'HIDDEN_CONTENT',
    },
    {
      name: 'a PNG with more behind its end',
      bytes: Buffer.concat([png, Buffer.alloc(1_000, 'A')]),
      mimeType: 'image/png',
      becomes: 'HIDDEN_CONTENT',
    },
    {
      name: 'a WebP that lies about its length',
      bytes: wrongLength,
      mimeType: 'image/webp',
      becomes: 'HIDDEN_CONTENT',
    },
    {
      name: 'a GIF that is a PDF, too',
      bytes: Buffer.concat([gifOf(9, 9, 1), pdf]),
      mimeType: 'image/gif',
      becomes: 'HIDDEN_CONTENT',
    },
    {
      name: 'other bytes than were said',
      bytes: jpeg,
      mimeType: 'image/jpeg',
      sha256: 'a'.repeat(64),
      becomes: 'HASH_DIFFERS',
    },
    {
      name: 'more bytes than were said',
      bytes: Buffer.alloc(1_000_000),
      mimeType: 'image/jpeg',
      size: 1,
      becomes: 'SIZE_DIFFERS',
    },
    {
      name: 'fewer bytes than were said',
      bytes: jpeg,
      mimeType: 'image/jpeg',
      size: 9_999_999,
      becomes: 'SIZE_DIFFERS',
    },
    {
      name: 'an SVG with a script',
      bytes: svg('<script>alert(1)</script>'),
      mimeType: 'image/svg+xml',
      becomes: 'READY',
    },
    { name: 'a PDF', bytes: pdf, mimeType: 'application/pdf', becomes: 'READY' },
    { name: 'a photo with a place in it', bytes: await photoWithPlace(), mimeType: 'image/jpeg', becomes: 'READY' },
  ]
}
