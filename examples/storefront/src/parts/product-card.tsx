import type { Product } from '@kontor/sdk'
import { cheapestOf, isSoldOut, leftOf } from '../state/catalog.ts'
import type { Market } from '../state/kontor.ts'
import { Picture } from './picture.tsx'
import { Price } from './price.tsx'

type CardProps = { product: Product; market: Market | undefined; isFirst?: boolean }

export function ProductCard({ product, market, isFirst }: CardProps) {
  const price = cheapestOf(product, market)
  const badge = badgeOf(product, price)
  return (
    <li class="card">
      <a href={`/products/${product.slug}`}>
        <Picture url={product.gallery[0]?.url} alt="" isFirst={isFirst} />
        {badge && <span class={`badge ${badge.kind}`}>{badge.text}</span>}
        <span class="card-name">{product.name}</span>
        <span class="card-price">{price ? <Price {...price} /> : 'Not sold here'}</span>
      </a>
    </li>
  )
}

function badgeOf({ variants }: Product, price: { compareAtPrice?: number | null; price: number } | undefined) {
  if (variants.every(isSoldOut)) return { kind: 'gone', text: 'Sold out' }
  const [only] = variants
  const left = variants.length === 1 && only ? leftOf(only) : undefined
  if (left) return { kind: 'low', text: `${left} left` }
  return price?.compareAtPrice && price.compareAtPrice > price.price ? { kind: 'sale', text: 'Sale' } : undefined
}

/** As tall as what will come. */
export const CardSkeletons = ({ count }: { count: number }) =>
  Array.from({ length: count }, (_, index) => (
    <li class="card" key={index} aria-hidden="true">
      <span class="picture waiting" />
      <span class="card-name bar" />
      <span class="card-price bar short" />
    </li>
  ))
