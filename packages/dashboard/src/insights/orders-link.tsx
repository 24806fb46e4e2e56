import type { ReactNode } from 'react'
import { ordersPlace } from '../orders/place.ts'
import { RowLink } from '../ui/row-link.tsx'
import { useInsights } from './use-insights.ts'

/** To the list of exactly the orders behind a figure; plain where there are none. */
export function OrdersLink({
  orderQuery,
  className,
  children,
}: {
  orderQuery: string | undefined
  className?: string
  children: ReactNode
}) {
  const { address } = useInsights()
  if (orderQuery === undefined) return <span>{children}</span>
  return (
    <RowLink {...ordersPlace(address, orderQuery)} {...(className && { className })}>
      {children}
    </RowLink>
  )
}
