import './product.css'
import type { Product } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useDeferredValue, useMemo } from 'react'
import { usePermissions } from '../../session/permissions.ts'
import { LeaveDialog } from '../../ui/leave-dialog.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { useLeaveGuard } from '../../ui/use-draft.ts'
import { isUnread } from './cells.ts'
import { Facts } from './facts.tsx'
import { Pictures } from './pictures.tsx'
import { Texts } from './texts.tsx'
import type { EditsOf } from './use-edits.ts'
import { useLive } from './use-live.ts'
import { useChangeWords, useFieldWords } from './use-words.ts'
import { Variants } from './variants.tsx'

type Props = {
  product: Product
  edited: EditsOf
  locale: string
  onLocale: (locale: string) => void
  onSave: () => void
  isSaving: boolean
  /** Why it cannot be saved now. */
  reason?: string | undefined
  isNew?: boolean
  /** It was asked for: nothing can be changed, and leaving loses nothing. */
  isAsked?: boolean
  children?: ReactNode
}

/** Texts, pictures and facts above, the grid below, and what is not saved at the foot. */
export function ProductForm(props: Props) {
  const { product, edited, locale, onLocale, onSave, isSaving, isNew = false, isAsked = false } = props
  const { edits } = edited
  const settled = useDeferredValue(edits)
  const live = useLive(product, settled)
  const words = useWords(product, settled, live.odd)
  const guard = useLeaveGuard(Object.keys(edits).length > 0 && !isAsked)
  const { reason } = usePermissions()
  return (
    <div className="product" inert={isAsked}>
      <div className="record top">
        <div className="work">
          {props.children}
          <Texts {...{ product, edited, locale, onLocale, isNew }} />
          <Pictures product={product} edited={edited} />
        </div>
        <Facts product={product} edited={edited} settled={settled} isNew={isNew} />
      </div>
      <Variants product={product} edited={edited} live={live} isNew={isNew} />
      <SaveBar
        changes={isAsked ? [] : words.changes}
        count={words.changes.length === 0 || isAsked ? 0 : Object.keys(edits).length}
        warning={words.warning}
        isSaving={isSaving}
        reason={reason('PRODUCTS_WRITE') ?? props.reason ?? words.wrong}
        onSave={onSave}
        onDiscard={edited.discard}
      />
      <LeaveDialog guard={guard} />
    </div>
  )
}

/** The save bar's words. They follow a moment after the keys. */
function useWords(product: Product, edits: EditsOf['edits'], odd: ReadonlySet<string>) {
  const { t } = useLingui()
  const changeWords = useChangeWords(product)
  const { nameOf, valueIn } = useFieldWords(product)
  return useMemo(() => {
    const first = Object.keys(edits).find((field) => isUnread(field, edits[field]?.now))
    const [strange] = odd
    const wordsOf = (field: string) => [nameOf(field, edits), valueIn(field, edits[field]?.now)] as const
    const sayWrong = ([name, value]: readonly [string, string]) => t`${name}: “${value}” isn’t valid.`
    const sayStrange = ([name, value]: readonly [string, string]) => t`${name}: ${value} is far from the others.`
    const wrong = first && sayWrong(wordsOf(first))
    const far = strange && edits[strange] && sayStrange(wordsOf(strange))
    return { changes: changeWords(edits), wrong, warning: wrong ?? far }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the words change with the language only, and the page with it
  }, [product, edits, odd, t])
}
