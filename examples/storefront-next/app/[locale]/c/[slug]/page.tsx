import { notFound, permanentRedirect } from 'next/navigation'
import { readCategories } from '../../../../lib/catalog.ts'
import { describePage, inAllLocales, openPage, type Params, type SearchParams } from '../../../../lib/page.ts'
import { Breadcrumbs, pathTo } from '../../../../parts/breadcrumbs.tsx'
import { Frame } from '../../../../parts/frame.tsx'
import { isPlainList, ProductList } from '../../../../parts/product-list.tsx'

type Props = Params<'slug'> & { searchParams: Promise<SearchParams> }

/** The category, by its slug in any language, and its path in each of them. */
async function openCategory(params: Props['params']) {
  const page = await openPage(params)
  const { slug } = await params
  const [categories, untranslated] = await Promise.all([readCategories(page.locale), readCategories()])
  const found = untranslated.find((one) => [one, ...Object.values(one.translations)].some((each) => each.slug === slug))
  const category = categories.find(({ id }) => id === found?.id)
  if (!found || !category) notFound()
  const paths = inAllLocales(page.shop, (locale) => `/${locale}/c/${found.translations[locale]?.slug ?? found.slug}`)
  return { page, categories, category, paths, path: `/${page.locale}/c/${category.slug}`, slug }
}

export async function generateMetadata({ params, searchParams }: Props) {
  const { page, category, paths } = await openCategory(params)
  const { name, description, seo, image } = category
  return describePage(page, {
    title: seo.title || name,
    description: seo.description || description,
    paths,
    image: image?.url,
    isIndexed: isPlainList(await searchParams),
  })
}

export default async function CategoryPage({ params, searchParams }: Props) {
  const { page, categories, category, paths, path, slug } = await openCategory(params)
  if (slug !== category.slug) permanentRedirect(path)
  const below = categories.filter(({ parentId }) => parentId === category.id)
  const { locale, words } = page
  return (
    <Frame page={page} paths={paths}>
      <div className="wrap section">
        <Breadcrumbs
          crumbs={[
            { name: words.home, path: `/${locale}` },
            ...pathTo(categories, category.id).map(({ name, slug }) => ({ name, path: `/${locale}/c/${slug}` })),
          ]}
        />
        <h1>{category.name}</h1>
        {category.description && <p className="lead">{category.description}</p>}
        {below.length > 0 && (
          <p className="pills">
            {below.map(({ id, name, slug }) => (
              <a key={id} className="pill" href={`/${locale}/c/${slug}`}>
                {name}
              </a>
            ))}
          </p>
        )}
        <ProductList page={page} path={path} params={await searchParams} categoryId={category.id} />
      </div>
    </Frame>
  )
}
