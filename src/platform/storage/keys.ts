const PART = /^[A-Za-z0-9][\w.-]{0,127}$/
const MAX_LENGTH = 500

/** Only what is below it is ever served. */
const PUBLIC = 'public/'
const AREAS = [PUBLIC, 'private/', 'incoming/']

/** Letters, digits, `_`, `-` and `.` between slashes, no part beginning with a dot: it means the same to every store. */
export const isKey = (key: string): boolean =>
  key.length <= MAX_LENGTH &&
  AREAS.some((area) => key.startsWith(area)) &&
  key.split('/').every((part) => PART.test(part))

/** Keys are made by this service, so another one is a mistake of ours. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new Error(`Not a key of the store: ${JSON.stringify(key)}`)
}

export function assertIncoming(key: string): void {
  assertKey(key)
  if (!key.startsWith('incoming/')) throw new Error(`Uploads go below incoming/, not to ${key}`)
}

export function assertPrivate(key: string): void {
  assertKey(key)
  if (!key.startsWith('private/')) throw new Error(`Only what is below private/ is handed out by address, not ${key}`)
}

/** The beginning of keys: an area at least. */
function isPrefix(prefix: string): boolean {
  const parts = prefix.split('/')
  const last = parts.pop() ?? ''
  return AREAS.some((area) => prefix.startsWith(area)) && [...parts, last || 'x'].every((part) => PART.test(part))
}

export function assertPrefix(prefix: string): void {
  if (!isPrefix(prefix)) throw new Error(`Not the beginning of keys of the store: ${JSON.stringify(prefix)}`)
}

/** Whether all keys that begin so are of this business. */
export const isPrefixOf = (businessId: string, prefix: string): boolean => {
  const [, owner, below] = prefix.split('/')
  return isPrefix(prefix) && prefix.length <= MAX_LENGTH && owner === businessId && below !== undefined
}

export const isPublic = (key: string): boolean => key.startsWith(PUBLIC)

/** The key without its `public/`: what follows MEDIA_PUBLIC_URL. */
export function publicPathOf(key: string): string {
  assertKey(key)
  if (!isPublic(key)) throw new Error(`Only what is below public/ has a public address, not ${key}`)
  return key.slice(PUBLIC.length)
}

const RASTER = ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif']

/** A browser shows pictures that are nothing but pictures. Anything else could run scripts in our name: it is saved. */
export const isRaster = (mimeType: string): boolean => RASTER.includes(mimeType)

export const cacheControlOf = (isImmutable: boolean | undefined): string =>
  isImmutable ? 'public, max-age=31536000, immutable' : 'public, no-cache'
