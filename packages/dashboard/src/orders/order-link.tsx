import type { ReactNode } from 'react'
import { RowLink } from '../ui/row-link.tsx'

type Props = { business: string; order: string; className?: string; isRowLink?: boolean; children: ReactNode }

export const OrderLink = ({ business, order, ...rest }: Props) => (
  <RowLink
    target={{ to: '/$business/orders/$order', params: { business, order } }}
    href={`/${encodeURIComponent(business)}/orders/${encodeURIComponent(order)}`}
    {...rest}
  />
)
