/** What an address says after `?`: words, or several of them. Screens read it with their `validateSearch`. */
export type Search = Record<string, unknown>

/** As the API writes it: several values are the parameter repeated. */
export function stringifySearch(search: Search): string {
  const words = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === 'string' || typeof one === 'number' || one === true) words.append(name, String(one))
    }
  }
  const text = words.toString()
  return text && `?${text}`
}

export function parseSearch(text: string): Search {
  const words = new URLSearchParams(text)
  return Object.fromEntries(
    [...new Set(words.keys())].map((name) => {
      const all = words.getAll(name)
      return [name, all.length > 1 ? all : all[0]]
    }),
  )
}

/** One word; undefined if there is none. */
export const wordOf = (value: unknown): string | undefined => {
  const one = Array.isArray(value) ? value[0] : value
  return typeof one === 'string' && one !== '' ? one : undefined
}

/** Several words, of those that are known if `known` is given. */
export function wordsOf<Word extends string>(value: unknown, known?: readonly Word[]): Word[] | undefined {
  const all = (Array.isArray(value) ? value : [value]).filter(
    (one): one is Word => typeof one === 'string' && one !== '',
  )
  const meant = known ? all.filter((one) => known.includes(one)) : all
  return meant.length > 0 ? meant : undefined
}

export const oneOf = <Word extends string>(value: unknown, known: readonly Word[]): Word | undefined =>
  wordsOf(value, known)?.[0]

/** From an address it comes as a word, from a link as the figure itself. */
export function wholeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined
  const word = wordOf(value)
  return word !== undefined && /^-?\d+$/.test(word) ? Number(word) : undefined
}
