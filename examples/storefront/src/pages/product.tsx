import { blockValue, KontorError, type Product, priceOf } from '@kontor/sdk'
import { useState } from 'preact/hooks'
import { Gallery } from '../parts/gallery.tsx'
import { Problem } from '../parts/notices.tsx'
import { Price, taxText } from '../parts/price.tsx'
import { Quantity } from '../parts/quantity.tsx'
import { useTitle } from '../parts/title.ts'
import { VariantChoice } from '../parts/variant-choice.tsx'
import { addToCart, mostOf } from '../state/cart.ts'
import { isSoldOut, leftOf, titleOf } from '../state/catalog.ts'
import { kontor, useMarket } from '../state/kontor.ts'
import { go, usePlace, withQuery } from '../state/router.ts'
import { useLoad } from '../state/use-load.ts'

export function ProductPage({ slug }: { slug: string }) {
  const { value, error, reload } = useLoad(`product:${slug}`, () => findProduct(slug))
  useTitle(value?.name)
  if (error && (!value || error.status === 404)) return <Problem error={error} retry={reload} />
  return <div class="wrap section">{value ? <Details product={value} /> : <Skeleton />}</div>
}

async function findProduct(slug: string): Promise<Product> {
  const { items } = await kontor.products.list({ slug, limit: 1 })
  if (items[0]) return items[0]
  throw new KontorError({ status: 404, code: 'NOT_FOUND', message: 'There is no such product.' })
}

function Details({ product }: { product: Product }) {
  const { path, query } = usePlace()
  const market = useMarket()
  const [quantity, setQuantity] = useState(1)
  const [isAdded, setAdded] = useState(false)
  const { variants } = product
  // Whoever comes without a choice sees the first that can be bought.
  const variant =
    variants.find(({ id }) => id === query.get('variant')) ?? variants.find((each) => !isSoldOut(each)) ?? variants[0]
  const price = variant && market && priceOf(variant, market.id)
  const most = mostOf({ available: variant?.inventory.tracked ? variant.inventory.quantity : null })
  const amount = Math.min(quantity, Math.max(most, 1))

  return (
    <article class="product">
      <Gallery key={variant?.id} media={[...(variant?.gallery ?? []), ...product.gallery]} name={product.name} />
      <div class="product-words">
        {product.category && (
          <p class="crumb">
            <a href={withQuery('/shop', { category: product.category })}>{titleOf(product.category)}</a>
          </p>
        )}
        <h1>{product.name}</h1>
        <p class="product-price" aria-live="polite">
          {price ? <Price {...price} /> : market ? `Not sold to ${market.name}` : ' '}
          {price && market && <small class="price-note">{taxText(market)}, plus shipping</small>}
        </p>
        {variants.length > 1 && variant && (
          <VariantChoice
            variants={variants}
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
        <div class="product-text">
          {product.description.split(/\n{2,}/).map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
        </div>
        <dl class="facts">
          {factsOf(product).map(({ label, text }) => (
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
function factsOf({ blocks }: Product) {
  return (blocks ?? []).flatMap(({ id, type, label, settings }) => {
    const text: unknown = type === 'TEXT' && settings?.variant !== 'HTML' ? blockValue(blocks, id) : undefined
    return label && typeof text === 'string' && text ? [{ label, text }] : []
  })
}

function Stock({ variant }: { variant: Product['variants'][number] }) {
  const left = leftOf(variant)
  if (isSoldOut(variant)) return <span class="state gone">Sold out</span>
  return left ? <span class="state low">Only {left} left</span> : <span class="state">In stock</span>
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
