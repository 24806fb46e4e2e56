import type { Product } from '@kontor/sdk'
import { useEffect, useRef, useState } from 'react'
import { useDraft } from '../../ui/use-draft.ts'
import { useLatest } from '../../ui/use-latest.ts'
import { applyChange, applyPatch, type Change, type Edits, type Patch, withoutDone } from './edits.ts'

const NONE: Edits = {}
const isEmpty = (edits: Edits) => Object.keys(edits).length === 0

export type EditsOf = ReturnType<typeof useEdits>

/** What was typed and not yet saved: it survives a reload, and what was done in the grid can be taken back. */
export function useEdits(product: Product, key: string) {
  const [kept, keep] = useDraft<Edits>(key)
  const edits = kept ?? NONE
  // Two keys may come before the page is drawn again.
  const latest = useRef(edits)
  latest.current = edits
  const [done, setDone] = useState<readonly Change[]>([])
  const [undone, setUndone] = useState<readonly Change[]>([])
  const set = useLatest((next: Edits) => {
    latest.current = next
    keep(isEmpty(next) ? undefined : next)
  })
  useEffect(() => {
    const left = withoutDone(product, latest.current)
    if (Object.keys(left).length < Object.keys(latest.current).length) set(left)
  }, [product, set])
  const change = useLatest((patch: Patch, isUndoable = false) => {
    const applied = applyPatch(product, latest.current, patch)
    if (Object.keys(applied.change).length === 0) return
    set(applied.edits)
    if (!isUndoable) return
    setDone((before) => [...before, applied.change])
    setUndone([])
  })
  const undo = useLatest(() => {
    const last = done.at(-1)
    if (!last) return
    set(applyChange(latest.current, last, 'before'))
    setDone(done.slice(0, -1))
    setUndone([...undone, last])
  })
  const redo = useLatest(() => {
    const last = undone.at(-1)
    if (!last) return
    set(applyChange(latest.current, last, 'after'))
    setUndone(undone.slice(0, -1))
    setDone([...done, last])
  })
  const forget = useLatest(() => {
    setDone([])
    setUndone([])
  })
  return {
    edits,
    /** As they are at this moment, for what happens later. */
    now: () => latest.current,
    set,
    change,
    undo,
    redo,
    canUndo: done.length > 0,
    canRedo: undone.length > 0,
    /** What was saved cannot be taken back here. */
    forget,
    discard: useLatest(() => {
      set(NONE)
      forget()
    }),
  }
}
