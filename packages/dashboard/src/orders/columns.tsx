import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMemo } from 'react'
import { useOutbox } from '../outbox/use-outbox.ts'
import type { Column } from '../ui/data-table.tsx'
import { Money } from '../ui/money.tsx'
import { Status } from '../ui/status.tsx'
import { When } from '../ui/time.tsx'
import { useLatest } from '../ui/use-latest.ts'
import { type ColumnId, EXTRA_COLUMNS, type OrderSearch } from './filters.ts'
import type { Listed } from './listed.ts'
import { OrderLink } from './order-link.tsx'
import { FulfilmentStatus, PaymentStatus } from './words.tsx'

export const COLUMN_NAMES: Record<ColumnId, MessageDescriptor> = {
  placed: msg`Placed`,
  customer: msg`Customer`,
  market: msg`Market`,
  lines: msg`Lines`,
  payment: msg`Payment`,
  fulfilment: msg`Fulfilment`,
  total: msg`Total`,
  email: msg`Email`,
  tags: msg`Tags`,
  promo: msg`Promo code`,
  updated: msg`Changed`,
}

type Sort = NonNullable<OrderSearch['sort']>
type Options = { business: string; shown: ReadonlySet<ColumnId>; sort: Sort; onSort: (sort: Sort) => void }

/** The columns of the list, in their order; the number is always there. The same ones as long as nothing about them changes. */
export function useColumns({ business, shown, sort, onSort }: Options): Column<Listed>[] {
  const { i18n, t } = useLingui()
  const outbox = useOutbox()
  const asked = useMemo(() => new Set(outbox.flatMap(({ about }) => about)), [outbox])
  const run = useLatest(onSort)
  return useMemo(() => {
    const head = (id: ColumnId) => i18n._(COLUMN_NAMES[id])
    const sorted = (up: Sort, down: Sort) => ({
      direction: sort === down ? ('down' as const) : sort === up ? ('up' as const) : undefined,
      onSort: () => run(sort === down ? up : down),
    })
    const all: (Column<Listed> & { id: ColumnId | 'number' })[] = [
      {
        id: 'number',
        head: t`Order`,
        width: '7.75rem',
        className: 'no',
        cell: (order) => (
          <OrderLink business={business} order={order.id} isRowLink>
            {order.number}
          </OrderLink>
        ),
      },
      {
        id: 'placed',
        head: head('placed'),
        width: '6.25rem',
        className: 'placed soft',
        sort: sorted('createdAt', '-createdAt'),
        cell: ({ createdAt }) => <When at={createdAt} />,
      },
      {
        id: 'customer',
        head: head('customer'),
        width: '10rem',
        className: 'p1',
        cell: (order) => (
          <>
            <span className="hide-phone">{order.name}</span>
            <OrderLink business={business} order={order.id} className="only-phone">
              {order.name || order.number}
            </OrderLink>
          </>
        ),
      },
      {
        id: 'market',
        head: head('market'),
        width: '5.25rem',
        className: 'mk',
        cell: ({ market }) => market.toUpperCase(),
      },
      { id: 'lines', head: head('lines'), className: 'items soft', cell: (order) => <Lines order={order} /> },
      {
        id: 'email',
        head: head('email'),
        width: '13rem',
        className: 'extra',
        cell: ({ contactEmail }) => contactEmail,
      },
      {
        id: 'tags',
        head: head('tags'),
        width: '9rem',
        className: 'extra soft',
        cell: ({ tags = [] }) => tags.join(', '),
      },
      { id: 'promo', head: head('promo'), width: '7.5rem', className: 'extra', cell: ({ promoCode }) => promoCode },
      {
        id: 'updated',
        head: head('updated'),
        width: '6.25rem',
        className: 'extra soft',
        cell: ({ updatedAt }) => <When at={updatedAt} />,
      },
      {
        id: 'payment',
        head: head('payment'),
        width: '8.5rem',
        className: 'p3',
        cell: (order) => (
          <>
            <PaymentStatus order={order} />
            <span className="only-phone no-phone">{order.number}</span>
          </>
        ),
      },
      {
        id: 'fulfilment',
        head: head('fulfilment'),
        width: '7.75rem',
        className: 'p4',
        cell: (order) =>
          asked.has(order.id) ? (
            <Status fill="unknown" tone="wait">{t`Asked`}</Status>
          ) : (
            <FulfilmentStatus order={order} />
          ),
      },
      {
        id: 'total',
        head: head('total'),
        width: 'calc(6rem + var(--edge))',
        className: 'num p2',
        sort: sorted('total', '-total'),
        cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
      },
    ]
    return all.filter(({ id }) => id === 'number' || shown.has(id))
  }, [business, shown, sort, run, asked, i18n, t])
}

export const DEFAULT_COLUMNS: ReadonlySet<ColumnId> = new Set(
  (Object.keys(COLUMN_NAMES) as ColumnId[]).filter((id) => !(EXTRA_COLUMNS as readonly string[]).includes(id)),
)

function Lines({ order: { lines, lineCount } }: { order: Listed }) {
  const more = lineCount - lines.length
  return (
    <>
      {lines.map(({ id, quantity, name }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          {quantity} × {name}
        </span>
      ))}
      {more > 0 && <Trans>, {more} more</Trans>}
    </>
  )
}
