import { useLingui } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import { useMemo } from 'react'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Icon } from '../ui/icon.tsx'
import { Money } from '../ui/money.tsx'
import type { Row } from './queries.ts'
import type { FieldChange } from './types.ts'
import { useWords } from './words.tsx'

/** Field by field: what it is, and what it becomes. */
export function ChangesTable({ rows, total, onEnd }: { rows: readonly Row[]; total: number; onEnd: () => void }) {
  const { t } = useLingui()
  const columns = useMemo(
    (): Column<Row>[] => [
      { id: 'what', head: t`Product`, className: 'p1', cell: (row) => <Name row={row} /> },
      { id: 'sku', head: t`SKU`, className: 'soft sku', width: '10rem', cell: ({ change }) => change?.sku ?? '' },
      { id: 'field', head: t`Field`, className: 'soft field-name', width: '11rem', cell: (row) => <Field row={row} /> },
      {
        id: 'before',
        head: t`Before`,
        className: 'num was p3',
        width: '9rem',
        cell: (row) => <Value row={row} side="before" />,
      },
      {
        id: 'after',
        head: t`After`,
        className: 'num after p2',
        width: '9rem',
        cell: (row) => <Value row={row} side="after" />,
      },
      { id: 'percent', head: t`Per cent`, className: 'num p4', width: '6rem', cell: (row) => <Percent row={row} /> },
      { id: 'remark', head: t`Remark`, className: 'remark', width: '22%', cell: (row) => <Remark row={row} /> },
    ],
    [t],
  )
  return (
    <DataTable
      label={t`Changes`}
      rows={rows}
      columns={columns}
      idOf={({ key }) => key}
      rowClass={({ change }) => (change ? '' : 'same')}
      total={total}
      onEnd={onEnd}
      className="dry"
    />
  )
}

function Name({ row: { item, change } }: { row: Row }) {
  const { t } = useLingui()
  return (
    <>
      <span className={change ? 'strong' : undefined}>{item.name ?? t`A deleted product`}</span>
      {change?.variantName && <span className="soft"> {change.variantName}</span>}
    </>
  )
}

function Field({ row: { change } }: { row: Row }) {
  const { fieldOf } = useWords()
  return change ? fieldOf(change.field, change.marketId) : '–'
}

function Value({ row: { change }, side }: { row: Row; side: 'before' | 'after' }) {
  const { valueOf, marketOf } = useWords()
  if (!change) return '–'
  const value = change[side]
  const market = marketOf(change.marketId)
  if (change.field === 'price' && typeof value === 'number' && market)
    return <Money amount={value} currency={market.currency} />
  const text = valueOf(value, change.field)
  return <span title={text}>{text}</span>
}

const shareOf = ({ before, after }: FieldChange) =>
  typeof before === 'number' && typeof after === 'number' && before > 0 ? (after - before) / before : undefined

function Percent({ row: { change, item } }: { row: Row }) {
  const { percentOf } = useWords()
  const share = change?.field === 'price' ? shareOf(change) : undefined
  if (share === undefined) return ''
  const isWarned = item.warnings.includes('PRICE_DROP') && share < -0.3
  return <span className={isWarned ? 'wait-text strong' : undefined}>{percentOf(share)}</span>
}

/** Of a product that is warned of only the values that it is about say so. */
function Remark({ row: { item, change } }: { row: Row }) {
  const { t } = useLingui()
  const { warningOf } = useWords()
  const warnings = item.warnings.filter((warning) => {
    if (!change) return true
    if (warning === 'NOT_SOLD') return change.field === 'status'
    if (change.field !== 'price') return false
    return warning === 'PRICE_ZERO' ? change.after === 0 : (shareOf(change) ?? 0) < -0.3 && change.after !== 0
  })
  const state = {
    SKIPPED: t`Skipped: changed meanwhile`,
    KEPT: t`Left alone: changed since`,
    REFUSED: item.details[0]?.message ?? t`Cannot be changed so`,
    UNCHANGED: t`Stays: it is so already`,
  }[item.status as string]
  if (state) return <span className={item.status === 'UNCHANGED' ? 'soft' : 'wait-text'}>{state}</span>
  return warnings.map((warning) => (
    <span key={warning} className="wait-text">
      <Icon of={TriangleAlert} />
      {warningOf(warning)}
    </span>
  ))
}
