// oxlint-disable-next-line import/no-named-as-default -- its types know only the default
import PDFDocument from 'pdfkit'
import { FONTS, hasLetter } from './font.ts'
import type { Slip, SlipTask } from './slip.ts'
import { inVisualOrder } from './visual-order.ts'

type Document = InstanceType<typeof PDFDocument>

const MARGIN = 48
/** Room for the number of the page. */
const FOOT = 24
const BOX = 10
const COLUMNS = { box: 24, quantity: 72, sku: 130 }
const GREY = '#6b7280'

/** One PDF with each slip on a page of its own, or on several where it is long. */
export async function drawSlips({ paper, business, slips }: SlipTask): Promise<Uint8Array> {
  const document = new PDFDocument({
    size: paper,
    margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: MARGIN + FOOT },
    autoFirstPage: false,
    bufferPages: true, // so that each page can say how many there are
    info: { Title: 'Packing slips' },
  })
  document.registerFont('regular', FONTS.regular).registerFont('bold', FONTS.bold)
  const chunks: Buffer[] = []
  document.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = new Promise((resolve, reject) => document.on('end', resolve).on('error', reject))

  for (const slip of slips) {
    const { count: first } = document.bufferedPageRange()
    document.addPage()
    drawHead(document, business, slip)
    drawLines(document, slip)
    drawNote(document, slip)
    numberPages(document, slip, first)
  }
  document.end()
  await ended
  return Buffer.concat(chunks)
}

const widthOf = ({ page }: Document) => page.width - 2 * MARGIN
const bottomOf = ({ page }: Document) => page.height - MARGIN - FOOT

function drawHead(document: Document, business: string, { number, date, shipTo }: Slip): void {
  const half = widthOf(document) / 2
  const right = { width: half - 8, align: 'right' } as const
  const top = document.y
  write(document, business, MARGIN, top, { width: half - 8 }, 'bold', 15)
  const afterName = document.y
  write(document, 'Packing slip', MARGIN + half + 8, top, right, 'regular', 15)
  write(document, `Order ${number}`, MARGIN + half + 8, document.y + 4, right, 'bold', 10)
  write(document, date, MARGIN + half + 8, document.y, right, 'regular', 10)
  const below = Math.max(afterName, document.y) + 20
  document.fillColor(GREY)
  write(document, 'Ship to', MARGIN, below, { width: half }, 'regular', 8)
  document.fillColor('black')
  for (const line of shipTo.length > 0 ? shipTo : ['–'])
    write(document, line, MARGIN, document.y, { width: half + 60 }, 'regular', 10)
  document.y += 20
}

function drawLines(document: Document, { lines }: Slip): void {
  const nameWidth = widthOf(document) - COLUMNS.box - COLUMNS.quantity - COLUMNS.sku
  const at = {
    quantity: MARGIN + COLUMNS.box,
    name: MARGIN + COLUMNS.box + COLUMNS.quantity,
    sku: MARGIN + COLUMNS.box + COLUMNS.quantity + nameWidth,
  }
  const options = { name: { width: nameWidth - 10 }, sku: { width: COLUMNS.sku } }
  const rule = (y: number) =>
    document
      .moveTo(MARGIN, y)
      .lineTo(MARGIN + widthOf(document), y)
      .lineWidth(0.5)
      .stroke('#d1d5db')
  const head = () => {
    const { y } = document
    document.fillColor(GREY)
    write(document, 'Quantity', at.quantity, y, { width: COLUMNS.quantity }, 'regular', 8)
    write(document, 'Item', at.name, y, options.name, 'regular', 8)
    write(document, 'SKU', at.sku, y, options.sku, 'regular', 8)
    document.fillColor('black')
    rule(y + 14)
    document.y = y + 18
  }

  head()
  for (const { quantity, ordered, name, sku } of lines) {
    const pieces = ordered === null ? `${quantity}` : `${quantity} of ${ordered}`
    document.font('regular').fontSize(10)
    const shown = { name: fit(document, name, options.name.width), sku: fit(document, sku, options.sku.width) }
    const tall = (text: string, width: number) => document.heightOfString(text || ' ', { width })
    const height = Math.max(tall(shown.name, options.name.width), tall(shown.sku, options.sku.width)) + 8
    if (document.y + height > bottomOf(document)) {
      document.addPage()
      head()
    }
    const { y } = document
    document
      .rect(MARGIN, y + 1, BOX, BOX)
      .lineWidth(0.8)
      .stroke('black')
    document.font('bold').text(pieces, at.quantity, y, { width: COLUMNS.quantity })
    document.font('regular').text(shown.name, at.name, y, options.name)
    document.text(shown.sku, at.sku, y, options.sku)
    rule(y + height - 4)
    document.y = y + height
  }
}

function drawNote(document: Document, { note }: Slip): void {
  if (note === '') return
  if (document.y + 60 > bottomOf(document)) document.addPage()
  document.fillColor(GREY)
  write(document, 'Note from the customer', MARGIN, document.y + 12, { width: widthOf(document) }, 'regular', 8)
  document.fillColor('black')
  write(document, note, MARGIN, document.y, { width: widthOf(document) }, 'regular', 10) // goes on on further pages
}

function numberPages(document: Document, { number }: Slip, first: number): void {
  const { count } = document.bufferedPageRange()
  for (let index = first; index < count; index++) {
    document.switchToPage(index)
    document.page.margins.bottom = 0 // or writing there would begin a new page
    const y = document.page.height - MARGIN - 8
    const text = `${number}  ·  ${index - first + 1}/${count - first}`
    document.fillColor(GREY).font('regular').fontSize(8)
    document.text(text, MARGIN, y, { width: widthOf(document), align: 'center', lineBreak: false })
    document.fillColor('black')
  }
}

type Options = { width: number; align?: 'right' }

function write(
  document: Document,
  text: string,
  x: number,
  y: number,
  options: Options,
  font: 'regular' | 'bold',
  size: number,
): void {
  document.font(font).fontSize(size)
  document.text(fit(document, text, options.width), x, y, options)
}

/** The text with letters that the font has, and with its words in the order in which they stand on paper. */
function fit(document: Document, text: string, width: number): string {
  const lines = text.normalize('NFC').split('\n')
  return lines
    .map((line) => inVisualOrder(showable(document, line), (words) => fits(document, words, width)))
    .join('\n')
}

const fits = (document: Document, words: readonly string[], width: number) =>
  document.widthOfString(words.join(' ')) <= width

/** A letter that the font lacks is shown as its closest one, else as a question mark. Control characters are left out. */
const showable = (document: Document, text: string): string =>
  Array.from(text.replace(/\t/g, ' ').replace(/\p{C}/gu, ''), (letter) => {
    if (hasLetter(document, letter)) return letter
    const plain = letter.normalize('NFKD').replace(/\p{M}/gu, '')
    return plain !== '' && Array.from(plain).every((part) => hasLetter(document, part)) ? plain : '?'
  }).join('')
