import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useMemo } from 'react'
import { useOutbox } from '../outbox/use-outbox.ts'
import { useFormat } from '../session/use-format.ts'
import type { Column } from '../ui/data-table.tsx'
import { Money } from '../ui/money.tsx'
import { Status } from '../ui/status.tsx'
import { When } from '../ui/time.tsx'
import { useLatest } from '../ui/use-latest.ts'
import { COLUMNS, type ColumnId, EXTRA_COLUMNS, type ProductSearch } from './filters.ts'
import type { Listed } from './listed.ts'
import { ProductLink } from './product-link.tsx'
import { type Shelf, useShelves } from './queries.ts'
import { ProductStatusWord } from './words.tsx'

export const COLUMN_NAMES: Record<ColumnId, MessageDescriptor> = {
  status: msg`Status`,
  stock: msg`In stock`,
  price: msg`Price`,
  category: msg`Category`,
  variants: msg`Variants`,
  updated: msg`Changed`,
  sku: msg`SKU`,
  tags: msg`Tags`,
  created: msg`Added`,
}

export const DEFAULT_COLUMNS: ReadonlySet<ColumnId> = new Set(
  COLUMNS.filter((id) => !(EXTRA_COLUMNS as readonly string[]).includes(id)),
)

type Sort = NonNullable<ProductSearch['sort']>
type Options = {
  business: string
  /** Whose price is shown. */
  market: { id: string; name: string } | undefined
  shown: ReadonlySet<ColumnId>
  sort: Sort
  onSort: (sort: Sort) => void
}

/** The columns of the list, in their order; the name is always there. The same ones as long as nothing about them changes. */
export function useColumns({ business, market, shown, sort, onSort }: Options): Column<Listed>[] {
  const { i18n, t } = useLingui()
  const outbox = useOutbox()
  const shelves = useShelves()
  const asked = useMemo(() => new Set(outbox.flatMap(({ about }) => about)), [outbox])
  const run = useLatest(onSort)
  return useMemo(() => {
    const head = (id: ColumnId) => i18n._(COLUMN_NAMES[id])
    const all: (Column<Listed> & { id: ColumnId | 'name' })[] = [
      {
        id: 'name',
        head: t`Product`,
        className: 'p1 goods',
        sort: {
          direction: sort === 'name' ? 'up' : undefined,
          onSort: () => run(sort === 'name' ? '-createdAt' : 'name'),
        },
        cell: (product) => <Name business={business} product={product} />,
      },
      {
        id: 'status',
        head: head('status'),
        width: '7.25rem',
        className: 'p3',
        cell: ({ id, status }) =>
          asked.has(id) ? (
            <Status fill="unknown" tone="wait">{t`Asked`}</Status>
          ) : (
            <ProductStatusWord status={status} />
          ),
      },
      {
        id: 'category',
        head: head('category'),
        width: '10rem',
        className: 'shelf soft',
        cell: ({ category }) => nameOfShelf(shelves, category),
      },
      { id: 'sku', head: head('sku'), width: '10rem', className: 'extra soft', cell: ({ sku }) => sku },
      {
        id: 'tags',
        head: head('tags'),
        width: '10rem',
        className: 'extra soft',
        cell: ({ tags }) => tags.join(', '),
      },
      {
        id: 'created',
        head: head('created'),
        width: '6.25rem',
        className: 'extra soft',
        cell: ({ createdAt }) => <When at={createdAt} />,
      },
      {
        id: 'updated',
        head: head('updated'),
        width: '6.25rem',
        className: 'when soft',
        cell: ({ updatedAt }) => <When at={updatedAt} />,
      },
      {
        id: 'variants',
        head: head('variants'),
        width: '5.5rem',
        className: 'num count-of',
        cell: ({ variants }) => variants,
      },
      {
        id: 'stock',
        head: head('stock'),
        width: '9.5rem',
        className: 'num p4',
        cell: (product) => <Stock of={product} />,
      },
      {
        id: 'price',
        head: market ? t`Price, ${market.name}` : head('price'),
        width: 'calc(9.5rem + var(--edge))',
        className: 'num p2',
        sort: {
          direction: sort === '-price' ? 'down' : sort === 'price' ? 'up' : undefined,
          onSort: () => run(sort === '-price' ? 'price' : '-price'),
        },
        cell: (product) => <Price of={product} marketId={market?.id} />,
      },
    ]
    return all.filter(({ id }) => id === 'name' || shown.has(id))
  }, [business, market, shown, sort, run, asked, shelves, i18n, t])
}

const nameOfShelf = (shelves: readonly Shelf[], slug: string) =>
  shelves.find((shelf) => shelf.slug === slug)?.name ?? slug

const Name = ({ business, product: { id, name, picture } }: { business: string; product: Listed }) => (
  <span className="thing">
    {picture ? <img className="thumb small" src={picture} alt="" loading="lazy" /> : <span className="thumb small" />}
    <ProductLink business={business} product={id} isRowLink>
      {name}
    </ProductLink>
  </span>
)

/** What is left of all variants, and what needs a person. */
function Stock({ of: { isCounted, quantity, empty, low, variants } }: { of: Listed }) {
  const format = useFormat()
  if (!isCounted)
    return (
      <span className="soft">
        <Trans>not counted</Trans>
      </span>
    )
  if (empty === variants)
    return (
      <span className="alert-text">
        <Trans>sold out</Trans>
      </span>
    )
  return (
    <>
      {empty + low > 0 && (
        <span className="wait-text note-beside">
          {empty > 0 ? (
            <Plural value={empty} one="# empty" other="# empty" />
          ) : (
            <Plural value={low} one="# low" other="# low" />
          )}
        </span>
      )}
      {format.number(quantity)}
    </>
  )
}

function Price({ of: { prices }, marketId }: { of: Listed; marketId: string | undefined }) {
  const range = prices.find((one) => one.marketId === marketId)
  if (!range)
    return (
      <span className="soft">
        <Trans>not sold there</Trans>
      </span>
    )
  return range.from === range.to ? (
    <Money amount={range.from} currency={range.currency} />
  ) : (
    <>
      <Money amount={range.from} currency={range.currency} />
      {' – '}
      <Figure amount={range.to} currency={range.currency} />
    </>
  )
}

/** The second of two amounts of one currency. */
const Figure = ({ amount, currency }: { amount: number; currency: string }) => (
  <span className="nowrap">{useFormat().moneyParts(amount, currency).figure}</span>
)
