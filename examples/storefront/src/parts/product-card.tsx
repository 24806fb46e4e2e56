import type { Price as MarketPrice, PublicProduct } from '@kontor/sdk'
import { cheapestOf, isSoldOut, usualPrice } from '../state/catalog.ts'
import { type Market, useLanguage } from '../state/kontor.ts'
import { Picture } from './picture.tsx'
import { Price } from './price.tsx'

/** How wide a card is: the grid has two columns on a phone, and up to four. */
const IN_GRID = '(min-width: 60rem) 18rem, (min-width: 40rem) 30vw, 46vw'

type CardProps = { product: PublicProduct; market: Market | undefined; isSeen?: boolean; isFirst?: boolean }

export function ProductCard({ product, market, isSeen, isFirst }: CardProps) {
  const cheapest = cheapestOf(product, market)
  const badge = badgeOf(product, cheapest?.price)
  const { language } = useLanguage()
  return (
    <li class="card">
      <a href={`/products/${product.slug}`}>
        <Picture media={product.gallery[0]} alt="" isSeen={isSeen} isFirst={isFirst} size={400} sizes={IN_GRID} />
        {badge && <span class={`badge ${badge.kind}`}>{badge.text}</span>}
        <span class="card-name" lang={language}>
          {product.name}
        </span>
        <span class="card-price">{cheapest ? <Price {...cheapest} /> : market ? 'Not sold here' : ' '}</span>
      </a>
    </li>
  )
}

function badgeOf({ variants }: PublicProduct, price: MarketPrice | undefined) {
  if (variants.every(isSoldOut)) return { kind: 'gone', text: 'Sold out' }
  if (variants.every((variant) => isSoldOut(variant) || variant.availability === 'LOW_STOCK'))
    return { kind: 'low', text: 'Few left' }
  return price && usualPrice(price) !== undefined ? { kind: 'sale', text: 'Sale' } : undefined
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
