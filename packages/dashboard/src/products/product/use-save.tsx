import type { Product } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { isSame } from '../../merge/is-same.ts'
import { useMerge } from '../../merge/use-merge.tsx'
import { untilKnown } from '../../outbox/until-known.ts'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { type Edit, type Edits, variantOf } from './edits.ts'
import { saveProduct, type Values } from './save-product.ts'
import type { EditsOf } from './use-edits.ts'
import { useFieldWords } from './use-words.ts'

const isStockOf = (product: Product, field: string) => {
  const [kind, id = ''] = field.split('/')
  return kind === 'stock' && variantOf(product, id) !== undefined
}

/** Saves the texts, prices and variants in one request, then each difference of stock by itself, as it must be done once. */
export function useSave(product: Product, { now, set, forget }: EditsOf) {
  const { t } = useLingui()
  const { id: businessId, markets } = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const [isSaving, setIsSaving] = useState(false)
  const words = useFieldWords(product)
  const { decide, sheet } = useMerge<Values>(words.nameOf, (value, field) => words.valueIn(field, value))

  /** What was typed while it was saved is still to be saved, on top of what was. */
  const settle = (saved: Edits) => {
    const next: Record<string, Edit> = { ...now() }
    for (const [field, { now: written }] of Object.entries(saved)) {
      const typed = next[field]?.now
      if (isSame(typed, written)) delete next[field]
      else if (next[field]) next[field] = { was: written, now: typed }
    }
    set(next)
  }

  const moveStock = async (moves: [field: string, edit: Edit][]) => {
    // From here on they are in the outbox: a reload must not find them a second time.
    settle(Object.fromEntries(moves))
    const outcomes = await Promise.allSettled(
      moves.map(async ([field, edit]) => {
        const variantId = field.split('/')[1] ?? ''
        try {
          await ask({
            operation: 'changeStock',
            input: { path: { id: product.id, variantId }, body: { delta: edit.now as number } },
            label: `${product.name}: ${words.nameOf(field)} ${words.valueIn(field, edit.now)}`,
            about: [product.id],
          })
        } catch (error) {
          set({ ...now(), [field]: edit })
          throw error
        }
      }),
    )
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed) throw failed.reason
  }

  const save = async () => {
    const all = Object.entries(now())
    const moves = all.filter(([field]) => isStockOf(product, field))
    const rest = Object.fromEntries(all.filter(([field]) => !isStockOf(product, field)))
    setIsSaving(true)
    try {
      if (Object.keys(rest).length > 0) {
        const saved = await saveProduct({
          product,
          edits: rest,
          markets,
          write: (body, ifMatch) =>
            ask({
              operation: 'updateProduct',
              input: { path: { id: product.id }, body },
              label: t`Save ${product.name}`,
              about: [product.id],
              ifMatch,
            }),
          read: () => untilKnown(() => kontor.operations.getProduct({ path: { businessId, id: product.id } })),
          decide,
        })
        if (saved === undefined) return
        settle(rest)
      }
      if (moves.length > 0) await moveStock(moves)
      forget()
      toast(t`Changes saved`)
    } catch (error) {
      toast(t`Couldn’t save. Your changes are still here. ${wordsOf(error).what}`)
    } finally {
      setIsSaving(false)
    }
  }
  return { save, isSaving, sheet }
}
