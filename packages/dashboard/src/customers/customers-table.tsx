import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useBusiness } from '../session/use-business.ts'
import { useCommands } from '../shell/commands.ts'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { When } from '../ui/time.tsx'
import { useNameOf } from './name.ts'
import { currenciesOf } from './queries.ts'
import type { Sort } from './search.ts'
import { Spent } from './spent.tsx'
import type { Customer } from './types.ts'

const route = getRouteApi('/signed-in/$business/customers')
const COLUMNS = 6
const ROW = 33
const PHONE_ROW = 59
/** Rows before the last one at which the next page is asked for. */
const AHEAD = 30

type Props = { customers: readonly Customer[]; hasMore: boolean; isReading: boolean; onMore: () => void }

/** However many there are, only the rows in sight are in the page. */
export function CustomersTable({ customers, hasMore, isReading, onMore }: Props) {
  const { t } = useLingui()
  const table = useRef<HTMLTableElement>(null)
  const [top, setTop] = useState(0)
  const rows = useWindowVirtualizer({
    count: customers.length,
    estimateSize: () => (matchMedia('(max-width: 640px)').matches ? PHONE_ROW : ROW),
    overscan: 10,
    scrollMargin: top,
    getItemKey: (index) => customers[index]?.id ?? index,
  })
  useEffect(() => setTop(table.current?.tBodies[0]?.offsetTop ?? 0), [])
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && !isReading && last >= customers.length - AHEAD) onMore()
  }, [hasMore, isReading, last, customers.length])
  const at = useAt(customers, (index) => rows.scrollToIndex(index))
  const before = (shown[0]?.start ?? top) - top
  const after = rows.getTotalSize() - ((shown.at(-1)?.end ?? top) - top)
  return (
    <table
      ref={table}
      className="table bleed stack people"
      aria-rowcount={hasMore ? -1 : customers.length + 1}
      aria-label={t`Customers`}
    >
      <Heads />
      <tbody>
        {before > 0 && <Space height={before} />}
        {shown.map(({ index, key }) => {
          const customer = customers[index]
          return customer && <Row key={key} customer={customer} index={index} isAt={index === at} />
        })}
        {after > 0 && <Space height={after} />}
      </tbody>
    </table>
  )
}

const Space = ({ height }: { height: number }) => (
  <tr className="space" aria-hidden="true">
    <td colSpan={COLUMNS} style={{ height }} />
  </tr>
)

function Row({ customer, index, isAt }: { customer: Customer; index: number; isAt: boolean }) {
  const { t } = useLingui()
  const nameOf = useNameOf()
  const { id, email, orders, lastOrderAt, tags, isGuest, spent } = customer
  return (
    <tr className={isAt ? 'at' : undefined} aria-rowindex={index + 2}>
      <td className="p1">
        <route.Link to="/$business/customers/$customer" params={(now) => ({ ...now, customer: id })} className="whole">
          {nameOf(customer)}
        </route.Link>
        {isGuest && <span className="soft beside hide-phone">{t`Guest`}</span>}
      </td>
      <td className="soft p3">{email ?? '–'}</td>
      <td className="hide-phone">
        {tags.map((tag) => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
      </td>
      <td className="soft">{lastOrderAt === null ? '–' : <When at={lastOrderAt} />}</td>
      <td className="num p4">
        <span className="hide-phone">{orders}</span>
        <span className="only-phone soft">
          <Plural value={orders} one="# order" other="# orders" />
        </span>
      </td>
      <td className="num p2">
        <Spent of={spent} />
      </td>
    </tr>
  )
}

function Heads() {
  const { t } = useLingui()
  return (
    <thead>
      <tr>
        <Head sort="name">{t`Customer`}</Head>
        <th>{t`Email`}</th>
        <th>{t`Tags`}</th>
        <Head sort="-lastOrderAt">{t`Last order`}</Head>
        <Head sort="-orders" isNumber>{t`Orders`}</Head>
        <SpentHead />
      </tr>
    </thead>
  )
}

function Head({ sort, isNumber = false, children }: { sort: Sort; isNumber?: boolean; children: ReactNode }) {
  const { sort: current = '-lastOrderAt' } = route.useSearch()
  const isOn = current === sort
  const direction = sort === 'name' ? ('ascending' as const) : ('descending' as const)
  return (
    <th className={isNumber ? 'num' : undefined} aria-sort={isOn ? direction : undefined}>
      <route.Link
        to="."
        search={(before) => ({ ...before, sort: sort === '-lastOrderAt' ? undefined : sort, currency: undefined })}
        className={isOn ? 'sort' : 'sort off'}
      >
        {children}
        {isOn && <Icon of={direction === 'ascending' ? ArrowUp : ArrowDown} />}
      </route.Link>
    </th>
  )
}

/** Money is sorted by one currency; where a business has several, one says by which. */
function SpentHead() {
  const { t } = useLingui()
  const currencies = currenciesOf(useBusiness())
  const { sort, currency = currencies[0] } = route.useSearch()
  const navigate = route.useNavigate()
  if (currencies.length < 2) return <Head sort="-spent" isNumber>{t`Spent`}</Head>
  const isOn = sort === '-spent'
  const trigger = (
    <button type="button" className={isOn ? 'sort' : 'sort off'}>
      {isOn ? <Trans>Spent in {currency}</Trans> : t`Spent`}
      {isOn && <Icon of={ArrowDown} />}
    </button>
  )
  return (
    <th className="num" aria-sort={isOn ? 'descending' : undefined}>
      <Menu trigger={trigger} align="end">
        {currencies.map((one) => (
          <MenuItem
            key={one}
            onClick={() => void navigate({ search: (before) => ({ ...before, sort: '-spent', currency: one }) })}
          >{t`Most spent in ${one}`}</MenuItem>
        ))}
      </Menu>
    </th>
  )
}

/** `j` and `k` walk through the rows, `e` opens the one. */
function useAt(customers: readonly Customer[], show: (index: number) => void) {
  const { t } = useLingui()
  const navigate = route.useNavigate()
  const [at, setAt] = useState(-1)
  const move = (by: number) => {
    const next = Math.max(0, Math.min(customers.length - 1, at + by))
    setAt(next)
    show(next)
  }
  const open = () => {
    const customer = customers[at]?.id
    if (customer) void navigate({ to: '/$business/customers/$customer', params: (now) => ({ ...now, customer }) })
  }
  useCommands([
    { id: 'next-customer', label: t`The next`, keys: 'j', inPalette: false, run: () => move(1) },
    { id: 'customer-before', label: t`The one before`, keys: 'k', inPalette: false, run: () => move(-1) },
    { id: 'open-customer', label: t`Open`, keys: 'e', inPalette: false, run: open },
  ])
  return at
}
