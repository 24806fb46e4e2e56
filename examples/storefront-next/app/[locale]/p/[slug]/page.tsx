import { blockText, type PublicProduct, type PublicVariant, pictureUrl } from '@kontor/sdk'
import { notFound, permanentRedirect } from 'next/navigation'
import { readCategories, readProduct } from '../../../../lib/catalog.ts'
import {
  describePage,
  inAllLocales,
  openPage,
  type Page,
  type Params,
  type SearchParams,
} from '../../../../lib/page.ts'
import { decimal, formatPrice, priceOf } from '../../../../lib/prices.ts'
import { shopUrl } from '../../../../lib/settings.ts'
import { AddToCart } from '../../../../parts/add-to-cart.tsx'
import { Breadcrumbs, pathTo } from '../../../../parts/breadcrumbs.tsx'
import { Frame } from '../../../../parts/frame.tsx'
import { JsonLd } from '../../../../parts/json-ld.tsx'
import { Picture } from '../../../../parts/picture.tsx'

type Props = Params<'slug'> & { searchParams: Promise<SearchParams> }

/** The product, by its slug in any language, and its path in each of them. */
async function openProduct(params: Props['params']) {
  const page = await openPage(params)
  const { slug } = await params
  const [product, untranslated] = await Promise.all([readProduct(slug, page.view), readProduct(slug, {})])
  if (!product || !untranslated) notFound()
  const { translations } = untranslated
  const paths = inAllLocales(page.shop, (locale) => `/${locale}/p/${translations[locale]?.slug ?? untranslated.slug}`)
  return { page, product, paths, path: `/${page.locale}/p/${product.slug}`, slug }
}

export async function generateMetadata({ params }: Props) {
  const { page, product, paths } = await openProduct(params)
  const { name, description, seo, gallery } = product
  return describePage(page, {
    title: seo.title || name,
    description: seo.description || description,
    paths,
    image: gallery[0]?.url,
  })
}

export default async function ProductPage({ params, searchParams }: Props) {
  const { page, product, paths, path, slug } = await openProduct(params)
  if (slug !== product.slug) permanentRedirect(path)
  const { locale, words } = page
  const categories = await readCategories(locale)
  const asked = (await searchParams).variant
  const variant = product.variants.find(({ id }) => id === asked) ?? firstOf(product)
  const shelf = (await readCategories()).find((each) => each.slug === product.category)
  const media = variant?.gallery[0] ?? product.gallery[0]
  return (
    <Frame page={page} paths={paths}>
      <div className="wrap section">
        <Breadcrumbs
          crumbs={[
            { name: words.home, path: `/${locale}` },
            ...pathTo(categories, shelf?.id).map((each) => ({ name: each.name, path: `/${locale}/c/${each.slug}` })),
            { name: product.name, path },
          ]}
        />
        <article className="product">
          <Picture media={media} alt={product.name} isFirst sizes="(min-width: 56rem) 36rem, 100vw" />
          <div>
            <h1>{product.name}</h1>
            {variant && <Price page={page} variant={variant} />}
            {variant && <Options page={page} product={product} variant={variant} path={path} />}
            {variant && <Availability page={page} variant={variant} />}
            {variant && (
              <AddToCart
                line={{
                  productId: product.id,
                  variantId: variant.id,
                  name: product.name,
                  variantName: product.variants.length > 1 ? variant.name : '',
                  slug: product.slug,
                  image: media && pictureUrl(media, 320),
                }}
                isSold={priceOf(variant) !== undefined && variant.availability !== 'OUT_OF_STOCK'}
                cartHref={`/${locale}/cart`}
                words={pickWords(words)}
              />
            )}
            <p className="description">{product.description}</p>
            <dl className="facts">
              {product.blocks.map(({ id, label }) => (
                <div key={id}>
                  <dt>{label}</dt>
                  <dd>{blockText(product.blocks, id, locale)}</dd>
                </div>
              ))}
            </dl>
          </div>
        </article>
      </div>
      <JsonLd data={toJsonLd(page, product, path)} />
    </Frame>
  )
}

/** Only what the button says: what a part in the browser is given is sent along with the page. */
const pickWords = ({ add, added, cartNeedsScript, outOfStock }: Page['words']) => ({
  add,
  added,
  cartNeedsScript,
  outOfStock,
})

/** What can be bought comes first. */
const firstOf = ({ variants }: PublicProduct): PublicVariant | undefined =>
  variants.find((each) => priceOf(each) && each.availability !== 'OUT_OF_STOCK') ?? variants[0]

function Price({ page: { locale, market, words }, variant }: { page: Page; variant: PublicVariant }) {
  const found = priceOf(variant)
  if (!found) return <p className="price">{words.outOfStock}</p>
  const { price, compareAtPrice, lowestOf30Days, currency } = found
  const inWords = (amount: number) => formatPrice(amount, currency, locale)
  return (
    <div>
      <p className="price">
        {inWords(price)}
        {compareAtPrice !== undefined && compareAtPrice > price && (
          <>
            {' '}
            <s aria-label={`${words.was} ${inWords(compareAtPrice)}`}>{inWords(compareAtPrice)}</s>
          </>
        )}{' '}
        <small>{market.pricesIncludeTax ? words.includesTax : words.plusTax}</small>
      </p>
      {lowestOf30Days !== undefined && (
        <p className="soft">
          {words.lowest} {inWords(lowestOf30Days)}
        </p>
      )}
    </div>
  )
}

const WORD_OF = { IN_STOCK: 'inStock', LOW_STOCK: 'lowStock', OUT_OF_STOCK: 'outOfStock' } as const

const Availability = ({ page: { words }, variant }: { page: Page; variant: PublicVariant }) => (
  <p className={`availability ${variant.availability.toLowerCase()}`}>{words[WORD_OF[variant.availability]]}</p>
)

type OptionsProps = { page: Page; product: PublicProduct; variant: PublicVariant; path: string }

/** Each value leads to the variant that differs in nothing else, or to the first that has it. */
function Options({ page, product, variant, path }: OptionsProps) {
  const valueIn = ({ attributes }: PublicVariant, name: string) => attributes.find((each) => each.name === name)?.value
  const variantWith = (name: string, value: string) => {
    const having = product.variants.filter((each) => valueIn(each, name) === value)
    const others = product.options.filter((option) => option.name !== name)
    return (
      having.find((each) => others.every((other) => valueIn(each, other.name) === valueIn(variant, other.name))) ??
      having[0]
    )
  }
  return product.options.map(({ name, values }) => (
    <div key={name} className="option">
      <p className="option-name" id={`option-${name}`}>
        {page.words.names[name] ?? name}
      </p>
      <p className="pills" role="group" aria-labelledby={`option-${name}`}>
        {values.map((value) => {
          const target = variantWith(name, value)
          return (
            <a
              key={value}
              className={target?.availability === 'OUT_OF_STOCK' ? 'pill gone' : 'pill'}
              href={`${path}?variant=${target?.id ?? ''}`}
              aria-current={valueIn(variant, name) === value ? 'true' : undefined}
              rel="nofollow"
            >
              {value}
            </a>
          )
        })}
      </p>
    </div>
  ))
}

const SCHEMA_OF = { IN_STOCK: 'InStock', LOW_STOCK: 'LimitedAvailability', OUT_OF_STOCK: 'OutOfStock' } as const

const toJsonLd = ({ shop }: Page, product: PublicProduct, path: string) => ({
  '@type': 'Product',
  name: product.name,
  description: product.description,
  sku: product.variants[0]?.sku,
  brand: { '@type': 'Brand', name: shop.name },
  image: product.gallery.map(({ url }) => url),
  url: shopUrl + path,
  offers: product.variants.flatMap((variant) => {
    const price = priceOf(variant)
    if (!price) return []
    return {
      '@type': 'Offer',
      name: variant.name || product.name,
      sku: variant.sku,
      price: decimal(price.price, price.currency),
      priceCurrency: price.currency,
      availability: `https://schema.org/${SCHEMA_OF[variant.availability]}`,
      url: `${shopUrl}${path}?variant=${variant.id}`,
    }
  }),
})
