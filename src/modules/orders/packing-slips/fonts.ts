import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import type PDFDocument from 'pdfkit'

type Document = InstanceType<typeof PDFDocument>
export type Weight = 'regular' | 'bold'

const { resolve } = createRequire(import.meta.url)

/** Free fonts with the letters of most alphabets; the fonts that every PDF reader has know Western Europe only. */
const OWN: Record<Weight, string> = {
  regular: resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
  bold: resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
}

// Where Debian puts them, and so the image. A collection of fonts is named with the one in it that is meant.
const CJK = '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc'
const INDIC = ['Devanagari', 'Bengali', 'Gujarati', 'Gurmukhi', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala']
const OTHERS = ['Thai', 'Khmer', 'Myanmar', 'Ethiopic']
const USUAL = [
  ...['jp', 'sc', 'tc', 'kr', 'hk'].map((face) => `${CJK}#NotoSansCJK${face}-Regular`),
  ...[...OTHERS, ...INDIC].map((script) => `/usr/share/fonts/truetype/noto/NotoSans${script}-Regular.ttf`),
]

/** Fonts for letters that ours lack, best first: those of the setting, else the usual ones that are installed. */
export const findFurtherFonts = (setting: readonly string[]): string[] =>
  setting.length > 0 ? [...setting] : USUAL.filter((font) => existsSync(fileOf(font)))

const fileOf = (font: string) => font.split('#')[0] as string

/** Chinese, Japanese and Korean write some characters differently that are one in Unicode. */
const FACES: Record<string, string> = { JP: 'jp', KR: 'kr', CN: 'sc', SG: 'sc', TW: 'tc', HK: 'hk', MO: 'hk' }

const inOrderFor = (fonts: readonly string[], region: string): string[] => {
  const isTheirs = (font: string) => FACES[region] !== undefined && font.includes(`CJK${FACES[region]}-`)
  return fonts.toSorted((one, other) => Number(isTheirs(other)) - Number(isTheirs(one)))
}

/** Chooses the font of each letter. A further font is read from the disk once a letter needs it. */
export function openFonts(document: Document, further: readonly string[]) {
  for (const weight of ['regular', 'bold'] as const) document.registerFont(weight, OWN[weight])
  for (const font of further) document.registerFont(font, fileOf(font), font.split('#')[1])
  const known = new Map<string, string | undefined>()

  const has = (font: string, letter: string) => hasLetter(document, font, letter)
  const choose = (letter: string, weight: Weight, region: string): string | undefined => {
    const key = `${weight} ${region} ${letter}`
    const fonts = () => [weight, ...inOrderFor(further, region)]
    if (!known.has(key))
      known.set(
        key,
        fonts().find((font) => has(font, letter)),
      )
    return known.get(key)
  }
  return { choose, has }
}

export type Fonts = ReturnType<typeof openFonts>

/** Part of pdfkit's private font; nothing public says which letters it has. */
type Internals = { _font?: { font?: { hasGlyphForCodePoint?: (codePoint: number) => boolean } } }

/** `letter`: as readers see it, with its accents. What is never seen, such as a joiner, need not be there. */
function hasLetter(document: Document, name: string, letter: string): boolean {
  const { _font: { font } = {} } = document.font(name) as Internals
  if (!font?.hasGlyphForCodePoint) throw new Error('pdfkit has another font inside than the one that we know')
  return Array.from(letter).every(
    (part) => /\p{Default_Ignorable_Code_Point}/u.test(part) || font.hasGlyphForCodePoint?.(part.codePointAt(0) ?? 0),
  )
}
