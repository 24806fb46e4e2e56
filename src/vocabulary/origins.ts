/** Scheme, host and port, nothing else: `https://shop.example.com`. */
export function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === text
}

/** An origin, or an origin with a path prefix: `https://shop.example.com/account`. */
export function isOriginOrPrefix(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null && isOrigin(url.origin) && (url.pathname === '/' ? url.origin : url.origin + url.pathname) === text
  )
}

/** Whether this URL has that origin, and its path prefix if there is one. `/account` is not a prefix of `/accounts`. */
export function isBelow(allowed: string, { origin, pathname }: URL): boolean {
  const prefix = new URL(allowed)
  const path = prefix.pathname.replace(/\/+$/, '')
  return prefix.origin === origin && (pathname === path || pathname.startsWith(`${path}/`))
}

/** Whether only this machine itself can be reached there. */
export const isLoopback = (text: string): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(URL.parse(text)?.hostname ?? '')
