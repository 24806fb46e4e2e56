import { isPublicBlock } from '#vocabulary/public-blocks.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { withoutNulls } from './document.ts'
import { isPlanned, priceAt } from './prices.ts'
import { type MarketPrice, optionsOf, type Product, type Variant } from './product.ts'

/*
 * What strangers read of a product, made when it is written: reading it fills gaps and parses nothing. JSON escapes control
 * characters, so no user's text can contain one of these.
 *
 *   STOCK  t5 END              availability, and the quantity where it is shown: tracked, low at 5
 *   MARKET us IS … OR … END    what is chosen by the market; nothing where it has no text
 *   LOCALE    IS … OR … END    what is chosen by the locale; the text of the empty locale where it has none
 */
const STOCK = '\u0001'
const MARKET = '\u0002'
const LOCALE = '\u0003'
const IS = '\u0004'
const OR = '\u0005'
const END = '\u0006'

/** The text for a locale that is asked for and has no text of its own. */
const ANY_LOCALE = '*'

const choice = (kind: string, texts: ReadonlyMap<string, string>) =>
  `${kind}${[...texts].map(([key, text]) => `${key}${IS}${text}`).join(OR)}${END}`

/** A value in each locale in which it differs from what stands in for it: that of its language, or the default. */
function localized<Value>(
  value: Value,
  locales: readonly string[],
  inLocales: (locales: readonly string[]) => Value,
): string {
  const texts = new Map([['', JSON.stringify(value)]])
  for (const locale of locales.toSorted((a, b) => a.length - b.length)) {
    const [, ...wider] = localesFor(locale)
    const text = JSON.stringify(inLocales([locale, ...wider]))
    if (text !== texts.get(wider.find((one) => texts.has(one)) ?? '')) texts.set(locale, text)
  }
  return texts.size === 1 ? (texts.get('') as string) : choice(LOCALE, texts)
}

export function toPublicDocument(product: Product, at: Date): string {
  const { id, businessId, category, taxClass, tags, gallery, variants, translations } = product
  const inProduct = Object.keys(translations)
  const inVariants = [...new Set(variants.flatMap((variant) => Object.keys(variant.translations)))]
  const text = (field: 'name' | 'slug' | 'description') =>
    localized(product[field], inProduct, (wanted) => pick(wanted, (one) => translations[one]?.[field], product[field]))
  const seo = localized(product.seo, inProduct, (wanted) => ({
    title: pick(wanted, (one) => translations[one]?.seo?.title, product.seo.title),
    description: pick(wanted, (one) => translations[one]?.seo?.description, product.seo.description),
  }))
  const options = localized(optionsOf(variants.map(({ attributes }) => attributes)), inVariants, (wanted) =>
    optionsOf(variants.map((variant) => attributesIn(variant, wanted))),
  )
  const slugs = Object.fromEntries(
    inProduct.map((locale) => [locale, { slug: translations[locale]?.slug ?? product.slug }]),
  )
  const known =
    inProduct.length === 0
      ? '{}'
      : choice(
          LOCALE,
          new Map([
            ['', JSON.stringify(translations)],
            [ANY_LOCALE, JSON.stringify(slugs)],
          ]),
        )
  const fields = {
    id: JSON.stringify(id),
    businessId: JSON.stringify(businessId),
    name: text('name'),
    slug: text('slug'),
    description: text('description'),
    category: JSON.stringify(category),
    taxClass: JSON.stringify(taxClass),
    tags: JSON.stringify(tags),
    seo,
    translations: known,
    options,
    gallery: JSON.stringify(gallery),
    variants: `[${variants.map((variant) => toPublicVariant(variant, toSeconds(at))).join(',')}]`,
    blocks: JSON.stringify(product.blocks.filter(isPublicBlock)),
    createdAt: String(toSeconds(product.createdAt)),
    updatedAt: String(toSeconds(product.updatedAt)),
  }
  return toObject(fields)
}

const toObject = (fields: Record<string, string>) =>
  `{${Object.entries(fields)
    .map(([name, text]) => `"${name}":${text}`)
    .join(',')}}`

function toPublicVariant(variant: Variant, atSeconds: number): string {
  const { id, name, sku, prices, gallery, tracked, lowStockThreshold, maxPerOrder, translations } = variant
  const locales = Object.keys(translations)
  const inventory = JSON.stringify(withoutNulls({ tracked, maxPerOrder })).slice(0, -1)
  const gap = `${STOCK}${tracked ? 't' : 'u'}${lowStockThreshold ?? ''}${END}`
  const head = toObject({
    id: JSON.stringify(id),
    name: localized(name, locales, (wanted) => pick(wanted, (one) => translations[one]?.name, name)),
    sku: JSON.stringify(sku),
    attributes: localized(variant.attributes, locales, (wanted) => attributesIn(variant, wanted)),
    pricing: `{"markets":[${toPrices(prices, atSeconds)}]}`,
    gallery: JSON.stringify(gallery),
  })
  return `${head.slice(0, -1)},"inventory":${inventory}${gap}}`
}

/** The price that holds in each market. Planned ones are nobody's business before they hold. */
function toPrices(prices: readonly MarketPrice[], atSeconds: number): string {
  const texts = new Map<string, string>()
  for (const { marketId: id, currency } of prices) {
    const holding = priceAt(prices, { id, currency }, atSeconds)
    if (holding && !texts.has(id)) texts.set(id, JSON.stringify(withoutBegin(holding)))
  }
  return texts.size === 0 ? '' : choice(MARKET, texts)
}

/** Until when a price holds is good to know; since when is not needed. */
const withoutBegin = (price: MarketPrice) => {
  const { validFrom: _validFrom, ...shown } = price
  return isPlanned(price) ? shown : price
}

/** Each name and value as translated, or as it is. */
const attributesIn = ({ attributes, translations }: Variant, wanted: readonly string[]) =>
  attributes.map(({ name, value }, index) => ({
    name: pick(wanted, (one) => translations[one]?.attributes?.[index]?.name, name),
    value: pick(wanted, (one) => translations[one]?.attributes?.[index]?.value, value),
  }))

/** The first text that is there and not empty. */
const pick = (wanted: readonly string[], textIn: (locale: string) => string | undefined, otherwise: string) =>
  wanted.map(textIn).find((text) => text) ?? otherwise

export type PublicReader = {
  /** Undefined: no prices. */
  market: string | undefined
  /** The one that is asked for first, then those that may stand in for it. */
  locales: readonly string[]
  showQuantity: boolean
}

/** `de-CH`, then `de`. */
export function localesFor(locale: string | undefined): string[] {
  const parts = locale?.split('-') ?? []
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'))
}

const GAPS = new RegExp(`[${STOCK}${MARKET}${LOCALE}]`, 'g')

/** Fills the gaps. `quantities` are comma-separated, in the order of the variants; null when there are none. */
export function toPublicAnswer(document: string, quantities: string | null, reader: PublicReader): string {
  const left = quantities?.split(',').values()
  let text = ''
  let from = 0
  GAPS.lastIndex = 0
  for (let gap = GAPS.exec(document); gap; gap = GAPS.exec(document)) {
    const end = document.indexOf(END, gap.index)
    const inside = document.slice(gap.index + 1, end)
    text += document.slice(from, gap.index)
    if (gap[0] === STOCK) text += toStock(inside, Number(left?.next().value ?? 0), reader.showQuantity)
    else text += gap[0] === MARKET ? choose(inside, reader.market) : chooseLocale(inside, reader.locales)
    from = end + 1
    GAPS.lastIndex = from
  }
  return text + document.slice(from)
}

function toStock(inside: string, quantity: number, showQuantity: boolean): string {
  const isTracked = inside.startsWith('t')
  const threshold = inside.slice(1)
  const isLow = threshold !== '' && quantity <= Number(threshold)
  const availability = !isTracked || (quantity > 0 && !isLow) ? 'IN_STOCK' : quantity > 0 ? 'LOW_STOCK' : 'OUT_OF_STOCK'
  return `${showQuantity ? `,"quantity":${quantity}` : ''}},"availability":"${availability}"`
}

function choose(inside: string, wanted: string | undefined): string {
  if (wanted === undefined) return ''
  for (let from = 0; from !== -1; ) {
    const is = inside.indexOf(IS, from)
    const or = inside.indexOf(OR, is)
    if (inside.slice(from, is) === wanted) return inside.slice(is + 1, or === -1 ? undefined : or)
    from = or === -1 ? -1 : or + 1
  }
  return ''
}

function chooseLocale(inside: string, locales: readonly string[]): string {
  for (const locale of locales) {
    const text = choose(inside, locale)
    if (text !== '') return text
  }
  return (locales.length > 0 && choose(inside, ANY_LOCALE)) || choose(inside, '')
}
