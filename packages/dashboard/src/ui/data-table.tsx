import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type MouseEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Icon } from './icon.tsx'

export type Column<Row> = {
  id: string
  head: ReactNode
  cell: (row: Row) => ReactNode
  /** Of the head and the cells: `num`, `soft`, `p1` to `p4` for the two lines of a phone. */
  className?: string
  /** Fixed, so that nothing jumps while rows come and go; one column without a width takes the rest. */
  width?: string
  sort?: { direction: 'up' | 'down' | undefined; onSort: () => void } | undefined
}

type Props<Row> = {
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  idOf: (row: Row) => string
  rowClass?: (row: Row) => string
  /** The box of a row, and the one of all. */
  picks?: { of: (row: Row) => ReactNode; all: ReactNode } | undefined
  /** The row that the keys are at. */
  at?: number | undefined
  onOpen?: ((row: Row, event: MouseEvent) => void) | undefined
  /** How many there are, if it is known. */
  total?: number | undefined
  /** The end is near: more is wanted. */
  onEnd?: (() => void) | undefined
  className?: string
}

const ROW_PX = 32
const PHONE_ROW_PX = 61
const OVERSCAN = 8
const isPhone = () => matchMedia('(max-width: 640px)').matches

/** A ledger: at most some fifty rows are in the page, however long it is. On a phone a row is two lines. */
export function DataTable<Row>(props: Props<Row>) {
  const { rows, columns, idOf, picks, at, onEnd, onOpen, rowClass } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const measure = () => setTop(body.current ? body.current.getBoundingClientRect().top + scrollY : 0)
    measure()
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (isPhone() ? PHONE_ROW_PX : ROW_PX),
    overscan: OVERSCAN,
    scrollMargin: top,
    getItemKey: (index) => idOf(rows[index] as Row),
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - 2 * OVERSCAN) onEnd?.()
  }, [last, rows.length, onEnd])
  useEffect(() => {
    if (at !== undefined && at >= 0) virtual.scrollToIndex(at, { align: 'auto' })
  }, [at, virtual])
  const before = (items[0]?.start ?? top) - top
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? top) - top)
  const open = (row: Row) => (event: MouseEvent<HTMLTableRowElement>) => {
    const isControl = event.target instanceof Element && event.target.closest('a, button, input, label') !== null
    if (!isControl && getSelection()?.isCollapsed !== false) onOpen?.(row, event)
  }
  return (
    <table
      className={`table bleed stack data ${props.className ?? ''}`}
      aria-label={props.label}
      aria-rowcount={(props.total ?? rows.length) + 1}
    >
      <thead>
        <tr aria-rowindex={1}>
          {picks && <th className="pick">{picks.all}</th>}
          {columns.map((column) => (
            <Head key={column.id} column={column} />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {before > 0 && <Space height={before} />}
        {items.map(({ index, key }) => {
          const row = rows[index]
          if (row === undefined) return null
          return (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- its link has the keys
            <tr
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              aria-rowindex={index + 2}
              className={`${rowClass?.(row) ?? ''} ${index === at ? 'at' : ''}`}
              onClick={open(row)}
            >
              {picks && <td className="pick">{picks.of(row)}</td>}
              {columns.map(({ id, className, cell }) => (
                <td key={id} className={className}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          )
        })}
        {after > 0 && <Space height={after} />}
      </tbody>
    </table>
  )
}

/** One cell: more would make columns where others are hidden. */
const Space = ({ height }: { height: number }) => (
  <tr className="space" aria-hidden="true">
    <td style={{ height }} />
  </tr>
)

function Head<Row>({ column: { head, className = '', width, sort } }: { column: Column<Row> }) {
  const order = sort?.direction === 'up' ? 'ascending' : 'descending'
  return (
    <th
      className={className}
      style={width === undefined ? {} : { width }}
      aria-sort={sort?.direction ? order : undefined}
    >
      {sort ? (
        <button type="button" className={sort.direction ? 'sort on' : 'sort'} onClick={sort.onSort}>
          {head}
          {sort.direction && <Icon of={sort.direction === 'up' ? ArrowUp : ArrowDown} />}
        </button>
      ) : (
        head
      )}
    </th>
  )
}
