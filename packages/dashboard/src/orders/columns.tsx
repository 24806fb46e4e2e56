import type { Order } from '@kontor/sdk'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOutbox } from '../outbox/use-outbox.ts'
import type { Column } from '../ui/data-table.tsx'
import { Money } from '../ui/money.tsx'
import { Status } from '../ui/status.tsx'
import { When } from '../ui/time.tsx'
import { type ColumnId, EXTRA_COLUMNS, type OrderSearch } from './filters.ts'
import { FulfilmentStatus, nameOfOrder, PaymentStatus } from './words.tsx'

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

/** The columns of the list, in their order; the number is always there. */
export function useColumns({ business, shown, sort, onSort }: Options): Column<Order>[] {
  const { i18n, t } = useLingui()
  const asked = new Set(useOutbox().flatMap(({ about }) => about))
  const head = (id: ColumnId) => i18n._(COLUMN_NAMES[id])
  const sorted = (up: Sort, down: Sort) => ({
    direction: sort === down ? ('down' as const) : sort === up ? ('up' as const) : undefined,
    onSort: () => onSort(sort === down ? up : down),
  })
  const to = (order: Order) => ({ to: '/$business/orders/$order', params: { business, order: order.id } }) as const
  const all: (Column<Order> & { id: ColumnId | 'number' })[] = [
    {
      id: 'number',
      head: t`Order`,
      width: '7.75rem',
      className: 'no',
      cell: (order) => (
        <Link {...to(order)} data-row-link>
          {order.number}
        </Link>
      ),
    },
    {
      id: 'placed',
      head: head('placed'),
      width: '6.25rem',
      className: 'soft',
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
          <span className="hide-phone">{nameOfOrder(order)}</span>
          <Link {...to(order)} className="only-phone">
            {nameOfOrder(order) || order.number}
          </Link>
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
    { id: 'email', head: head('email'), width: '13rem', className: 'extra', cell: ({ contactEmail }) => contactEmail },
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
}

export const DEFAULT_COLUMNS: ReadonlySet<ColumnId> = new Set(
  (Object.keys(COLUMN_NAMES) as ColumnId[]).filter((id) => !(EXTRA_COLUMNS as readonly string[]).includes(id)),
)

const SHOWN_LINES = 2

function Lines({ order: { lines } }: { order: Order }) {
  const more = lines.length - SHOWN_LINES
  return (
    <>
      {lines.slice(0, SHOWN_LINES).map(({ id, quantity, name }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          {quantity} × {name}
        </span>
      ))}
      {more > 0 && <Trans>, {more} more</Trans>}
    </>
  )
}
