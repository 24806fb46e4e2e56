import { useLingui } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import { useMemo } from 'react'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Change, Line } from './types.ts'
import { useWords } from './use-words.ts'

/** One change of a line; a line without any has one row, too. */
type Row = { key: string; line: Line; change: Change | undefined; isFirst: boolean }

const rowsOf = (line: Line): Row[] =>
  line.changes.length === 0
    ? [{ key: String(line.number), line, change: undefined, isFirst: true }]
    : line.changes.map((change, index) => ({ key: `${line.number}.${index}`, line, change, isFirst: index === 0 }))

/** Field by field: what it is, and what it becomes. */
export function LinesTable({ lines, onEnd }: { lines: readonly Line[]; onEnd: () => void }) {
  const { t } = useLingui()
  const rows = useMemo(() => lines.flatMap(rowsOf), [lines])
  const columns = useMemo(
    (): Column<Row>[] => [
      {
        id: 'line',
        head: t`Line`,
        className: 'num soft line-number',
        width: '4.5rem',
        cell: ({ line, isFirst }) => (isFirst ? line.number : ''),
      },
      { id: 'what', head: t`Product`, className: 'p1', cell: (row) => <Name row={row} /> },
      { id: 'sku', head: t`SKU`, className: 'soft sku', width: '10rem', cell: ({ change }) => change?.sku ?? '' },
      { id: 'field', head: t`Field`, className: 'soft p3', width: '12rem', cell: (row) => <Field row={row} /> },
      {
        id: 'before',
        head: t`Before`,
        className: 'was',
        width: '15%',
        cell: (row) => <Value row={row} side="before" />,
      },
      {
        id: 'after',
        head: t`After`,
        className: 'after p2',
        width: '15%',
        cell: (row) => <Value row={row} side="after" />,
      },
      { id: 'remark', head: t`Remark`, className: 'remark p4', width: '18%', cell: (row) => <Remark row={row} /> },
    ],
    [t],
  )
  return (
    <DataTable
      label={t`What the lines do`}
      rows={rows}
      columns={columns}
      idOf={({ key }) => key}
      rowClass={({ change, isFirst }) => `${change ? '' : 'same'} ${isFirst ? '' : 'more'}`}
      onEnd={onEnd}
      className="dry"
    />
  )
}

function Name({ row: { line, change, isFirst } }: { row: Row }) {
  const { t } = useLingui()
  const isNew = line.status === 'CREATED' && isFirst
  return (
    <>
      <span className={isFirst && change ? 'strong' : 'soft'}>{line.name ?? ''}</span>
      {isNew && <span className="badge beside">{t`new`}</span>}
      {change?.variantName && <span className="soft"> {change.variantName}</span>}
    </>
  )
}

function Field({ row: { change } }: { row: Row }) {
  const { fieldOf } = useWords()
  return change ? fieldOf(change.field, change.marketId) : '–'
}

function Value({ row: { change, line }, side }: { row: Row; side: 'before' | 'after' }) {
  const { valueOf } = useWords()
  if (!change) return '–'
  if (side === 'before' && line.status === 'CREATED') return ''
  const text = valueOf(change, change[side])
  return <span title={text}>{text}</span>
}

/** Of a line that is warned of only the changes that it is about say so. */
function Remark({ row: { line, change, isFirst } }: { row: Row }) {
  const { t } = useLingui()
  const { warningOf } = useWords()
  const state = {
    SKIPPED: t`Left alone`,
    KEPT: t`Changed since, not put back`,
    UNDONE: t`Put back`,
    UNCHANGED: t`Stays: it is so already`,
  }[line.status as string]
  if (state)
    return isFirst && <span className={['SKIPPED', 'KEPT'].includes(line.status) ? 'wait-text' : 'soft'}>{state}</span>
  return line.warnings
    .filter((warning) => (change ? isAbout(warning, change, isFirst) : true))
    .map((warning) => (
      <span key={warning} className="wait-text">
        <Icon of={TriangleAlert} />
        {warningOf(warning)}
      </span>
    ))
}

const MAX_FALL = 0.3

function isAbout(warning: Line['warnings'][number], { field, before, after }: Change, isFirst: boolean): boolean {
  switch (warning) {
    case 'PRICE_DROP':
      return field === 'price' && typeof before === 'number' && Number(after) < before * (1 - MAX_FALL) && after !== 0
    case 'PRICE_ZERO':
      return field === 'price' && after === 0
    case 'NOT_SOLD':
      return field === 'status' || (field === 'price' && after === null)
    case 'VARIANT_REMOVED':
      return field === 'variant' && after === null
    case 'STOCK_SET':
      return field === 'quantity'
    default:
      return isFirst
  }
}
