// A tsvector holds a megabyte at most: this many of the longest terms fit.
const MAX_TERMS = 3_000
const MAX_TERM_LENGTH = 60
const MAX_TEXT_LENGTH = 20_000
const MAX_QUERY_TERMS = 10
const MIN_CORRECTED_LENGTH = 4

// Letters that Unicode does not decompose into a base letter and an accent.
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

/** Folds case and accents: `Crème` and `creme` are one word, `ＫＩＴ` is `kit`. */
export const fold = (text: string) =>
  text
    .replace(/[™℠®©]/g, ' ') // not part of the word before it
    .normalize('NFKD') // before lower-casing: it turns some symbols into capitals
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[ßøłđðþæœıħ]/g, (letter) => LETTERS[letter] ?? letter)

// Scripts without spaces: only a dictionary knows where their words begin.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u
const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** The folded words of a text, in order. Used both for indexing and for queries. */
export function wordsOf(text: string): string[] {
  const runs = fold(text.slice(0, MAX_TEXT_LENGTH)).match(/[\p{L}\p{N}]+|\p{Extended_Pictographic}/gu) ?? []
  return runs
    .flatMap((run) => (UNSPACED.test(run) ? [...segmenter.segment(run)].map(({ segment }) => segment) : [run]))
    .map(toTerm)
}

/** Cuts by code points: half a surrogate pair could not be stored. */
const toTerm = (word: string) => Array.from(word).slice(0, MAX_TERM_LENGTH).join('')

export const joinWords = (words: readonly string[]) => toTerm(words.join(''))

/** The weight of a match, A the highest. */
export type Weight = 'A' | 'B' | 'C' | 'D'

/**
 * A tsvector as text, and those of its words that can be matched fuzzily. A word has the weight of its first
 * occurrence. Stops reading once the limit is reached: extracting all words of a very large product takes seconds.
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

// Typos in numbers and SKUs cannot be guessed, and there are too many of them.
const isCorrectable = (word: string) => /^\p{L}{3,30}$/u.test(word)

export type SearchQuery = {
  /**
   * A tsquery for the text as typed: all words, the last one as a prefix; or all of them joined, as SKUs are stored. A
   * prefix that is too short for `:*` is followed by `PREFIX_WORDS`, to be replaced by words of the business with that
   * prefix.
   */
  exact: string
  prefix: string | undefined
  /** The same, word by word, so that alternatives can be added to each. */
  parts: string[]
  /** Alternatives of each word, as a tsquery: short words with two letters swapped. Empty: none. */
  swapped: string[]
  /** Every word with all its one-letter deletions, to be matched with those of stored words (SymSpell). */
  spellings: { at: number; spelling: string }[]
  /** The position of the unfinished last word, which may be a prefix; 0: none. */
  unfinished: number
}

/** A placeholder that occurs in no word. */
export const PREFIX_WORDS = '…'

// The GIN index scans all words with the prefix, those of other businesses as well: short prefixes match too many.
const MIN_PREFIX_LENGTH = 3
const isLongEnough = (word: string) => UNSPACED.test(word) || Array.from(word).length >= MIN_PREFIX_LENGTH

/** Undefined when the text has no words: then nothing can match. */
export function toSearchQuery(text: string): SearchQuery | undefined {
  const all = wordsOf(text)
  const words = [...new Set(all)].slice(0, MAX_QUERY_TERMS)
  if (words.length === 0) return undefined
  const endsInWord = /[\p{L}\p{M}\p{N}]$/u.test(text)
  const last = endsInWord ? all.at(-1) : undefined
  const asPrefix = (word: string) => (isLongEnough(word) ? `'${word}':*` : `'${word}'`)
  const toPart = (word: string) => (word === last ? asPrefix(word) : `'${word}'`)
  const prefix = last !== undefined && words.includes(last) && !isLongEnough(last) ? last : undefined
  const parts = words.map(toPart)
  const spellings = words.flatMap((word, index) =>
    isCorrectable(word) && word.length >= MIN_CORRECTED_LENGTH
      ? [...spellingsOf(word)].map((spelling) => ({ at: index + 1, spelling }))
      : [],
  )
  const exact = words.map((word) => (word === prefix ? `(${toPart(word)}${PREFIX_WORDS})` : toPart(word))).join(' & ')
  const joined = words.length > 1 ? ` | ${asPrefix(joinWords(all))}` : ''
  return {
    exact: `(${exact})${joined}`,
    prefix,
    parts,
    swapped: words.map((word) =>
      swapsOf(word)
        .map((swap) => (word === last ? asPrefix(swap) : `'${swap}'`))
        .join(' | '),
    ),
    spellings,
    unfinished: last === undefined ? 0 : words.indexOf(last) + 1,
  }
}

/** The transpositions of a three-letter word: any other typo would match too many words. */
function swapsOf(word: string): string[] {
  const [a = '', b = '', c = ''] = Array.from(word)
  if (!/^\p{L}{3}$/u.test(word) || UNSPACED.test(word)) return []
  return [...new Set([`${b}${a}${c}`, `${a}${c}${b}`])].filter((swap) => swap !== word)
}

/** The word itself and all its one-letter deletions; also stored for each searchable word (SymSpell). */
export function spellingsOf(word: string): Set<string> {
  const letters = Array.from(word)
  return new Set([word, ...letters.map((_, index) => letters.toSpliced(index, 1).join(''))])
}
