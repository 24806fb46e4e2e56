const MOST = 60

/**
 * A user-chosen name that is safe in a mail to people who did not ask for it: no web or mail addresses, nothing hidden,
 * and short, so that it cannot carry a message of its own.
 */
export function plainName(name: string): string {
  const words = name
    .replace(/[\r\n\t]/g, ' ')
    .replace(/\p{C}/gu, '')
    .split(/\s+/)
    .filter((word) => word !== '' && !isAddress(word))
  // A shop may be called Bol.com; a longer name with a domain would be a message with a link, so its dot becomes `evil.
  // com`, which no mail program links.
  const apart = words.length > 1 ? words.map((word) => word.replace(LINKED, ' ')) : words
  const plain = Array.from(apart.join(' ')) // by code points: no half characters
  if (plain.length === 0) return 'a business'
  return plain.length <= MOST
    ? plain.join('')
    : `${plain
        .slice(0, MOST - 1)
        .join('')
        .trimEnd()}…`
}

const LINKED = /(?<=[\p{L}\d]\.)(?=\p{L}{2,})|(?<=\p{L}:)(?=\S)/gu
const isAddress = (word: string) => /:\/\/|^www\.|\.\p{L}{2,}\/|@.+\./iu.test(word)
