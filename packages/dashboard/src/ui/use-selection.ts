import { useState } from 'react'

/** What is picked in a list, by id, with the records themselves: they may be on no page any more. */
export function useSelection<Row>(idOf: (row: Row) => string) {
  const [picked, setPicked] = useState<ReadonlyMap<string, Row>>(new Map())
  const [anchor, setAnchor] = useState<number>()
  const change = (work: (next: Map<string, Row>) => void) =>
    setPicked((before) => {
      const next = new Map(before)
      work(next)
      return next
    })
  return {
    picked,
    has: (row: Row) => picked.has(idOf(row)),
    /** With Shift: everything from the one picked before. */
    toggle: (rows: readonly Row[], index: number, isRange = false) => {
      const row = rows[index]
      if (row === undefined) return
      const isOn = !picked.has(idOf(row))
      const [from, to] =
        isRange && anchor !== undefined ? [Math.min(anchor, index), Math.max(anchor, index)] : [index, index]
      change((next) => {
        for (const one of rows.slice(from, to + 1)) {
          if (isOn) next.set(idOf(one), one)
          else next.delete(idOf(one))
        }
      })
      setAnchor(index)
    },
    set: (rows: readonly Row[]) => setPicked(new Map(rows.map((row) => [idOf(row), row]))),
    drop: (ids: readonly string[]) =>
      change((next) => {
        for (const id of ids) next.delete(id)
      }),
    clear: () => setPicked(new Map()),
  }
}
