import { createRequire } from 'node:module'

const { resolve } = createRequire(import.meta.url)

/** Free fonts with the letters of most alphabets; the fonts that every PDF reader has know Western Europe only. */
export const FONTS = {
  regular: resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
  bold: resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
}

/** Part of pdfkit's private font; nothing public says which letters it has. */
type Internals = { _font?: { font?: { hasGlyphForCodePoint?: (codePoint: number) => boolean } } }

export function hasLetter(document: object, letter: string): boolean {
  const { _font: { font } = {} } = document as Internals
  if (!font?.hasGlyphForCodePoint) throw new Error('pdfkit has another font inside than the one that we know')
  return font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0)
}
