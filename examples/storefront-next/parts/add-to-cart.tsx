'use client'
import { useState } from 'react'
import { addToCart, type CartLine } from '../lib/cart.ts'
import type { Words } from '../lib/words.ts'

type Props = {
  line: Omit<CartLine, 'quantity'>
  isSold: boolean
  cartHref: string
  words: Pick<Words, 'add' | 'added' | 'cartNeedsScript' | 'outOfStock'>
}

export function AddToCart({ line, isSold, cartHref, words }: Props) {
  const [isAdded, setAdded] = useState(false)
  const add = () => {
    addToCart(line)
    setAdded(true)
  }
  return (
    <div className="buy">
      <button className="button" type="button" disabled={!isSold} onClick={add}>
        {isSold ? words.add : words.outOfStock}
      </button>
      <span role="status">
        {isAdded && (
          <a href={cartHref} rel="nofollow">
            {words.added}
          </a>
        )}
      </span>
      <noscript>{words.cartNeedsScript}</noscript>
    </div>
  )
}
