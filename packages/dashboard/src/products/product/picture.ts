const TYPES: Record<string, string> = {
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
  svg: 'image/svg+xml',
}

/** As far as its ending says; most are JPEG. */
export const typeOf = (url: string) => TYPES[/\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? ''] ?? 'image/jpeg'

export const isAddress = (text: string) => /^https?:\/\/[^\s/?#"<>\\][^\s"<>\\]*$/.test(text) && text.length <= 2_048
