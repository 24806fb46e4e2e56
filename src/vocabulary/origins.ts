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

const ORDER = ['orderId']
const PREVIEW = ['entryId', 'token']
const PRODUCT = ['slug']

/** Where a shop shows something: an address on one of these origins, with each `{part}` somewhere behind the host. */
function isShopUrl(template: string, parts: readonly string[], allowedOrigins: readonly string[]): boolean {
  const filled = fill(template, Object.fromEntries(parts.map((part) => [part, 'x'])))
  const url = /[{}]/.test(filled) ? undefined : parseAddress(filled)
  if (!url || !allowedOrigins.includes(url.origin) || !template.startsWith(url.origin)) return false
  const behind = template.slice(url.origin.length)
  return parts.every((part) => behind.includes(`{${part}}`))
}

const fill = (template: string, values: Record<string, string>) =>
  Object.entries(values).reduce(
    (text, [part, value]) => text.replaceAll(`{${part}}`, () => encodeURIComponent(value)),
    template,
  )

export const isOrderUrl = (template: string, allowedOrigins: readonly string[]): boolean =>
  isShopUrl(template, ORDER, allowedOrigins)

export const isPreviewUrl = (template: string, allowedOrigins: readonly string[]): boolean =>
  isShopUrl(template, PREVIEW, allowedOrigins)

export const isProductUrl = (template: string, allowedOrigins: readonly string[]): boolean =>
  isShopUrl(template, PRODUCT, allowedOrigins)

/** The page of one order; undefined where the business has none, or its origin is no longer allowed. */
export function orderUrlOf(
  { orderUrl, allowedOrigins }: { orderUrl: string | null; allowedOrigins: readonly string[] },
  orderId: string,
): string | undefined {
  if (orderUrl === null || !isOrderUrl(orderUrl, allowedOrigins)) return undefined
  return new URL(fill(orderUrl, { orderId })).href
}

/** Where the shop shows an entry that is not published; null where the business has no such page. */
export function previewUrlOf(
  { storefront, allowedOrigins }: { storefront: { previewUrl?: string | null }; allowedOrigins: readonly string[] },
  entryId: string,
  token: string,
): string | null {
  const { previewUrl } = storefront
  if (!previewUrl || !isPreviewUrl(previewUrl, allowedOrigins)) return null
  return new URL(fill(previewUrl, { entryId, token })).href
}

/** The page of a product, in the shop; null where the business has not said where that is. */
export function productUrlOf(
  { storefront, allowedOrigins }: { storefront: { productUrl?: string | null }; allowedOrigins: readonly string[] },
  slug: string,
): string | null {
  const { productUrl } = storefront
  if (!productUrl || !isProductUrl(productUrl, allowedOrigins)) return null
  return new URL(fill(productUrl, { slug })).href
}
