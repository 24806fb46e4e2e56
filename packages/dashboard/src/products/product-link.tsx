import type { ReactNode } from 'react'
import { RowLink } from '../ui/row-link.tsx'

type Props = { business: string; product: string; className?: string; isRowLink?: boolean; children: ReactNode }

export const ProductLink = ({ business, product, ...rest }: Props) => (
  <RowLink
    target={{ to: '/$business/products/$product', params: { business, product } }}
    href={`/${encodeURIComponent(business)}/products/${encodeURIComponent(product)}`}
    {...rest}
  />
)
