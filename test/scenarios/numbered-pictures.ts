import sharp from 'sharp'
import { chunk } from '../support/hostile-files.ts'

export type NumberedFile = { bytes: Buffer; mimeType: string; becomes: 'READY' | 'REJECTED' }

const SHADES = ['#884422', '#226688', '#557733', '#aa9944', '#333355']

/** Small pictures of several sizes, made once; each number is another file. */
export async function createPictures() {
  const jpegs: Buffer[] = []
  const pngs: Buffer[] = []
  for (const [index, background] of SHADES.entries()) {
    const [width, height] = [120 + 45 * index, 200 - 20 * index]
    const raw = { width, height, channels: 3 as const }
    const picture = () => sharp(grain(width * height * 3, index), { raw }).tint(background)
    jpegs.push(
      await picture()
        .jpeg({ quality: 70 + 4 * index })
        .toBuffer(),
    )
    pngs.push(await picture().png({ palette: true }).toBuffer())
  }
  const at = (list: Buffer[], number: number) => list[number % list.length] as Buffer
  return {
    picture(number: number): NumberedFile {
      return number % 3 === 0
        ? { bytes: numberPng(at(pngs, number), number), mimeType: 'image/png', becomes: 'READY' }
        : { bytes: numberJpeg(at(jpegs, number), number), mimeType: 'image/jpeg', becomes: 'READY' }
    },
    /** A page, a picture with a page behind it, half of a picture: by turns. */
    hostile(number: number): NumberedFile {
      const jpeg = numberJpeg(at(jpegs, number), number)
      const page = Buffer.from(`<!doctype html><title>${number}</title><script>alert(1)</script>`)
      const bytes = [page, Buffer.concat([jpeg, page]), jpeg.subarray(0, jpeg.length >> 1)][number % 3] as Buffer
      return { bytes, mimeType: 'image/jpeg', becomes: 'REJECTED' }
    },
  }
}

/** The same in every process. */
function grain(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed + 1
  for (let index = 0; index < length; index++) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    bytes[index] = 100 + (index % 97) / 2 + ((state >> 16) % (10 + 8 * seed))
  }
  return bytes
}

/** In a comment, behind the first two bytes. */
function numberJpeg(jpeg: Buffer, number: number): Buffer {
  const text = Buffer.from(`number ${number}`)
  const head = Buffer.from([0xff, 0xfe, 0, text.length + 2])
  return Buffer.concat([jpeg.subarray(0, 2), head, text, jpeg.subarray(2)])
}

const PNG_HEADER = 8 + 25

function numberPng(png: Buffer, number: number): Buffer {
  const text = chunk('tEXt', Buffer.from(`Comment\0number ${number}`))
  return Buffer.concat([png.subarray(0, PNG_HEADER), text, png.subarray(PNG_HEADER)])
}
