// PostgreSQL takes a megabyte of them at most: this many of the longest fit.
const MAX_TERMS = 3_000
const MAX_TERM_LENGTH = 60
const MAX_TEXT_LENGTH = 20_000
const MAX_QUERY_TERMS = 10
const MIN_CORRECTED_LENGTH = 4

// Letters that Unicode does not take apart into a letter and an accent.
const LETTERS: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ħ: 'h',
}

/** Case and accents gone: `Crème` and `creme` are one word, `ＫＩＴ` is `kit`. */
const fold = (text: string) =>
  text
    .replace(/[™℠®©]/g, ' ') // no part of the word before it
    .normalize('NFKD') // first: it makes capitals of some letters that have none to be lowered, such as those of ™
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[ßøłđðþæœıħ]/g, (letter) => LETTERS[letter] ?? letter)

// Written without spaces: only a dictionary knows where their words begin.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u
const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** The words of a text, folded, in their order. The same function reads what is stored and what is asked for. */
export function wordsOf(text: string): string[] {
  const runs = fold(text.slice(0, MAX_TEXT_LENGTH)).match(/[\p{L}\p{N}]+|\p{Extended_Pictographic}/gu) ?? []
  return runs
    .flatMap((run) => (UNSPACED.test(run) ? [...segmenter.segment(run)].map(({ segment }) => segment) : [run]))
    .map(toTerm)
}

/** By code points: half a surrogate pair could not be stored. */
const toTerm = (word: string) => Array.from(word).slice(0, MAX_TERM_LENGTH).join('')

export const joinWords = (words: readonly string[]) => toTerm(words.join(''))

/** What a word found there is worth, A the most. */
export type Weight = 'A' | 'B' | 'C' | 'D'

/**
 * A tsvector as text, and its words that a typo may be made in. A word counts where it comes first. No more is asked for once
 * there is no room: finding the words of a whole large product takes seconds.
 */
export function toTerms(weighted: Iterable<readonly [Weight, readonly string[]]>): { terms: string; words: string[] } {
  const weights = new Map<string, Weight>()
  for (const [weight, words] of weighted) {
    for (const word of words) if (!weights.has(word) && weights.size < MAX_TERMS) weights.set(word, weight)
    if (weights.size >= MAX_TERMS) break
  }
  const terms = [...weights].map(([word, weight]) => `'${word}':1${weight}`).join(' ')
  return { terms, words: [...weights.keys()].filter(isCorrectable) }
}

// Numbers and SKUs have no typos that could be guessed, and there are too many of them.
const isCorrectable = (word: string) => /^\p{L}{3,30}$/u.test(word)

export type SearchQuery = {
  /**
   * A tsquery for what was typed: all words, the last one as a beginning; or, as SKUs are stored, all of them in one. After a
   * beginning that is too short for that stands `BEGUN`, for words of the business that begin so.
   */
  exact: string
  begun: string | undefined
  /** The same, word by word, for putting alternatives beside each. */
  parts: string[]
  /** What else each may be, as a tsquery: in short words two letters may have been swapped. Empty: nothing. */
  swapped: string[]
  /** Every word with every way to leave one of its letters out, to meet those of stored words. */
  spellings: { at: number; spelling: string }[]
  /** Which of the words was not finished, and may be the beginning of one; 0: none. */
  unfinished: number
}

/** No word holds it. */
export const BEGUN = '…'

// The index goes through all words that begin so, those of other businesses as well: few letters are the beginning of too many.
const MIN_BEGINNING_LENGTH = 3
const isLongEnough = (word: string) => UNSPACED.test(word) || Array.from(word).length >= MIN_BEGINNING_LENGTH

/** Undefined when the text holds no word: then nothing can match. */
export function toSearchQuery(text: string): SearchQuery | undefined {
  const all = wordsOf(text)
  const words = [...new Set(all)].slice(0, MAX_QUERY_TERMS)
  if (words.length === 0) return undefined
  const endsInWord = /[\p{L}\p{M}\p{N}]$/u.test(text)
  const last = endsInWord ? all.at(-1) : undefined
  const asBeginning = (word: string) => (isLongEnough(word) ? `'${word}':*` : `'${word}'`)
  const toPart = (word: string) => (word === last ? asBeginning(word) : `'${word}'`)
  const begun = last !== undefined && words.includes(last) && !isLongEnough(last) ? last : undefined
  const parts = words.map(toPart)
  const spellings = words.flatMap((word, index) =>
    isCorrectable(word) && word.length >= MIN_CORRECTED_LENGTH
      ? [...spellingsOf(word)].map((spelling) => ({ at: index + 1, spelling }))
      : [],
  )
  const exact = words.map((word) => (word === begun ? `(${toPart(word)}${BEGUN})` : toPart(word))).join(' & ')
  const joined = words.length > 1 ? ` | ${asBeginning(joinWords(all))}` : ''
  return {
    exact: `(${exact})${joined}`,
    begun,
    parts,
    swapped: words.map((word) => swapsOf(word).map((swap) => (word === last ? asBeginning(swap) : `'${swap}'`)).join(' | ')), // biome-ignore format: one line
    spellings,
    unfinished: last === undefined ? 0 : words.indexOf(last) + 1,
  }
}

/** A word of three letters with two of them swapped: any other typo would make it too many words. */
function swapsOf(word: string): string[] {
  const [a = '', b = '', c = ''] = Array.from(word)
  if (!/^\p{L}{3}$/u.test(word) || UNSPACED.test(word)) return []
  return [...new Set([`${b}${a}${c}`, `${a}${c}${b}`])].filter((swap) => swap !== word)
}

/** The word itself and every way to leave out one letter: what is stored, too, of each word that can be found. */
export function spellingsOf(word: string): Set<string> {
  const letters = Array.from(word)
  return new Set([word, ...letters.map((_, index) => letters.toSpliced(index, 1).join(''))])
}
