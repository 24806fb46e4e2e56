import type { PublicBusiness } from '@kontor/sdk'
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { connection } from 'next/server'
import { readShop } from './catalog.ts'
import { MARKETS, shopUrl } from './settings.ts'
import { wordsIn } from './words.ts'

export type Params<Names extends string = never> = { params: Promise<Record<Names | 'locale', string>> }
export type SearchParams = Partial<Record<string, string | string[]>>

/** A path in each language in which the page exists. */
export type Paths = Partial<Record<string, string>>

/** What every page needs to know: the shop, the words, and whose prices it shows. */
export async function openPage(params: Promise<{ locale: string }>) {
  await connection() // the service need not be there when the shop is built
  const [{ locale }, shop] = await Promise.all([params, readShop()])
  if (!shop.locales.includes(locale)) notFound()
  const market = shop.markets.find(({ id }) => id === MARKETS[locale]) ?? shop.markets[0]
  if (!market) throw new Error('This business has no market: nothing can be sold.')
  return { locale, shop, market, view: { locale, market: market.id }, words: wordsIn(locale) }
}
export type Page = Awaited<ReturnType<typeof openPage>>

/** The same path in every language. */
export const inAllLocales = ({ locales }: PublicBusiness, path: (locale: string) => string): Paths =>
  Object.fromEntries(locales.map((locale) => [locale, path(locale)]))

type About = {
  title: string
  description: string
  paths: Paths
  image?: string
  isArticle?: boolean
  /** False: for people only. There is no end of lists with filters. */
  isIndexed?: boolean
}

/** Title, description, canonical address, other languages, and what is shown when somebody shares the page. */
export function describePage({ locale, shop }: Page, about: About): Metadata {
  const { title, paths, image, isArticle = false, isIndexed = true } = about
  const description = shorten(about.description || title)
  const canonical = paths[locale] ?? Object.values(paths)[0]
  return {
    metadataBase: new URL(shopUrl),
    title: title === shop.name ? title : `${title} – ${shop.name}`,
    description,
    alternates: { canonical, languages: { ...paths, 'x-default': paths[shop.defaultLocale] ?? canonical } },
    openGraph: {
      type: isArticle ? 'article' : 'website',
      siteName: shop.name,
      title,
      description,
      url: canonical,
      locale,
      images: image ? [image] : [],
    },
    ...(!isIndexed && { robots: { index: false, follow: true } }),
  }
}

/** As much as search engines show. */
const shorten = (text: string) => (text.length <= 160 ? text : `${text.slice(0, 159).replace(/\s+\S*$/, '')} …`)
