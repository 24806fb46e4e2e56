const MOST = 60

/**
 * A name that somebody else chose, for a mail to people who have not asked for it: no web or mail addresses, nothing hidden, and
 * short, so that it cannot be a message of its own.
 */
export function plainName(name: string): string {
  const words = name
    .replace(/[\r\n\t]/g, ' ')
    .replace(/\p{C}/gu, '')
    .split(/\s+/)
    .filter((word) => word !== '' && !isAddress(word))
  const plain = Array.from(words.join(' ')) // by code points: no half characters
  if (plain.length === 0) return 'a business'
  return plain.length <= MOST
    ? plain.join('')
    : `${plain
        .slice(0, MOST - 1)
        .join('')
        .trimEnd()}…`
}

const isAddress = (word: string) => /:\/\/|^www\.|\.\p{L}{2,}\/|@.+\./iu.test(word)
