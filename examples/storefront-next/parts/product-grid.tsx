import type { PublicProduct } from '@kontor/sdk'
import type { Page } from '../lib/page.ts'
import { formatPrice, lowestPrice } from '../lib/prices.ts'
import { Picture } from './picture.tsx'

/** How many stand in the first row of a wide screen. */
const FIRST_ROW = 4

export const ProductGrid = ({ page, products }: { page: Page; products: readonly PublicProduct[] }) => (
  <ul className="grid">
    {products.map((product, index) => (
      <li key={product.id}>
        <a className="card" href={`/${page.locale}/p/${product.slug}`}>
          <Picture
            media={product.gallery[0]}
            alt=""
            isSeen={index < FIRST_ROW}
            sizes="(min-width: 56rem) 18rem, 46vw"
          />
          <span className="card-name">{product.name}</span>
          <CardPrice page={page} product={product} />
        </a>
      </li>
    ))}
  </ul>
)

function CardPrice({ page: { locale, words }, product }: { page: Page; product: PublicProduct }) {
  const lowest = lowestPrice(product)
  const isGone = product.variants.every(({ availability }) => availability === 'OUT_OF_STOCK')
  if (!lowest || isGone) return <span className="soft">{words.outOfStock}</span>
  const { price, compareAtPrice, currency, isFrom } = lowest
  return (
    <span className="soft">
      {isFrom && `${words.from} `}
      {formatPrice(price, currency, locale)}
      {compareAtPrice !== undefined && compareAtPrice > price && (
        <>
          {' '}
          <s>{formatPrice(compareAtPrice, currency, locale)}</s>
        </>
      )}
    </span>
  )
}
