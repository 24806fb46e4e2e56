import { namesOf, suggestColumn } from '#platform/transfer/columns.ts'
import type { OnUnknown } from '#platform/transfer/kind.ts'
import type { Market } from '#vocabulary/business.ts'
import { PRODUCT_COLUMNS, VARIANT_COLUMNS } from './csv-columns.ts'

/** Names that other shops and people give to our columns, in English and German. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  slug: ['handle', 'URL', 'URL key', 'permalink'],
  name: ['title', 'product', 'product name', 'product title', 'Titel', 'Produkt', 'Produktname', 'Bezeichnung'],
  description: ['body', 'text', 'details', 'Beschreibung'],
  category: ['categories', 'type', 'product type', 'collection', 'Kategorie', 'Warengruppe'],
  taxClass: ['tax', 'VAT', 'Steuer', 'Steuerklasse', 'MwSt'],
  tags: ['tag', 'keywords', 'labels', 'Schlagwörter', 'Schlagworte'],
  seoTitle: ['meta title', 'page title'],
  seoDescription: ['meta description'],
  status: ['state', 'published', 'active', 'Zustand'],
  images: [
    'image',
    'image URL',
    'image src',
    'picture',
    'pictures',
    'photo',
    'photos',
    'Bild',
    'Bilder',
    'Foto',
    'Fotos',
  ],
  variantName: ['variant', 'variant title', 'option', 'Variante'],
  sku: ['article', 'article number', 'item number', 'product code', 'Artikelnummer', 'Art.-Nr.', 'Artikelnr'],
  attributes: ['options', 'Eigenschaften', 'Attribute'],
  tracked: ['track stock', 'track inventory'],
  quantity: ['stock', 'stock quantity', 'qty', 'inventory', 'on hand', 'Bestand', 'Lagerbestand', 'Menge', 'Anzahl'],
  lowStockThreshold: ['low stock', 'low stock amount', 'reorder point', 'Mindestbestand'],
  price: ['price', 'unit price', 'regular price', 'selling price', 'Preis', 'Verkaufspreis', 'VK'],
  compareAtPrice: [
    'compare at price',
    'compare price',
    'list price',
    'old price',
    'RRP',
    'MSRP',
    'UVP',
    'Streichpreis',
  ],
}
const KNOWN = [...namesOf(PRODUCT_COLUMNS), ...namesOf(VARIANT_COLUMNS)]

/** Reports columns that the import of our own CSV does not read, with those that may be meant. */
export const reportUnknown = (names: readonly string[], markets: readonly Market[], onUnknown: OnUnknown): void =>
  onUnknown(names.map((name) => ({ name, suggestions: suggest(name, markets) })))

function suggest(name: string, markets: readonly Market[]): string[] {
  const column = suggestColumn(name, KNOWN, OTHER_NAMES)
  if (column === undefined) return []
  const isPrice = column === 'price' || column === 'compareAtPrice'
  return isPrice ? markets.map(({ id }) => `${column}:${id}`) : [column]
}
