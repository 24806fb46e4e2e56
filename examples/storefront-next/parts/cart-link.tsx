'use client'
import { useCart } from '../lib/cart.ts'

export function CartLink({ href, label }: { href: string; label: string }) {
  const count = useCart()?.reduce((sum, { quantity }) => sum + quantity, 0)
  return (
    <a className="cart-link" href={href} rel="nofollow">
      {label} <span className="count">{count ? count : ''}</span>
    </a>
  )
}
