import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { addressOf, useBusiness } from '../session/use-business.ts'

type Props = { id: string; className?: string; tabIndex?: number; children: ReactNode }

/** The list of the products in a category or below it. */
export function ProductsLink({ id, children, ...rest }: Props) {
  const business = addressOf(useBusiness())
  return (
    <Link to="/$business/products" params={{ business }} search={{ categoryId: id }} {...rest}>
      {children}
    </Link>
  )
}
