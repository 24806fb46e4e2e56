import LineBreaker from 'linebreak'
import type PDFDocument from 'pdfkit'
import type { Fonts, Weight } from './fonts.ts'
import { inVisualOrder, levelsOf, type Run } from './visual-order.ts'

type Document = InstanceType<typeof PDFDocument>
/** `region`: whose way to write Chinese characters is meant. */
export type Style = { weight: Weight; size: number; region: string }
export type Line = { runs: (Run & { width: number })[]; width: number }
type Letter = { text: string; font: string }

export const leading = (size: number) => size * 1.3
const BASELINE = 0.98
const PICTURE = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u
const letters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** pdfkit sets a text in one font, and knows one direction a line. This sets each letter in a font that has it. */
export function openTypesetter(document: Document, fonts: Fonts) {
  const widthOf = (run: Run, size: number) =>
    document.font(run.font).fontSize(size).widthOfString(run.text, featuresOf(run))

  function setLine(line: readonly Letter[], levels: Uint8Array | undefined, size: number): Line {
    const named = line.flatMap(({ text, font }) => Array.from({ length: text.length }, () => font))
    const runs = inVisualOrder(textOf(line), named, levels).map((run) => ({ ...run, width: widthOf(run, size) }))
    return { runs, width: sum(runs.map(({ width }) => width)) }
  }

  /** A part that is too long for a line of its own is broken wherever the line is full. */
  function setParagraph(paragraph: readonly Letter[], width: number, size: number): Line[] {
    const levels = levelsOf(textOf(paragraph))
    const whole = setLine(trimEnd(paragraph), levels, size)
    if (whole.width <= width) return [whole]
    const lines: Letter[][] = [[]]
    let used = 0
    const add = (part: readonly Letter[]) => {
      const isFull = used + setLine(trimEnd(part), undefined, size).width > width
      if (isFull && used > 0) {
        lines.push([])
        used = 0
      }
      lines.at(-1)?.push(...part)
      used += setLine(part, undefined, size).width
    }
    for (const part of partsOf(paragraph)) {
      if (setLine(trimEnd(part), undefined, size).width <= width) add(part)
      else for (const letter of part) add([letter])
    }
    let start = 0
    return lines.map((line) => {
      const set = setLine(trimEnd(line), levels?.subarray(start), size)
      start += textOf(line).length
      return set
    })
  }

  return {
    set: (text: string, width: number, { weight, size, region }: Style): Line[] =>
      text
        .normalize('NFC')
        .split(/\r?\n/)
        .flatMap((paragraph) => setParagraph(lettersOf(paragraph, weight, region), width, size)),

    draw({ runs }: Line, x: number, y: number, size: number): void {
      let at = x
      for (const run of runs) {
        const options = { ...featuresOf(run), lineBreak: false, baseline: 'alphabetic' } as const
        document
          .font(run.font)
          .fontSize(size)
          .text(run.text, at, y + size * BASELINE, options)
        at += run.width
      }
    },
  }

  /**
   * A letter that no font has is shown as its closest one, else as a question mark. Control characters are left out, and
   * so are pictures that no font has.
   */
  function lettersOf(paragraph: string, weight: Weight, region: string): Letter[] {
    const shown: Letter[] = []
    const text = paragraph.replace(/\t/g, ' ').replace(/(?![\u200C\u200D])\p{C}/gu, '')
    for (const { segment } of letters.segment(text)) {
      const before = shown.at(-1)?.font
      const font = fonts.choose(segment, weight, region)
      const plain = segment.normalize('NFKD').replace(/\p{M}/gu, '')
      if (font === undefined && plain !== '' && fonts.choose(plain, weight, region) === weight)
        shown.push({ text: plain, font: weight })
      else if (font === undefined) {
        if (!PICTURE.test(segment)) shown.push({ text: '?', font: weight })
      }
      // Numbers and marks look best in the font of the letters before them.
      else if (before !== undefined && before !== font && !/\p{L}/u.test(segment) && fonts.has(before, segment))
        shown.push({ text: segment, font: before })
      else shown.push({ text: segment, font })
    }
    return shown
  }
}

/** With features, even none, pdfkit leaves the words of a run together, so that the font turns all of it around. */
const featuresOf = ({ isRightToLeft }: Run) => (isRightToLeft ? { features: [] } : {})

/** Parts between which a line may end. */
function partsOf(paragraph: readonly Letter[]): Letter[][] {
  const breaker = new LineBreaker(textOf(paragraph))
  const parts: Letter[][] = []
  let [index, at] = [0, 0]
  for (let next = breaker.nextBreak(); next; next = breaker.nextBreak()) {
    const part: Letter[] = []
    for (; index < paragraph.length && at < next.position; index++) {
      const letter = paragraph[index] as Letter
      part.push(letter)
      at += letter.text.length
    }
    parts.push(part)
  }
  return parts
}

const textOf = (line: readonly Letter[]) => line.map(({ text }) => text).join('')
const trimEnd = (line: readonly Letter[]) => line.slice(0, line.findLastIndex(({ text }) => text.trim() !== '') + 1)
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
