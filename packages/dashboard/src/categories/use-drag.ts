import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useLatest } from '../ui/use-latest.ts'
import { dropOf, isAt, type Place, type Row, rowsOf, type Tree } from './tree.ts'

/** How far to the right a level begins. */
export const INDENT_PX = 24
/** This near to the edge of the window the page follows. */
const EDGE_PX = 56
const SCROLL_PX = 12

/** `gap` is the row, of those without what is dragged, that it would stand in front of. */
export type Drop = Place & { level: number; gap: number }
export type Drag = { id: string; drop: Drop | undefined }

type Given = {
  tree: Tree
  closed: ReadonlySet<string>
  rowPx: number
  box: RefObject<HTMLElement | null>
  onDrop: (id: string, place: Place) => void
}

/** Dragging by its grip, with a mouse, a pen or a finger. Escape lets go without moving anything. */
export function useDrag({ tree, closed, rowPx, box, onDrop }: Given) {
  const [drag, setDrag] = useState<Drag>()
  const held = useRef<{ id: string; pointerId: number; x: number; y: number; level: number } | undefined>(undefined)

  const find = useLatest((x: number, y: number): Drop | undefined => {
    const from = held.current
    const top = box.current?.getBoundingClientRect().top ?? 0
    if (!from) return undefined
    const rows = rowsOf(tree, closed, from.id)
    const all = rowsOf(tree, closed)
    const own = all.findIndex(({ node }) => node.id === from.id)
    const line = Math.max(0, Math.min(all.length, Math.round((y - top) / rowPx)))
    const gap = line <= own ? line : Math.max(own, line - (all.length - rows.length))
    const level = from.level + Math.round((x - from.x) / INDENT_PX)
    const found = dropOf(tree, rows, from.id, gap, level)
    return found && { ...found, gap }
  })
  const follow = useLatest((x: number, y: number) => {
    const from = held.current
    if (!from) return
    Object.assign(from, { y })
    setDrag({ id: from.id, drop: find(x, y) })
  })
  /** It falls where the finger is, which may be further than the line that was drawn last. Without a point it stays. */
  const end = useLatest((point?: { x: number; y: number }) => {
    const from = held.current
    const drop = point && find(point.x, point.y)
    held.current = undefined
    setDrag(undefined)
    if (from && drop && !isAt(tree, from.id, drop)) onDrop(from.id, drop)
  })
  const isDragging = drag !== undefined
  useEffect(() => {
    if (!isDragging) return undefined
    const point = { x: held.current?.x ?? 0, y: held.current?.y ?? 0 }
    const move = (event: globalThis.PointerEvent) => {
      if (event.pointerId !== held.current?.pointerId) return
      Object.assign(point, { x: event.clientX, y: event.clientY })
      follow(point.x, point.y)
    }
    const up = ({ pointerId, clientX: x, clientY: y }: globalThis.PointerEvent) =>
      pointerId === held.current?.pointerId && end({ x, y })
    const cancel = () => end()
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      end()
    }
    const timer = setInterval(() => {
      const by = point.y < EDGE_PX ? -SCROLL_PX : point.y > innerHeight - EDGE_PX ? SCROLL_PX : 0
      if (by === 0) return
      scrollBy(0, by)
      follow(point.x, point.y)
    }, 16)
    addEventListener('pointermove', move)
    addEventListener('pointerup', up)
    addEventListener('pointercancel', cancel)
    addEventListener('blur', cancel)
    addEventListener('keydown', press, true)
    return () => {
      clearInterval(timer)
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', up)
      removeEventListener('pointercancel', cancel)
      removeEventListener('blur', cancel)
      removeEventListener('keydown', press, true)
    }
  }, [isDragging, follow, end])

  const grab = useLatest((event: PointerEvent, { node, level }: Row) => {
    if (event.button !== 0 || held.current) return
    event.preventDefault()
    const { pointerId, clientX: x, clientY: y } = event
    // The row may leave the page while one scrolls; its box stays.
    box.current?.setPointerCapture(pointerId)
    held.current = { id: node.id, pointerId, x, y, level }
    setDrag({ id: node.id, drop: undefined })
  })
  return { drag, grab }
}
