// Decodes and encodes pictures, in a process of its own: a crash of the decoder, or a picture that never ends, takes nothing along.
import path from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { avifRungs, type Picture, plainRung, type Rung, webpRungs } from './ladder.ts'
import type { Problem } from './problems.ts'
import { MAX_PIXELS, MAX_SIDE, type Rendered, type RenderTask } from './render-task.ts'

sharp.cache(false)
sharp.concurrency(1)
// Nothing but these decoders, whatever a file says that it is.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegFile',
    'VipsForeignLoadPngFile',
    'VipsForeignLoadWebpFile',
    'VipsForeignLoadNsgifFile',
    'VipsForeignLoadHeifFile',
  ],
})

const FORMATS: Record<string, string> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
}

// Measured on one picture, made like a photo: an effort of 4 takes twice the time for 4 % fewer bytes, mozjpeg seven times for 5 %, and AVIF with an
// effort of 2 four times for none.
const WEBP = { quality: 80, effort: 2 }
const JPEG = { quality: 82, progressive: true, optimiseCoding: true }
const AVIF = { quality: 50, effort: 1 }

class Refused extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem)
    this.problem = problem
  }
}

const openPicture = (file: string, isAnimated: boolean): Sharp =>
  sharp(file, { animated: isAnimated, limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true })

type Opened = Picture & { open: () => Sharp }

/** Looks at the header only. The whole is counted over all frames, before anything is decoded. */
async function openHeader({
  file,
  mimeType,
}: RenderTask): Promise<Omit<Opened, 'isTransparent'> & { hasAlpha: boolean }> {
  const about = await sharp(file, { limitInputPixels: false, failOn: 'error' }).metadata()
  const isFormat =
    mimeType === 'image/avif'
      ? about.format === 'heif' && about.compression === 'av1'
      : about.format === FORMATS[mimeType]
  if (!isFormat) throw new Refused('TYPE_DIFFERS')
  const frames = about.pages ?? 1
  const frameHeight = about.pageHeight ?? about.height
  if (about.width * frameHeight * frames > MAX_PIXELS) throw new Refused('TOO_MANY_PIXELS')
  if (Math.max(about.width, frameHeight) > MAX_SIDE) throw new Refused('SIDE_TOO_LONG')
  const { width, height } = about.autoOrient
  const isAnimated = frames > 1 && mimeType !== 'image/avif'
  const [upright, upHeight] = isAnimated ? [about.width, frameHeight] : [width, height]
  return {
    width: upright,
    height: upHeight,
    isAnimated,
    hasAlpha: about.hasAlpha,
    open: () => (isAnimated ? openPicture(file, true) : openPicture(file, false).autoOrient()),
  }
}

/** Decodes it once, no larger than the largest rendition; everything else is made from that. */
async function decode(task: RenderTask): Promise<Opened> {
  const { hasAlpha, ...header } = await openHeader(task)
  if (header.isAnimated) return { ...header, isTransparent: hasAlpha }
  const [largest] = webpRungs({ ...header, isTransparent: false }).slice(-1) as [Rung]
  const { data, info } = await header
    .open()
    .resize(largest.width, largest.height, { fit: 'fill' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const raw = { width: info.width, height: info.height, channels: info.channels }
  const open = () => sharp(data, { raw, limitInputPixels: false })
  const isTransparent = hasAlpha && !(await open().stats()).isOpaque
  return { ...header, isTransparent, open: isTransparent || !hasAlpha ? open : () => open().removeAlpha() }
}

const sized = ({ open }: Opened, { width, height }: Pick<Rung, 'width' | 'height'>) =>
  open().resize(width, height, { fit: 'fill' })

async function makePlain(picture: Opened, file: string, out: string): Promise<void> {
  const rung = plainRung(picture)
  const still = picture.isAnimated ? { ...picture, open: () => openPicture(file, false) } : picture
  const image = sized(still, rung)
  await (picture.isTransparent
    ? image.png({ compressionLevel: 9, effort: 5 })
    : image.flatten({ background: 'white' }).jpeg(JPEG)
  ).toFile(path.join(out, rung.name))
}

/** So small that it fits into a record: 16 pixels on the longer side, some 100 to 300 characters. */
async function makePlaceholder(picture: Opened, file: string): Promise<string> {
  const image = picture.isAnimated ? openPicture(file, false) : picture.open()
  const tiny = await image
    .resize(16, 16, { fit: 'inside' })
    .webp({ quality: 30, alphaQuality: 30, effort: 6 })
    .toBuffer()
  return `data:image/webp;base64,${tiny.toString('base64')}`
}

async function render(task: RenderTask): Promise<Rendered> {
  const { file, out, make } = task
  const picture = await decode(task)
  const { open: _open, ...about } = picture
  if (make === 'avif') {
    for (const rung of avifRungs(picture)) {
      await sized(picture, rung).avif(AVIF).toFile(path.join(out, rung.name))
    }
    return { picture: about, placeholder: '' }
  }
  for (const rung of webpRungs(picture)) {
    await sized(picture, rung).webp(WEBP).toFile(path.join(out, rung.name))
  }
  await makePlain(picture, file, out)
  return { picture: about, placeholder: await makePlaceholder(picture, file) }
}

// One after another: the next comes when this one is answered.
process.on('message', (task: RenderTask) => {
  void render(task)
    .catch((error: unknown) => ({ problem: error instanceof Refused ? error.problem : problemOf(error as Error) }))
    .then((answer) => process.send?.(answer))
})
process.once('disconnect', () => process.exit(0))

/** What the decoder says of a broken file is for nobody but the log. */
function problemOf(error: Error): Problem {
  process.stderr.write(`${error.message}\n`)
  return /pixel limit|too large/i.test(error.message) ? 'TOO_MANY_PIXELS' : 'BROKEN'
}
