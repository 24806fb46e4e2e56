import { describePage, inAllLocales, openPage, type Params, type SearchParams } from '../../../lib/page.ts'
import { Frame } from '../../../parts/frame.tsx'
import { isPlainList, ProductList } from '../../../parts/product-list.tsx'

type Props = Params & { searchParams: Promise<SearchParams> }

const pathIn = (locale: string) => `/${locale}/search`
const titleOf = ({ query }: SearchParams, words: { all: string }) => (query ? `“${[query].flat()[0]}”` : words.all)

export async function generateMetadata({ params, searchParams }: Props) {
  const page = await openPage(params)
  const given = await searchParams
  return describePage(page, {
    title: titleOf(given, page.words),
    description: page.words.description,
    paths: inAllLocales(page.shop, pathIn),
    isIndexed: isPlainList(given),
  })
}

/** What was searched for; without a query: everything. */
export default async function SearchPage({ params, searchParams }: Props) {
  const page = await openPage(params)
  const given = await searchParams
  return (
    <Frame page={page} paths={inAllLocales(page.shop, pathIn)}>
      <div className="wrap section">
        <h1>{titleOf(given, page.words)}</h1>
        <ProductList page={page} path={pathIn(page.locale)} params={given} />
      </div>
    </Frame>
  )
}
