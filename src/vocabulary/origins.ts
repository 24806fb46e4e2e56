/** Scheme, host and port, nothing else: `https://shop.example.com`. */
export function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === text
}

/** An origin, or one with a path below which everything is meant: `https://shop.example.com/account`. */
export function isOriginOrPrefix(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null && isOrigin(url.origin) && (url.pathname === '/' ? url.origin : url.origin + url.pathname) === text
  )
}

/** Is this address on that origin, and below its path if it has one? `/account` is not the beginning of `/accounts`. */
export function isBelow(allowed: string, { origin, pathname }: URL): boolean {
  const prefix = new URL(allowed)
  const path = prefix.pathname.replace(/\/+$/, '')
  return prefix.origin === origin && (pathname === path || pathname.startsWith(`${path}/`))
}
