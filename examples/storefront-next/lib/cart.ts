'use client'
// The cart is the browser's: ids and quantities, and what is shown before the service was asked.
import { createKontor } from '@kontor/sdk'
import { useSyncExternalStore } from 'react'

export type CartLine = {
  productId: string
  variantId: string
  quantity: number
  name: string
  variantName: string
  slug: string
  image?: string
}
/** Where the service is, and what the shopper sees of it. */
export type Client = { baseUrl: string; businessId: string; market: string; locale: string }

const KEY = 'cart'
const NOTHING: CartLine[] = []
const MOST = 99
const readers = new Set<() => void>()
let text: string | null = null
let lines = NOTHING

function readCart(): CartLine[] {
  const kept = localStorage.getItem(KEY)
  if (kept !== text) {
    text = kept
    lines = kept ? (JSON.parse(kept) as CartLine[]) : NOTHING
  }
  return lines
}

function writeCart(next: CartLine[]): void {
  localStorage.setItem(KEY, JSON.stringify(next))
  for (const tell of readers) tell()
}

function follow(tell: () => void) {
  readers.add(tell)
  window.addEventListener('storage', tell) // another tab
  return () => {
    readers.delete(tell)
    window.removeEventListener('storage', tell)
  }
}

/** Undefined on the server, which knows no cart. */
export const useCart = (): CartLine[] | undefined =>
  useSyncExternalStore<CartLine[] | undefined>(follow, readCart, () => undefined)

const isSame = (one: Pick<CartLine, 'productId' | 'variantId'>, other: typeof one) =>
  one.productId === other.productId && one.variantId === other.variantId

export function addToCart(line: Omit<CartLine, 'quantity'>): void {
  const before = readCart().find((each) => isSame(each, line))
  const quantity = Math.min((before?.quantity ?? 0) + 1, MOST)
  writeCart([...readCart().filter((each) => each !== before), { ...line, quantity }])
}

export const setQuantity = (line: CartLine, quantity: number): void =>
  writeCart(readCart().flatMap((each) => (!isSame(each, line) ? each : quantity > 0 ? { ...each, quantity } : [])))

export const emptyCart = (): void => writeCart([])

/** The first call that needs somebody makes a guest; who that is stays in the browser. */
export const openKontor = (client: Client) => createKontor({ ...client, storage: () => localStorage })
