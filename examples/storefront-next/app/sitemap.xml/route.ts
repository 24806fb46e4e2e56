import { connection } from 'next/server'
import { readArticleSlugs, readCategories, readShop, readSlugs } from '../../lib/catalog.ts'
import { shopUrl } from '../../lib/settings.ts'

/** As many as one sitemap may have. */
const MOST = 50_000
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

/** All addresses; of a large shop the list of its parts, `?part=1` and so on. Next's own `sitemap.ts` makes no such list. */
export async function GET(request: Request) {
  await connection()
  const part = Number(new URL(request.url).searchParams.get('part') ?? 0)
  const all = await listAddresses()
  const parts = Math.ceil(all.length / MOST)
  if (part === 0 && parts > 1) {
    const addresses = Array.from({ length: parts }, (_, index) => `${shopUrl}/sitemap.xml?part=${index + 1}`)
    return xml(
      `<sitemapindex ${NAMESPACE}>${addresses.map((each) => `<sitemap><loc>${each}</loc></sitemap>`).join('')}</sitemapindex>`,
    )
  }
  const shown = all.slice(Math.max(0, part - 1) * MOST, Math.max(1, part) * MOST)
  const entries = shown.map(({ path, updatedAt }) => {
    const changed = updatedAt === undefined ? '' : `<lastmod>${new Date(updatedAt * 1_000).toISOString()}</lastmod>`
    return `<url><loc>${shopUrl}${encodeURI(path)}</loc>${changed}</url>`
  })
  return xml(`<urlset ${NAMESPACE}>${entries.join('\n')}</urlset>`)
}

const xml = (body: string) =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`, { headers: { 'content-type': 'application/xml' } })

async function listAddresses(): Promise<{ path: string; updatedAt?: number }[]> {
  const [{ locales }, categories, products, articles] = await Promise.all([
    readShop(),
    readCategories(),
    readSlugs(),
    readArticleSlugs(),
  ])
  return [
    ...locales.flatMap((locale) => [
      { path: `/${locale}` },
      { path: `/${locale}/journal` },
      ...categories.map(({ slug, translations, updatedAt }) => ({
        path: `/${locale}/c/${translations[locale]?.slug ?? slug}`,
        updatedAt,
      })),
      ...products.map(({ slug, slugs, updatedAt }) => ({ path: `/${locale}/p/${slugs[locale] ?? slug}`, updatedAt })),
    ]),
    ...articles.map(({ slug, locale, updatedAt }) => ({ path: `/${locale}/journal/${slug}`, updatedAt })),
  ]
}
