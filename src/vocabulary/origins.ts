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

/** Accepts plain web addresses only: parsers disagree about anything else. */
export function parseAddress(text: string): URL | undefined {
  if (text.length > 2_000 || !/^https?:\/\/[A-Za-z0-9.\-[\]:]+(?:[/?#]|$)/.test(text)) return undefined
  if (/[\s\\]/.test(text) || hasControlCharacters(text)) return undefined
  const url = URL.parse(text)
  return url && url.username === '' && url.password === '' ? url : undefined
}

// oxlint-disable-next-line no-control-regex -- that is what it looks for
const hasControlCharacters = (text: string) => /[\u0000-\u001f\u007f]/.test(text)

const ORDER_ID = '{orderId}'

/** Where a shop shows an order: an address on one of these origins, with `{orderId}` somewhere behind the host. */
export function isOrderUrl(template: string, allowedOrigins: readonly string[]): boolean {
  const filled = template.replaceAll(ORDER_ID, 'x')
  const url = /[{}]/.test(filled) ? undefined : parseAddress(filled)
  if (!url || filled === template || !allowedOrigins.includes(url.origin)) return false
  return template.startsWith(url.origin) && !template.slice(0, url.origin.length).includes(ORDER_ID)
}

/** The page of one order; undefined where the business has none, or its origin is no longer allowed. */
export function orderUrlOf(
  { orderUrl, allowedOrigins }: { orderUrl: string | null; allowedOrigins: readonly string[] },
  orderId: string,
): string | undefined {
  if (orderUrl === null || !isOrderUrl(orderUrl, allowedOrigins)) return undefined
  return new URL(orderUrl.replaceAll(ORDER_ID, () => encodeURIComponent(orderId))).href
}
