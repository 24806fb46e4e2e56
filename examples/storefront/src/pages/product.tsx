import { blockValue, type PublicProduct, type PublicVariant, priceOf } from '@kontor/sdk'
import { useEffect, useState } from 'preact/hooks'
import { Breadcrumbs } from '../parts/breadcrumbs.tsx'
import { Gallery } from '../parts/gallery.tsx'
import { Problem } from '../parts/notices.tsx'
import { Price, taxText } from '../parts/price.tsx'
import { Quantity } from '../parts/quantity.tsx'
import { useTitle } from '../parts/title.ts'
import { VariantChoice } from '../parts/variant-choice.tsx'
import { addToCart, mostOf } from '../state/cart.ts'
import { isSoldOut, useShelves } from '../state/catalog.ts'
import { dayOf } from '../state/content.ts'
import { kontor, useLanguage, useMarket, useView } from '../state/kontor.ts'
import { go, usePlace, withQuery } from '../state/router.ts'
import { useLoad } from '../state/use-load.ts'

/** `slug` may be that of another language. */
export function ProductPage({ slug }: { slug: string }) {
  const view = useView()
  const { value, error, reload } = useLoad(view && `product:${slug}:${JSON.stringify(view)}`, () =>
    kontor.storefront.products.get(slug, view),
  )
  useTitle(value?.name)
  useEffect(() => {
    if (value && value.slug !== slug)
      go(`/products/${encodeURIComponent(value.slug)}${window.location.search}`, { replace: true })
  }, [value?.slug])
  if (error && (!value || error.status === 404)) return <Problem error={error} retry={reload} />
  return <div class="wrap section">{value ? <Details product={value} /> : <Skeleton />}</div>
}

function Details({ product }: { product: PublicProduct }) {
  const { path, query } = usePlace()
  const market = useMarket()
  const { language } = useLanguage()
  const shelf = useShelves().value?.find(({ key }) => key === product.category)
  const [quantity, setQuantity] = useState(1)
  const [isAdded, setAdded] = useState(false)
  const { variants } = product
  // Whoever comes without a choice sees the first that can be bought.
  const variant =
    variants.find(({ id }) => id === query.get('variant')) ?? variants.find((each) => !isSoldOut(each)) ?? variants[0]
  const price = variant && market && priceOf(variant, market.id)
  const most = mostOf({ maxPerOrder: variant?.inventory.maxPerOrder })
  const amount = Math.min(quantity, Math.max(most, 1))

  return (
    <article class="product">
      <Gallery key={variant?.id} media={[...(variant?.gallery ?? []), ...product.gallery]} name={product.name} />
      <div class="product-words">
        <Breadcrumbs shelf={shelf} isLast />
        <h1 lang={language}>{product.name}</h1>
        <p class="product-price" aria-live="polite">
          {price ? <Price price={price} /> : market ? `Not sold to ${market.name}` : ' '}
          {price && market && (
            <small class="price-note">
              {taxText(market)}, plus shipping
              {price.validTo !== undefined && `. At this price until ${dayOf(price.validTo)}`}
            </small>
          )}
        </p>
        {variants.length > 1 && variant && (
          <VariantChoice
            product={product}
            chosen={variant}
            choose={({ id }) => {
              setAdded(false)
              go(withQuery(path, { variant: id }), { replace: true })
            }}
          />
        )}
        <p class="stock" aria-live="polite">
          {variant && <Stock variant={variant} />}
        </p>
        <div class="buy">
          <Quantity label="How many" value={amount} most={most} onValue={setQuantity} />
          <button
            class="button wide"
            type="button"
            disabled={!variant || !price || isSoldOut(variant)}
            onClick={() => {
              if (!variant) return
              addToCart(product, variant, amount)
              setAdded(true)
            }}
          >
            {variant && isSoldOut(variant) ? 'Sold out' : 'Add to cart'}
          </button>
        </div>
        <p class="added">{isAdded && <a href="/cart">It is in your cart. Go there</a>}</p>
        <div class="product-text" lang={language}>
          {product.description.split(/\n{2,}/).map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
        </div>
        <dl class="facts">
          {factsOf(product, language).map(({ label, text }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{text}</dd>
            </div>
          ))}
          {variant?.sku && (
            <div>
              <dt>Number</dt>
              <dd>{variant.sku}</dd>
            </div>
          )}
        </dl>
      </div>
    </article>
  )
}

/** Fields of the shop's own: those that have a name and a plain text. */
function factsOf({ blocks }: PublicProduct, language: string) {
  return (blocks ?? []).flatMap(({ id, type, label, settings }) => {
    const text: unknown = type === 'TEXT' && settings?.variant !== 'HTML' ? blockValue(blocks, id, language) : undefined
    return label && typeof text === 'string' && text ? [{ label, text }] : []
  })
}

function Stock({ variant }: { variant: PublicVariant }) {
  if (isSoldOut(variant)) return <span class="state gone">Sold out</span>
  const isLow = variant.availability === 'LOW_STOCK'
  return isLow ? <span class="state low">Only a few left</span> : <span class="state">In stock</span>
}

const Skeleton = () => (
  <div class="product" aria-busy="true">
    <div class="gallery">
      <span class="picture waiting" />
    </div>
    <div class="product-words" aria-hidden="true">
      <span class="bar short" />
      <span class="bar tall" />
      <span class="bar short" />
      <span class="bar" />
      <span class="bar" />
    </div>
  </div>
)
