import { joinWords, wordsOf } from '#vocabulary/search-words.ts'
import { quoteTerm } from './search-row.ts'

const MAX_WORDS = 10

/** Sorts after every text with the same beginning. */
const AFTER_ALL = '\u{10FFFF}'
export const rangeOf = (beginning: string) => ({ from: beginning, to: `${beginning}${AFTER_ALL}` })
export type Range = ReturnType<typeof rangeOf>

/** What somebody typed into the search box, as each of the things that it may be. */
export type Typed = {
  /** The beginning of a number. */
  number: Range | undefined
  /** The beginning of an email address. */
  email: Range | undefined
  /** Complete words, then perhaps one that is unfinished. */
  words: string[]
  unfinished: string | undefined
  /** All in one, as codes and telephone numbers are also stored. */
  joined: string | undefined
}

export function readTyped(text: string): Typed {
  const trimmed = text.trim()
  const number = trimmed.replaceAll(/[\s-]/g, '').toUpperCase()
  const all = wordsOf(trimmed)
  const words = [...new Set(all)].slice(0, MAX_WORDS)
  const unfinished = /[\p{L}\p{M}\p{N}]$/u.test(trimmed) ? all.at(-1) : undefined
  return {
    number: /^[0-9A-Z]{1,8}$/.test(number) ? rangeOf(withHyphen(number)) : undefined,
    email: trimmed !== '' && !/\s/.test(trimmed) ? rangeOf(trimmed.toLowerCase()) : undefined,
    words: words.filter((word) => word !== unfinished),
    unfinished: unfinished !== undefined && words.includes(unfinished) ? unfinished : undefined,
    joined: all.length > 1 ? joinWords(all) : undefined,
  }
}

const withHyphen = (number: string) => (number.length > 4 ? `${number.slice(0, 4)}-${number.slice(4)}` : number)

/** A tsquery; `endings` are the words that the unfinished one may become. Without them, any that begin so. */
export function toTermQuery({ words, unfinished, joined }: Typed, endings?: readonly string[]): string | undefined {
  const last =
    unfinished === undefined
      ? []
      : [
          endings
            ? `(${[...new Set([unfinished, ...endings])].map(quoteTerm).join(' | ')})`
            : `${quoteTerm(unfinished)}:*`,
        ]
  const parts = [...words.map(quoteTerm), ...last]
  if (parts.length === 0) return undefined
  return joined === undefined ? parts.join(' & ') : `(${parts.join(' & ')}) | ${quoteTerm(joined)}`
}
