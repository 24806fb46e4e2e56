const EXPRESSION = /\{%.*?%\}|\{\{.*?\}\}/gs
const WORD = /[\p{L}\p{Nd}][\p{L}\p{Nd}_-]*/gu
const MAX_CODES = 1_000

/**
 * The words of a letter that may be promo codes: those in capitals, as codes are written, or of figures. That "spring" is
 * also a code does not matter to a letter about spring. Which of them are codes is told by the orders that used them.
 */
export function namedCodes(text: string): string[] {
  const words = text.replaceAll(EXPRESSION, ' ').normalize('NFKC').match(WORD) ?? []
  const codes = words.map((word) => word.replace(/[_-]+$/, '')).filter((word) => word === word.toUpperCase())
  return [...new Set(codes)].slice(0, MAX_CODES)
}
