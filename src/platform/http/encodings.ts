export type Encoding = 'br' | 'gzip'

const known = new Map<string, Encoding[]>()
const MAX_KNOWN = 100

/**
 * The supported encodings that the client accepts, best first; empty: send it uncompressed. Cached, because clients
 * send the same few headers over and over.
 */
export function encodingsOf(header: string | string[] | undefined): readonly Encoding[] {
  if (header === undefined) return []
  const text = String(header)
  const before = known.get(text)
  if (before) return before
  const asked = text.split(',').map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  ) as [string, ...string[]][]
  const takes = (name: string) => {
    const [, ...options] = asked.find(([one]) => one === name) ?? asked.find(([one]) => one === '*') ?? ['', 'q=0']
    return !options.some((option) => /^q=0(\.0*)?$/.test(option))
  }
  const found = (['br', 'gzip'] as const).filter(takes)
  if (known.size < MAX_KNOWN) known.set(text, found)
  return found
}
