import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type MouseEvent, memo, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Icon } from './icon.tsx'
import { useLatest } from './use-latest.ts'

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
  /** The box of a row, and the one of all. `of` and `columns` stay the same as long as they draw the same. */
  picks?: { of: (row: Row, isPicked: boolean) => ReactNode; has: (row: Row) => boolean; all: ReactNode } | undefined
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
  const [rowPx, setRowPx] = useState(() => (isPhone() ? PHONE_ROW_PX : ROW_PX))
  useLayoutEffect(() => {
    // All rows are as high as the first: to measure each would lay out the page in every frame.
    const measure = () => {
      setTop(body.current ? body.current.getBoundingClientRect().top + scrollY : 0)
      const height = body.current?.querySelector('tr[data-index]')?.getBoundingClientRect().height
      if (height) setRowPx(height)
    }
    measure()
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: useCallback(() => rowPx, [rowPx]),
    overscan: OVERSCAN,
    scrollMargin: top,
  })
  useLayoutEffect(() => virtual.measure(), [virtual, rowPx])
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
  const open = useLatest((row: Row, event: MouseEvent) => {
    const isControl = event.target instanceof Element && event.target.closest('a, button, input, label') !== null
    if (!isControl && getSelection()?.isCollapsed !== false) onOpen?.(row, event)
  })
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
        {items.map(({ index }) => {
          const row = rows[index]
          if (row === undefined) return null
          return (
            <TableRow
              key={idOf(row)}
              row={row}
              index={index}
              className={`${rowClass?.(row) ?? ''} ${index === at ? 'at' : ''}`}
              columns={columns}
              pick={picks?.of}
              isPicked={picks?.has(row) ?? false}
              onOpen={open}
            />
          )
        })}
        {after > 0 && <Space height={after} />}
      </tbody>
    </table>
  )
}

type RowProps<Row> = {
  row: Row
  index: number
  className: string
  columns: readonly Column<Row>[]
  pick: ((row: Row, isPicked: boolean) => ReactNode) | undefined
  isPicked: boolean
  onOpen: (row: Row, event: MouseEvent) => void
}

/** Drawn once, however far the list is scrolled under it. */
const TableRow = memo(function TableRow<Row>(props: RowProps<Row>) {
  const { row, index, className, columns, pick, isPicked, onOpen } = props
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- its link has the keys
    <tr data-index={index} aria-rowindex={index + 2} className={className} onClick={(event) => onOpen(row, event)}>
      {pick && <td className="pick">{pick(row, isPicked)}</td>}
      {columns.map((column) => (
        <td key={column.id} className={column.className}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}) as <Row>(props: RowProps<Row>) => ReactNode

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
