/** Read when the server starts, not when it is built: one build can be any shop. */
const { KONTOR_URL, KONTOR_BUSINESS_ID, KONTOR_API_KEY, REVALIDATE_SECRET, SHOP_URL } = process.env

export const baseUrl = KONTOR_URL || 'http://127.0.0.1:3000'
export const businessId = KONTOR_BUSINESS_ID ?? ''
/** Where shoppers find this shop; for canonical addresses and the sitemap. */
export const shopUrl = (SHOP_URL || 'http://127.0.0.1:5174').replace(/\/+$/, '')
/** Who knows it may empty the cache. On a developer's machine the key of `npm run dev` does. */
export const revalidateSecret = REVALIDATE_SECRET || KONTOR_API_KEY || ''

/** Which market a language shops in. Those that are not named here are shown the first market of the business. */
export const MARKETS: Partial<Record<string, string>> = { en: 'us', de: 'eu' }

/** What products can be filtered by, besides price and stock: names of attributes, as in the default language. */
export const FILTERS = ['Colour', 'Size']

export const JOURNAL = 'journal'
