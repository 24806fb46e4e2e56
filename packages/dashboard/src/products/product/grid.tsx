import { useLingui } from '@lingui/react/macro'
import { defaultRangeExtractor, type Range as Shown, useVirtualizer } from '@tanstack/react-virtual'
import { Fragment, type PointerEvent, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { useLatest } from '../../ui/use-latest.ts'
import type { GridColumn, Place, Sheet } from './cells.ts'
import { GridRow, type Live } from './grid-row.tsx'
import { useCellWords } from './use-cell-words.ts'
import type { GridState } from './use-grid.ts'

const ROW_PX = 32
const OVERSCAN = 8

type Props = { sheet: Sheet; grid: GridState; live: Live; label: string }

/** Variants by markets and stock. Only the rows in sight are in the page, and the one that is worked in. */
export function Grid({ sheet, grid, live, label }: Props) {
  const { rows, columns } = sheet
  const words = useCellWords()
  const box = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLTableSectionElement>(null)
  const [headPx, setHeadPx] = useState(0)
  useLayoutEffect(() => setHeadPx(head.current?.offsetHeight ?? 0), [])
  const at = grid.here.row
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollMargin: headPx,
    rangeExtractor: useCallback(
      (shown: Shown) => {
        const indexes = defaultRangeExtractor(shown)
        return indexes.includes(at) ? indexes : [...indexes, at].sort((one, other) => one - other)
      },
      [at],
    ),
  })
  const pointer = usePointer(grid)
  const items = virtual.getVirtualItems()
  const last = items.at(-1)
  const after = headPx + virtual.getTotalSize() - (last?.end ?? headPx)
  return (
    <div className="grid-box" ref={box} {...pointer.handlers}>
      <table
        className="cells"
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 2}
        aria-colcount={columns.length + 1}
      >
        <colgroup>
          <col className="name" />
          {columns.map(({ id, kind }) => (
            <col key={id} className={kind} />
          ))}
        </colgroup>
        <Heads columns={columns} head={head} />
        <tbody>
          {items.map(({ index, start }, order) => {
            const row = rows[index]
            if (!row) return null
            const gap = start - (items[order - 1]?.end ?? headPx)
            const isIn = index >= grid.range.top && index <= grid.range.bottom
            const isHere = index === at
            return (
              <Fragment key={row.id}>
                {gap > 0 && <Space height={gap} columns={columns.length} />}
                <GridRow
                  row={row}
                  index={index}
                  sheet={sheet}
                  live={live}
                  words={words}
                  left={isIn ? grid.range.left : -1}
                  right={isIn ? grid.range.right : -1}
                  here={isHere ? grid.here.column : -1}
                  typing={isHere ? grid.typing : undefined}
                  isEnd={index === grid.range.bottom}
                  isFilled={pointer.fillTo !== undefined && index > grid.range.bottom && index <= pointer.fillTo}
                  onType={grid.type}
                  onPress={grid.press}
                  onPaste={grid.put}
                  onCopy={grid.take}
                  onLeave={grid.commit}
                />
              </Fragment>
            )
          })}
          {after > 0 && <Space height={after} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  )
}

const Space = ({ height, columns }: { height: number; columns: number }) => (
  <tr className="space" aria-hidden="true">
    <td colSpan={columns + 1} style={{ height }} />
  </tr>
)

function Heads({ columns, head }: { columns: readonly GridColumn[]; head: React.Ref<HTMLTableSectionElement> }) {
  const { t } = useLingui()
  const nameOf = ({ kind, market }: GridColumn) => {
    if (kind === 'price') return `${market?.name}, ${market?.currency}`
    if (kind === 'compare') return t`Before, ${market?.currency ?? ''}`
    return { sku: t`SKU`, stock: t`In stock`, low: t`Low at` }[kind]
  }
  const prices = columns.filter(({ kind }) => kind === 'price' || kind === 'compare').length
  return (
    <thead ref={head}>
      <tr className="groups">
        <td className="corner" />
        <td className="skuh" />
        {prices > 0 && (
          <th colSpan={prices} scope="colgroup">
            {t`Price`}
          </th>
        )}
        <th colSpan={2} scope="colgroup">
          {t`Stock`}
        </th>
      </tr>
      <tr>
        <th scope="col" className="corner">{t`Variant`}</th>
        {columns.map((column) => (
          <th key={column.id} scope="col" className={column.kind === 'sku' ? 'skuh' : `num ${column.kind}`}>
            {nameOf(column)}
          </th>
        ))}
      </tr>
    </thead>
  )
}

const placeOf = (target: EventTarget | null): Place | undefined => {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-column]') : null
  const row = cell?.closest<HTMLElement>('[data-row]')
  return cell && row ? { row: Number(row.dataset.row), column: Number(cell.dataset.column) } : undefined
}

/** A press selects, drawing it selects more, the corner of the selection fills; a finger only taps, as it also scrolls. */
function usePointer({ select, edit, fillTo, fill, here }: GridState) {
  const [isFilling, setFilling] = useState(false)
  const [to, setTo] = useState<number>()
  const isSelecting = useRef(false)
  const isHandle = (target: EventTarget | null) => target instanceof Element && target.matches('.handle')
  const down = useLatest((event: PointerEvent) => {
    if (event.pointerType !== 'mouse' || event.button !== 0) return
    if (isHandle(event.target)) {
      event.preventDefault()
      return setFilling(true)
    }
    const place = placeOf(event.target)
    if (!place) return
    // A second press inside of the field moves the caret.
    if (event.target instanceof HTMLInputElement && event.target.classList.contains('typing')) return
    event.preventDefault()
    isSelecting.current = true
    select(place, event.shiftKey)
    focusSoon(here, place, event.currentTarget)
  })
  const move = useLatest((event: PointerEvent) => {
    if (event.pointerType !== 'mouse') return
    const place = placeOf(event.target)
    if (!place) return
    if (event.buttons !== 1) {
      isSelecting.current = false
      return
    }
    if (isFilling) setTo(place.row)
    else if (isSelecting.current && (place.row !== here.row || place.column !== here.column)) select(place, true)
  })
  const up = useLatest(() => {
    isSelecting.current = false
    if (isFilling && to !== undefined) fillTo(to)
    setFilling(false)
    setTo(undefined)
  })
  return {
    fillTo: isFilling ? to : undefined,
    handlers: {
      onPointerDown: down,
      onPointerMove: move,
      onPointerUp: up,
      onClick: useLatest((event: React.MouseEvent) => {
        const place = placeOf(event.target)
        if ((event.nativeEvent as unknown as { pointerType?: string }).pointerType === 'mouse' || !place) return
        select(place)
        focusSoon(here, place, event.currentTarget)
      }),
      onDoubleClick: useLatest((event: React.MouseEvent) => {
        if (isHandle(event.target)) fill(true)
        else if (placeOf(event.target)) edit()
      }),
    },
  }
}

/** The field goes to the cell that was pressed; where it is there already, nothing is drawn that could take the focus. */
function focusSoon(here: Place, place: Place, box: Element): void {
  if (here.row === place.row && here.column === place.column)
    box.querySelector<HTMLInputElement>('.cell-input')?.focus({ preventScroll: true })
  else requestAnimationFrame(() => box.querySelector<HTMLInputElement>('.cell-input')?.focus({ preventScroll: true }))
}
