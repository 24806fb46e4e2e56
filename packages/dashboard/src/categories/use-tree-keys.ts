import type { KeyboardEvent } from 'react'
import { useRef } from 'react'
import { aboveOf, findRow, type Row, type Step, type Tree } from './tree.ts'

const TYPING_MS = 700
const STEPS: Record<string, Step> = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'out', ArrowRight: 'in' }

type Given = {
  tree: Tree
  rows: readonly Row[]
  at: number
  go: (index: number) => void
  goTo: (id: string) => void
  toggle: (id: string) => void
  openAll: (ids: readonly string[]) => void
  step: (id: string, step: Step) => void
  open: (id: string) => void
  rename: (id: string) => void
  remove: (id: string) => void
  add: (id: string) => void
}

/** The keys of a tree, as ARIA has them, and Alt with the arrows to move. */
export function useTreeKeys({ tree, rows, at, go, goTo, toggle, openAll, ...acts }: Given) {
  const typed = useRef({ text: '', at: 0 })

  const find = (key: string, time: number) => {
    const isNew = time - typed.current.at > TYPING_MS
    const text = isNew ? key : typed.current.text + key
    typed.current = { text, at: time }
    const isSameLetter = text === text.slice(0, 1).repeat(text.length)
    // The same letter again goes on to the next one.
    const found = isSameLetter ? findRow(rows, at + 1, text[0] ?? '') : findRow(rows, at, text)
    if (found >= 0) go(found)
  }
  return (event: KeyboardEvent) => {
    const row = rows[at]
    const { key, altKey, ctrlKey, metaKey, timeStamp } = event
    if (!row || ctrlKey || metaKey || event.target !== event.currentTarget) return
    const { node, hasBelow, isOpen } = row
    const isLetter = !altKey && /^[\p{L}\p{N}]$/u.test(key)
    const isFurther = key === ' ' && timeStamp - typed.current.at < TYPING_MS
    const right = () => (hasBelow && !isOpen ? toggle(node.id) : isOpen ? go(at + 1) : undefined)
    const left = () => {
      if (isOpen) return toggle(node.id)
      const parent = aboveOf(tree, node.id).at(-1)
      if (parent) goTo(parent.id)
    }
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(Math.min(rows.length - 1, at + 1)),
      ArrowUp: () => go(Math.max(0, at - 1)),
      ArrowRight: right,
      ArrowLeft: left,
      Home: () => go(0),
      End: () => go(rows.length - 1),
      Enter: () => acts.open(node.id),
      F2: () => acts.rename(node.id),
      Delete: () => acts.remove(node.id),
      Insert: () => acts.add(node.id),
      '*': () => openAll(rows.filter((one) => one.node.parentId === node.parentId).map((one) => one.node.id)),
    }
    const step = altKey ? STEPS[key] : undefined
    const run = step
      ? () => acts.step(node.id, step)
      : altKey
        ? undefined
        : isLetter || isFurther
          ? () => find(key, timeStamp)
          : keys[key]
    if (!run) return
    event.preventDefault()
    run()
  }
}
