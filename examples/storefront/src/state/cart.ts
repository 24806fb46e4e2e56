import type { PublicProduct, PublicVariant } from '@kontor/sdk'
import { pictureUrl } from '@kontor/sdk'
import { keep, onKept, readKept } from './storage.ts'
import { createStore, useStore } from './store.ts'

/** What is shown before the service was asked again is kept with the line. What it costs, the quote says. */
export type CartLine = {
  productId: string
  variantId: string
  quantity: number
  slug: string
  name: string
  variantName: string
  image: string | undefined
  /** How many one order may have of it. How many there are, the quote says. */
  maxPerOrder: number | undefined
}
export type Choices = { promoCode: string; shippingMethodId: string }

const NOTHING: CartLine[] = []
const NO_CHOICES: Choices = { promoCode: '', shippingMethodId: '' }
const MOST = 99
/** As wide as it is in the cart, on a sharp screen. */
const THUMB = 320

const lines = createStore(readKept('cart', NOTHING))
const choices = createStore(readKept('choices', NO_CHOICES))
/** Read out by screen readers. */
export const announcement = createStore('')

onKept('cart', () => lines.set(readKept('cart', NOTHING)))

export const useCart = () => useStore(lines)
export const useChoices = () => useStore(choices)
export const countOf = (cart: readonly CartLine[]) => cart.reduce((sum, { quantity }) => sum + quantity, 0)

function setLines(next: CartLine[], said: string) {
  keep('cart', next)
  lines.set(next)
  const count = countOf(next)
  announcement.set(`${said} ${count === 1 ? '1 thing' : `${count} things`} in the cart.`)
}

export function choose(changes: Partial<Choices>) {
  const next = { ...choices.get(), ...changes }
  keep('choices', next)
  choices.set(next)
}

export const mostOf = ({ maxPerOrder = MOST }: Pick<CartLine, 'maxPerOrder'>) => Math.min(maxPerOrder, MOST)

const isSame = (one: CartLine, other: Pick<CartLine, 'productId' | 'variantId'>) =>
  one.productId === other.productId && one.variantId === other.variantId

export function addToCart(product: PublicProduct, variant: PublicVariant, quantity = 1) {
  const before = lines.get()
  const media = variant.gallery?.[0] ?? product.gallery[0]
  const line: CartLine = {
    productId: product.id,
    variantId: variant.id,
    quantity:
      (before.find((other) => isSame(other, { productId: product.id, variantId: variant.id }))?.quantity ?? 0) +
      quantity,
    slug: product.slug,
    name: product.name,
    variantName: product.variants.length > 1 ? variant.name : '',
    image: media && pictureUrl(media, THUMB),
    maxPerOrder: variant.inventory.maxPerOrder,
  }
  line.quantity = Math.min(line.quantity, mostOf(line))
  const isThere = before.some((other) => isSame(other, line))
  setLines(
    isThere ? before.map((other) => (isSame(other, line) ? line : other)) : [...before, line],
    `${product.name} added.`,
  )
}

export function setQuantity(line: CartLine, quantity: number) {
  if (quantity <= 0) {
    setLines(
      lines.get().filter((other) => !isSame(other, line)),
      `${line.name} removed.`,
    )
    return
  }
  const next = { ...line, quantity: Math.min(quantity, mostOf(line)) }
  setLines(
    lines.get().map((other) => (isSame(other, line) ? next : other)),
    `${line.name}: ${next.quantity}.`,
  )
}

export function emptyCart() {
  keep('attempt', null)
  keep('placed', null)
  choose(NO_CHOICES)
  setLines([], 'Thank you.')
}
