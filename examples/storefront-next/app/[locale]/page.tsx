import { readArticles, readCategories, readProducts } from '../../lib/catalog.ts'
import { describePage, inAllLocales, openPage, type Params } from '../../lib/page.ts'
import { ArticleList } from '../../parts/article-list.tsx'
import { Frame } from '../../parts/frame.tsx'
import { Picture } from '../../parts/picture.tsx'
import { ProductGrid } from '../../parts/product-grid.tsx'

export async function generateMetadata({ params }: Params) {
  const page = await openPage(params)
  const paths = inAllLocales(page.shop, (locale) => `/${locale}`)
  return describePage(page, { title: page.shop.name, description: page.words.description, paths })
}

export default async function Home({ params }: Params) {
  const page = await openPage(params)
  const { locale, shop, view, words } = page
  const [categories, newest, articles] = await Promise.all([
    readCategories(locale),
    readProducts(view, { limit: 8 }),
    readArticles(locale, shop.defaultLocale),
  ])
  const [first] = newest?.items ?? []
  return (
    <Frame page={page} paths={inAllLocales(shop, (other) => `/${other}`)}>
      <section className="hero">
        <div className="wrap">
          <div>
            <h1>{words.headline}</h1>
            <p>{words.description}</p>
            <a className="button" href={`/${locale}/search`}>
              {words.all}
            </a>
          </div>
          {first && (
            <a className="hero-picture" href={`/${locale}/p/${first.slug}`}>
              <Picture media={first.gallery[0]} alt={first.name} isFirst sizes="24rem" />
            </a>
          )}
        </div>
      </section>
      <section className="wrap section">
        <h2>{words.featured}</h2>
        <ProductGrid page={page} products={newest?.items ?? []} />
      </section>
      <section className="wrap section">
        <h2>{words.shelves}</h2>
        <ul className="tiles">
          {categories
            .filter(({ parentId }) => parentId === null)
            .map(({ id, slug, name, image }) => (
              <li key={id}>
                <a className="tile" href={`/${locale}/c/${slug}`}>
                  {image && <Picture media={image} alt="" sizes="(min-width: 56rem) 18rem, 46vw" />}
                  <span>{name}</span>
                </a>
              </li>
            ))}
        </ul>
      </section>
      {articles && articles.items.length > 0 && (
        <section className="wrap section">
          <h2>{words.journal}</h2>
          <ArticleList locale={locale} articles={articles.items.slice(0, 3)} />
        </section>
      )}
    </Frame>
  )
}
