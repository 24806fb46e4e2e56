// oxlint-disable-next-line import/no-named-as-default -- its types know only the default
import PDFDocument from 'pdfkit'
import { openFonts, type Weight } from './fonts.ts'
import { type Line, leading, openTypesetter } from './set-text.ts'
import type { Slip, SlipTask } from './slip.ts'

type Document = InstanceType<typeof PDFDocument>
type Options = { weight?: Weight; size?: number; region?: string; isGrey?: boolean; isRight?: boolean }
/** As pdfkit opens it. */
type Picture = { width: number; height: number }
type Opener = Document & { openImage(bytes: Buffer): Picture }
type Pen = ReturnType<typeof openPen>

const MARGIN = 48
/** Room for the number of the page. */
const FOOT = 24
const BOX = 10
const COLUMNS = { box: 24, quantity: 72, sku: 130 }
const LOGO_HEIGHT = 48
const GREY = '#6b7280'

/** One PDF with each slip on a page of its own, or on several where it is long. */
export async function drawSlips({ paper, business, logo, region, fonts, slips }: SlipTask): Promise<Uint8Array> {
  const document = new PDFDocument({
    size: paper,
    margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: MARGIN + FOOT },
    autoFirstPage: false,
    bufferPages: true, // so that each page can say how many there are
    info: { Title: 'Packing slips' },
  })
  const pen = openPen(document, fonts, region)
  const chunks: Buffer[] = []
  document.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = new Promise((resolve, reject) => document.on('end', resolve).on('error', reject))

  const picture = openPicture(document, logo)
  for (const slip of slips) {
    const { count: first } = document.bufferedPageRange()
    document.addPage()
    drawHead(pen, business, picture, slip)
    drawLines(pen, slip)
    drawNote(pen, slip)
    numberPages(pen, slip, first)
  }
  document.end()
  await ended
  return Buffer.concat(chunks)
}

function openPen(document: Document, further: readonly string[], region: string) {
  const typesetter = openTypesetter(document, openFonts(document, further))
  const set = (text: string, width: number, options: Options = {}): Line[] =>
    typesetter.set(text, width, { weight: 'regular', size: 10, region, ...options })
  return {
    document,
    set,
    width: () => document.page.width - 2 * MARGIN,
    bottom: () => document.page.height - MARGIN - FOOT,
    /** Answers where the next line begins. */
    line(line: Line, x: number, y: number, width: number, { size = 10, isGrey, isRight }: Options = {}): number {
      document.fillColor(isGrey ? GREY : 'black')
      typesetter.draw(line, isRight ? x + width - line.width : x, y, size)
      return y + leading(size)
    },
    write(text: string, x: number, y: number, width: number, options: Options = {}): number {
      return set(text, width, options).reduce((at, line) => this.line(line, x, at, width, options), y)
    },
  }
}

/** Stored once, however many pages show it. One that cannot be read is left out. */
function openPicture(document: Document, bytes: Uint8Array | undefined): Picture | undefined {
  try {
    return bytes && (document as Opener).openImage(Buffer.from(bytes))
  } catch {
    return undefined
  }
}

/** Answers where the text below it begins. */
function drawLogo({ document }: Pen, picture: Picture | undefined, width: number): number {
  if (!picture) return MARGIN
  const scale = Math.min(1, width / picture.width, LOGO_HEIGHT / picture.height)
  const size = { width: picture.width * scale, height: picture.height * scale }
  document.image(picture as never, MARGIN, MARGIN, size)
  return MARGIN + size.height + 8
}

function drawHead(
  pen: Pen,
  business: string,
  picture: Picture | undefined,
  { number, date, shipTo, region }: Slip,
): void {
  const half = pen.width() / 2
  const right = { isRight: true } as const
  const top = drawLogo(pen, picture, half - 8)
  const afterName = pen.write(business, MARGIN, top, half - 8, { weight: 'bold', size: 15 })
  const x = MARGIN + half + 8
  let y = pen.write('Packing slip', x, MARGIN, half - 8, { size: 15, ...right })
  y = pen.write(`Order ${number}`, x, y + 4, half - 8, { weight: 'bold', ...right })
  y = pen.write(date, x, y, half - 8, right)
  y = pen.write('Ship to', MARGIN, Math.max(afterName, y) + 20, half, { size: 8, isGrey: true }) + 2
  for (const line of shipTo.length > 0 ? shipTo : ['–'])
    y = pen.write(line, MARGIN, y, half + 60, region === undefined ? {} : { region })
  pen.document.y = y + 20
}

function drawLines(pen: Pen, { lines }: Slip): void {
  const { document } = pen
  const nameWidth = pen.width() - COLUMNS.box - COLUMNS.quantity - COLUMNS.sku
  const at = {
    quantity: MARGIN + COLUMNS.box,
    name: MARGIN + COLUMNS.box + COLUMNS.quantity,
    sku: MARGIN + COLUMNS.box + COLUMNS.quantity + nameWidth,
  }
  const rule = (y: number) =>
    document
      .moveTo(MARGIN, y)
      .lineTo(MARGIN + pen.width(), y)
      .lineWidth(0.5)
      .stroke('#d1d5db')
  const head = (y: number): number => {
    const options = { size: 8, isGrey: true }
    pen.write('Quantity', at.quantity, y, COLUMNS.quantity, options)
    pen.write('Item', at.name, y, nameWidth, options)
    pen.write('SKU', at.sku, y, COLUMNS.sku, options)
    rule(y + 14)
    return y + 19
  }

  let y = head(document.y)
  for (const { quantity, ordered, name, sku } of lines) {
    const pieces = ordered === null ? `${quantity}` : `${quantity} of ${ordered}`
    const [names, skus] = [pen.set(name, nameWidth - 10), pen.set(sku, COLUMNS.sku)]
    const height = Math.max(names.length, skus.length) * leading(10) + 8
    if (y + height > pen.bottom()) {
      document.addPage()
      y = head(MARGIN)
    }
    document
      .rect(MARGIN, y + 1.5, BOX, BOX)
      .lineWidth(0.8)
      .stroke('black')
    pen.write(pieces, at.quantity, y, COLUMNS.quantity, { weight: 'bold' })
    names.reduce((next, line) => pen.line(line, at.name, next, nameWidth), y)
    skus.reduce((next, line) => pen.line(line, at.sku, next, COLUMNS.sku), y)
    rule(y + height - 4)
    y += height
  }
  document.y = y
}

/** Goes on on further pages. */
function drawNote(pen: Pen, { note }: Slip): void {
  const { document } = pen
  if (note === '') return
  let y = document.y + 12
  if (y + 48 > pen.bottom()) {
    document.addPage()
    y = MARGIN
  }
  y = pen.write('Note from the customer', MARGIN, y, pen.width(), { size: 8, isGrey: true }) + 2
  for (const line of pen.set(note, pen.width())) {
    if (y + leading(10) > pen.bottom()) {
      document.addPage()
      y = MARGIN
    }
    y = pen.line(line, MARGIN, y, pen.width())
  }
}

function numberPages(pen: Pen, { number }: Slip, first: number): void {
  const { document } = pen
  const { count } = document.bufferedPageRange()
  for (let index = first; index < count; index++) {
    document.switchToPage(index)
    const options = { size: 8, isGrey: true }
    for (const line of pen.set(`${number}  ·  ${index - first + 1}/${count - first}`, pen.width(), options))
      pen.line(line, MARGIN + (pen.width() - line.width) / 2, document.page.height - MARGIN - 8, pen.width(), options)
  }
}
