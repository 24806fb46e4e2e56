import type { Product } from '@kontor/sdk'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useAsked } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { oddPrices } from './buyable.ts'
import type { Edits } from './edits.ts'
import type { Live } from './grid-row.tsx'

const JUST_NOW_MS = 60_000

/** What happens to the stock while one edits, and which new prices look wrong. */
export function useLive(product: Product, edits: Edits): Live {
  const { markets } = useBusiness()
  const entries = useAsked(product.id)
  const moved = useMoved(product)
  const odd = useMemo(
    () =>
      new Set(
        oddPrices(
          product,
          edits,
          markets.map(({ id }) => id),
        ).map(({ field }) => field),
      ),
    [product, edits, markets],
  )
  const moves = entries.filter(({ operation }) => operation === 'changeStock')
  const key = moves.map(({ id }) => id).join()
  const asked = useMemo(() => {
    const sums = new Map<string, number>()
    for (const { input } of moves) {
      const id = input.path?.variantId ?? ''
      sums.set(id, (sums.get(id) ?? 0) + (input.body as { delta: number }).delta)
    }
    return sums
  }, [key])
  return useMemo(() => ({ moved, asked, odd }), [moved, asked, odd])
}

/** By how much the stock of a variant has changed in the last minute while it was looked at, own corrections among it. */
function useMoved(product: Product): ReadonlyMap<string, number> {
  const [moved, setMoved] = useState<ReadonlyMap<string, number>>(new Map())
  const before = useRef(product)
  useEffect(() => {
    if (before.current === product) return
    const known = new Map(before.current.variants.map(({ id, inventory }) => [id, inventory.quantity]))
    const isOther = before.current.id !== product.id
    before.current = product
    if (isOther) return setMoved(new Map())
    const changes = product.variants.flatMap(({ id, inventory }) => {
      const delta = inventory.quantity - (known.get(id) ?? inventory.quantity)
      return delta === 0 ? [] : [[id, delta] as const]
    })
    if (changes.length === 0) return
    setMoved((old) => new Map([...old, ...changes.map(([id, delta]) => [id, (old.get(id) ?? 0) + delta] as const)]))
  }, [product])
  useEffect(() => {
    if (moved.size === 0) return undefined
    const timer = setTimeout(() => setMoved(new Map()), JUST_NOW_MS)
    return () => clearTimeout(timer)
  }, [moved])
  return moved
}
