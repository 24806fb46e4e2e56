import { BOOLEAN, type Cell, type Columns, type Flat, INTEGER, TEXT } from '#platform/transfer/columns.ts'
import { PRODUCT_STATUSES, type Product } from '../schemas.ts'

type Variant = Product['variants'][number]

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const jsonUnlessEmpty = (list: readonly unknown[]) => (list.length > 0 ? JSON.stringify(list) : '')

/** One per line, `Colour: Red`; JSON where that would not parse back to the same value. */
const ATTRIBUTES: Cell<Variant['attributes']> = {
  read: (text) => (text.startsWith('[') ? parseJson(text) : fromLines(text)),
  write(attributes) {
    const lines = attributes.map(({ name, value }) => `${name}: ${value}`).join('\n')
    const isReadBack = lines !== '' && JSON.stringify(ATTRIBUTES.read?.(lines)) === JSON.stringify(attributes)
    return isReadBack ? lines : jsonUnlessEmpty(attributes)
  },
}

const fromLines = (text: string) =>
  text.split('\n').map((line) => {
    const [name = '', ...value] = line.split(': ')
    return { name: name.trim(), value: value.join(': ').trim() }
  })

const TYPES: Record<string, string> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  mp4: 'video/mp4',
}

/**
 * URLs separated by spaces; JSON where ids and types must be kept. What is copied from an uploaded file is left out: its address
 * leads back to it.
 */
const GALLERY: Cell<Product['gallery']> = {
  read: (text) => (text.startsWith('[') ? parseJson(text) : text.split(/\s+/).map(toMedia)),
  write: (gallery) => jsonUnlessEmpty(gallery.map(({ id, url, mimeType }) => ({ id, url, mimeType }))),
}

export function toMedia(url: string) {
  const ending = /\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? ''
  return { url, mimeType: (Object.hasOwn(TYPES, ending) && TYPES[ending]) || 'application/octet-stream' }
}

const STATUS: Cell<Product['statuses']> = {
  read: (text) => [{ status: PRODUCT_STATUSES.find((status) => status === text.toUpperCase()) ?? text }],
  write: (statuses) => statuses.at(-1)?.status ?? '',
}

const BLOCKS: Cell<Product['blocks']> = { read: parseJson, write: jsonUnlessEmpty }

/** One per line; JSON where that would not parse back to the same value. */
const TAGS: Cell<Product['tags']> = {
  read: (text) => (text.startsWith('[') ? parseJson(text) : text.split('\n').map((tag) => tag.trim())),
  write(tags) {
    const lines = tags.join('\n')
    return JSON.stringify(TAGS.read?.(lines)) === JSON.stringify(tags) ? lines : jsonUnlessEmpty(tags)
  },
}

const TRANSLATIONS: Cell<object> = {
  read: parseJson,
  write: (texts) => (Object.keys(texts).length > 0 ? JSON.stringify(texts) : ''),
}

/** Fields that an import cannot set: a product is identified by its slug, dates are assigned, options come from variants. */
type Fixed = 'id' | 'businessId' | 'options' | 'createdAt' | 'updatedAt'

export const PRODUCT_COLUMNS: Columns<Omit<Flat<Product, 'seo'>, Fixed | 'variants'>> = {
  slug: ['slug', TEXT],
  name: ['name', TEXT],
  description: ['description', TEXT],
  category: ['category', TEXT],
  taxClass: ['taxClass', TEXT],
  tags: ['tags', TAGS],
  'seo.title': ['seoTitle', TEXT],
  'seo.description': ['seoDescription', TEXT],
  translations: ['translations', TRANSLATIONS],
  statuses: ['status', STATUS],
  gallery: ['images', GALLERY],
  blocks: ['blocks', BLOCKS],
}

/** Prices are missing here: they have one column per market. */
export const VARIANT_COLUMNS: Columns<Omit<Flat<Variant, 'inventory'>, 'pricing'>> = {
  id: ['variantId', TEXT],
  name: ['variantName', TEXT],
  sku: ['sku', TEXT],
  attributes: ['attributes', ATTRIBUTES],
  translations: ['variantTranslations', TRANSLATIONS],
  gallery: ['variantImages', GALLERY],
  'inventory.tracked': ['tracked', BOOLEAN],
  'inventory.quantity': ['quantity', INTEGER],
  'inventory.lowStockThreshold': ['lowStockThreshold', INTEGER],
  'inventory.maxPerOrder': ['maxPerOrder', INTEGER],
}
