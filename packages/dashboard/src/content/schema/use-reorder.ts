import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useLatest } from '../../ui/use-latest.ts'

type Given = {
  order: readonly string[]
  list: RefObject<HTMLElement | null>
  onMove: (id: string, to: number) => void
}

/** Dragging by a grip, with a mouse, a pen or a finger. The rows make room at once; Escape puts it back. */
export function useReorder({ order, list, onMove }: Given) {
  const [dragged, setDragged] = useState<string>()
  const held = useRef<{ id: string; pointerId: number; from: number } | undefined>(undefined)
  const follow = useLatest((event: globalThis.PointerEvent) => {
    const from = held.current
    if (!from || event.pointerId !== from.pointerId || !list.current) return
    const rows = [...list.current.children].map((row) => row.getBoundingClientRect())
    const others = rows.filter((_, index) => order[index] !== from.id)
    const to = others.filter(({ top, height }) => top + height / 2 < event.clientY).length
    if (to !== order.indexOf(from.id)) onMove(from.id, to)
  })
  const end = useLatest((isMeant: boolean) => {
    const from = held.current
    held.current = undefined
    setDragged(undefined)
    if (from && !isMeant) onMove(from.id, from.from)
  })
  useEffect(() => {
    if (dragged === undefined) return undefined
    const up = () => end(true)
    const cancel = () => end(false)
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      end(false)
    }
    addEventListener('pointermove', follow)
    addEventListener('pointerup', up)
    addEventListener('pointercancel', cancel)
    addEventListener('keydown', press, true)
    return () => {
      removeEventListener('pointermove', follow)
      removeEventListener('pointerup', up)
      removeEventListener('pointercancel', cancel)
      removeEventListener('keydown', press, true)
    }
  }, [dragged, follow, end])
  const grab = (event: PointerEvent, id: string) => {
    if (event.button !== 0 || held.current) return
    held.current = { id, pointerId: event.pointerId, from: order.indexOf(id) }
    setDragged(id)
  }
  return { dragged, grab }
}
