import { notFound } from 'next/navigation'
import { readArticles } from '../../../lib/catalog.ts'
import { hrefTo } from '../../../lib/list-query.ts'
import { describePage, inAllLocales, openPage, type Params, type SearchParams } from '../../../lib/page.ts'
import { ArticleList } from '../../../parts/article-list.tsx'
import { Frame } from '../../../parts/frame.tsx'
import { isPlainList } from '../../../parts/product-list.tsx'

type Props = Params & { searchParams: Promise<SearchParams> }

const pathIn = (locale: string) => `/${locale}/journal`

export async function generateMetadata({ params, searchParams }: Props) {
  const page = await openPage(params)
  return describePage(page, {
    title: page.words.journal,
    description: page.words.journalDescription,
    paths: inAllLocales(page.shop, pathIn),
    isIndexed: isPlainList(await searchParams),
  })
}

export default async function JournalPage({ params, searchParams }: Props) {
  const page = await openPage(params)
  const { locale, shop, words } = page
  const [cursor] = [(await searchParams).cursor].flat()
  const articles = await readArticles(locale, shop.defaultLocale, cursor)
  if (!articles) notFound()
  return (
    <Frame page={page} paths={inAllLocales(shop, pathIn)}>
      <div className="wrap section">
        <h1>{words.journal}</h1>
        <p className="lead">{words.journalDescription}</p>
        <ArticleList locale={locale} articles={articles.items} />
        {articles.cursor !== null && (
          <a className="button quiet next" href={hrefTo(pathIn(locale), {}, { cursor: articles.cursor })} rel="next">
            {words.next}
          </a>
        )}
      </div>
    </Frame>
  )
}
