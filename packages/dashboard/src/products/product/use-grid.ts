import { type ClipboardEvent, type KeyboardEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import { useLatest } from '../../ui/use-latest.ts'
import {
  cellText,
  clear,
  copy,
  fieldIn,
  fillDown,
  isFixed,
  type Place,
  parseCell,
  paste,
  type Range,
  rangeOf,
  type Sheet,
} from './cells.ts'
import { type Patch, valueOf } from './edits.ts'

/** `isCaret`: the arrows move inside of the text, as it was opened to be changed and not typed over. */
export type Typing = { text: string; isCaret: boolean }

type Options = {
  sheet: Sheet
  onPatch: (patch: Patch) => void
  onUndo: () => void
  onRedo: () => void
  /** So many lines or columns of what was pasted had no place. */
  onLeft: (count: number) => void
}

export type GridState = ReturnType<typeof useGrid>

const PAGE_ROWS = 15

/** Where one begins: the SKU before it is not shown on a phone. */
export const firstPrice = ({ columns }: Pick<Sheet, 'columns'>) =>
  Math.max(
    0,
    columns.findIndex(({ kind }) => kind === 'price'),
  )

/** Where one is in the grid, what is selected and what is being typed; keys as in a spreadsheet. */
export function useGrid({ sheet, onPatch, onUndo, onRedo, onLeft }: Options) {
  const [at, setAt] = useState<Place>(() => ({ row: 0, column: firstPrice(sheet) }))
  const [anchor, setAnchor] = useState<Place>(at)
  const [typing, setTyping] = useState<Typing>()
  const last = { row: sheet.rows.length - 1, column: sheet.columns.length - 1 }
  const inside = ({ row, column }: Place): Place => ({
    row: Math.max(0, Math.min(last.row, row)),
    column: Math.max(0, Math.min(last.column, column)),
  })
  // Rows go when an addition is taken back.
  const here = inside(at)
  const range = rangeOf(inside(anchor), here)
  const row = sheet.rows[here.row]
  const column = sheet.columns[here.column]

  const select = useLatest((place: Place, isExtended = false) => {
    commit()
    const next = inside(place)
    setAt(next)
    if (!isExtended) setAnchor(next)
  })
  const commit = useLatest(() => {
    if (!typing || !row || !column) return
    setTyping(undefined)
    if (isFixed(column, sheet.product, row)) return
    onPatch({ [fieldIn(column, row.id)]: parseCell(typing.text, column, sheet.product, row) })
  })
  const edit = useLatest(() => {
    if (!row || !column || isFixed(column, sheet.product, row)) return
    const value = valueOf(sheet.product, sheet.edits, fieldIn(column, row.id))
    setTyping({ text: cellText(value, column, sheet.locale), isCaret: true })
  })
  const type = useLatest((text: string) => {
    if (!row || !column || isFixed(column, sheet.product, row)) return
    setTyping({ text, isCaret: typing?.isCaret ?? false })
  })
  const goBy = (rows: number, columns: number, isExtended = false) =>
    select({ row: here.row + rows, column: here.column + columns }, isExtended)
  /** Of one cell: all below it. */
  const fill = useLatest((toEnd = false) => {
    commit()
    const whole: Range = toEnd && range.top === range.bottom ? { ...range, bottom: last.row } : range
    onPatch(fillDown(sheet, whole))
    if (whole !== range) setAnchor({ row: whole.bottom, column: range.left })
  })
  const fillTo = useLatest((bottom: number) => {
    if (bottom <= range.bottom) return
    onPatch(fillDown(sheet, { ...range, bottom }))
    setAnchor({ row: range.top, column: range.left })
    setAt({ row: bottom, column: range.right })
  })

  /** After the last cell, and before the first, Tab leaves the grid. */
  const tab = (event: KeyboardEvent): void => {
    const step = event.shiftKey ? -1 : 1
    const width = last.column + 1
    const next = here.row * width + here.column + step
    commit()
    if (next < 0 || next > last.row * width + last.column) return
    event.preventDefault()
    select({ row: Math.floor(next / width), column: next % width })
  }

  const press = useLatest((event: KeyboardEvent<HTMLInputElement>) => {
    const { key, shiftKey } = event
    const isMod = event.ctrlKey || event.metaKey
    if (event.altKey || event.nativeEvent.isComposing) return
    if (isMod && key.toLowerCase() === 's') return flushSync(() => commit()) // the save bar saves what is known
    if (key === 'Tab') return tab(event)
    const done = (work: () => void) => {
      event.preventDefault()
      event.stopPropagation()
      work()
    }
    if (key === 'Enter')
      return done(() => {
        commit()
        goBy(shiftKey ? -1 : 1, 0)
      })
    if (typing && key === 'Escape') return done(() => setTyping(undefined))
    if (typing?.isCaret) return
    const arrow = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key]
    if (arrow) {
      const [rows = 0, columns = 0] = arrow
      const far = isMod ? sheet.rows.length + sheet.columns.length : 1
      return done(() => goBy(rows * far, columns * far, shiftKey))
    }
    if (typing) return
    const work: Record<string, () => void> = isMod
      ? {
          d: () => fill(),
          z: () => (shiftKey ? onRedo() : onUndo()),
          y: onRedo,
          a: () => {
            setAnchor({ row: 0, column: 0 })
            setAt(last)
          },
          Home: () => select({ row: 0, column: 0 }, shiftKey),
          End: () => select(last, shiftKey),
        }
      : {
          F2: edit,
          Delete: () => onPatch(clear(sheet, range)),
          Backspace: () => onPatch(clear(sheet, range)),
          Home: () => select({ ...here, column: 0 }, shiftKey),
          End: () => select({ ...here, column: last.column }, shiftKey),
          PageDown: () => goBy(PAGE_ROWS, 0, shiftKey),
          PageUp: () => goBy(-PAGE_ROWS, 0, shiftKey),
        }
    const found = work[key.length === 1 ? key.toLowerCase() : key]
    if (found) done(found)
  })

  const put = useLatest((event: ClipboardEvent) => {
    if (typing) return
    event.preventDefault()
    const text = event.clipboardData.getData('text/plain')
    if (!text) return
    const { patch, range: filled, left } = paste(sheet, range, text)
    onPatch(patch)
    setAnchor({ row: filled.top, column: filled.left })
    setAt({ row: filled.bottom, column: filled.right })
    if (left > 0) onLeft(left)
  })
  const take = useLatest((event: ClipboardEvent) => {
    if (typing) return
    event.preventDefault()
    event.clipboardData.setData('text/plain', copy(sheet, range))
  })

  return { here, range, typing, row, column, select, commit, edit, type, fill, fillTo, press, put, take }
}
