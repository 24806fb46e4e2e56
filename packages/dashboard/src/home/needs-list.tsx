import { type Answer, blockText, type Order } from '@kontor/sdk'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { ordersPlace } from '../orders/place.ts'
import { type Permission, usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { Icon } from '../ui/icon.tsx'
import { Problem } from '../ui/problem.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { Dot } from '../ui/status.tsx'
import type { Need } from './needs.ts'
import { nameOf } from './order-row.tsx'
import { NAMED, ordersQuery } from './queries.ts'
import { useNews } from './use-news.ts'
import { useReport } from './use-report.ts'

const route = getRouteApi('/signed-in/$business/')

type Task = Answer<'readHomeReport'>['needsPerson'][number]

const NEEDED: Record<Task['task'], Permission> = {
  ORDERS_TO_SHIP: 'ORDERS_READ',
  PAYMENTS_TO_CHECK: 'ORDERS_READ',
  REFUNDS_FAILED: 'ORDERS_READ',
  SENDS_STOPPED: 'SUBSCRIBERS_READ',
  IMPORTS_INCOMPLETE: 'PRODUCTS_WRITE',
}

/** What waits for somebody. On a calm day one line. */
export function Needs() {
  const { t } = useLingui()
  const { may } = usePermissions()
  const report = useReport()
  const asked = useNews()
  const news = useQuery(asked)
  const tasks = report.data?.needsPerson.filter(({ task }) => may(NEEDED[task])) ?? []
  const needs = news.data ?? []
  const isReading = (report.isEnabled && !report.data) || (asked.enabled && !news.data)
  const error = report.error ?? news.error
  const count = tasks.reduce((sum, task) => sum + rowsOf(task), needs.length)
  return (
    <section className="needs">
      <div className="section-head">
        <h2>
          {t`Needs a person`} {count > 0 && <span className="alert-text">{count}</span>}
        </h2>
      </div>
      {error && isReading ? (
        <Problem error={error} onRetry={() => void (report.error ? report : news).refetch()} />
      ) : isReading ? (
        <span className="bone" />
      ) : count === 0 ? (
        <p className="calm">
          <span className="good-text">
            <Icon of={Check} />
          </span>
          <Calm />
        </p>
      ) : (
        <ul className="tasks">
          {tasks.map((task) => (
            <TaskRows key={task.task} task={task} />
          ))}
          {needs.map((need) => (
            <NeedRow key={need.event.id} need={need} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** Says no more than this person may know. */
function Calm() {
  const { t } = useLingui()
  const { may } = usePermissions()
  if (!may('ORDERS_READ'))
    return may('CONTENT_READ_DRAFTS') ? t`Nothing. Publishing went as it should.` : t`Nothing waits for you.`
  if (!may('CONTENT_READ_DRAFTS')) return t`Nothing. Payments and refunds went as they should.`
  return t`Nothing. Payments, refunds, publishing and sending went as they should.`
}

const idsOf = ({ orderQuery }: Task) => new URLSearchParams(orderQuery ?? '').getAll('id')
const isNamed = (task: Task) => idsOf(task).length > 0 && idsOf(task).length <= NAMED
const rowsOf = (task: Task) => (isNamed(task) ? task.count : 1)

/** A few orders are named one by one, many are a number that opens their list. */
function TaskRows({ task }: { task: Task }) {
  const { id: businessId } = useBusiness()
  const { money } = useFormat()
  const { t } = useLingui()
  const ids = idsOf(task)
  const { data } = useQuery({ ...ordersQuery(businessId, ids), enabled: isNamed(task) })
  const words = useTaskWords()(task)
  if (!isNamed(task) || !data)
    return (
      <Row isCalm={task.task === 'ORDERS_TO_SHIP'} note={words.note} action={words.action} task={task}>
        {words.what}
      </Row>
    )
  const whatOf = ({ total, currency }: Order) =>
    task.task === 'REFUNDS_FAILED' ? t`A refund failed` : t`What was paid is not ${money(total, currency)}`
  return data.items.map((order) => (
    <Row key={order.id} order={order} note={[order.number, nameOf(order)].filter(Boolean).join(' · ')} action={t`Look`}>
      {whatOf(order)}
    </Row>
  ))
}

function useTaskWords() {
  const { t } = useLingui()
  return ({ task, count, isExact }: Task): { what: string; note: string; action: string } => {
    const more = isExact ? '' : '+'
    switch (task) {
      case 'ORDERS_TO_SHIP':
        return {
          what: t`${plural(count, { one: `#${more} order to pack`, other: `#${more} orders to pack` })}`,
          note: t`paid, and not yet on the way`,
          action: t`Pack`,
        }
      case 'PAYMENTS_TO_CHECK':
        return {
          what: t`${plural(count, { one: `#${more} payment is not what was asked for`, other: `#${more} payments are not what was asked for` })}`,
          note: t`compare what was paid with the order`,
          action: t`Look`,
        }
      case 'REFUNDS_FAILED':
        return {
          what: t`${plural(count, { one: `#${more} refund failed`, other: `#${more} refunds failed` })}`,
          note: t`the money did not go back`,
          action: t`Look`,
        }
      case 'SENDS_STOPPED':
        return {
          what: t`${plural(count, { one: `#${more} letter was stopped`, other: `#${more} letters were stopped` })}`,
          note: t`a problem has paused it`,
          action: t`Decide`,
        }
      case 'IMPORTS_INCOMPLETE':
        return {
          what: t`${plural(count, { one: `#${more} import left lines out`, other: `#${more} imports left lines out` })}`,
          note: t`in the last 7 days`,
          action: t`Look`,
        }
    }
  }
}

type RowProps = {
  order?: Order
  task?: Task
  isCalm?: boolean
  note: string
  action?: string
  children: ReactNode
}

function Row({ order, task, isCalm = false, note, action, children }: RowProps) {
  const to = { order, task }
  return (
    <li>
      <Dot fill={isCalm ? 'ring' : 'full'} tone={isCalm ? 'wait' : 'alert'} />
      <div>
        <Mend {...to} className="what plain">
          {children}
        </Mend>
        <p className="note">{note}</p>
      </div>
      {action && (
        <Mend {...to} className="button small">
          {action}
        </Mend>
      )}
    </li>
  )
}

/** Leads to where it is mended. */
function Mend(props: { order: Order | undefined; task: Task | undefined; className: string; children: ReactNode }) {
  const { order, task, className, children } = props
  const { business } = route.useParams()
  if (order)
    return (
      <route.Link className={className} to="/$business/orders/$order" params={(now) => ({ ...now, order: order.id })}>
        {children}
      </route.Link>
    )
  if (task?.orderQuery)
    return (
      <RowLink className={className} {...ordersPlace(business, task.orderQuery)}>
        {children}
      </RowLink>
    )
  if (task)
    return (
      <route.Link
        className={className}
        to={task.task === 'SENDS_STOPPED' ? '/$business/letters' : '/$business/products/imports'}
        params={(now) => now}
      >
        {children}
      </route.Link>
    )
  return <span className={className}>{children}</span>
}

/** What only the feed knows. */
function NeedRow({ need }: { need: Need }) {
  const { t } = useLingui()
  const { money, ago } = useFormat()
  const { timestamp } = need.event
  if (need.kind === 'mismatch') {
    const { paid, expected, currency } = need.event.data
    const [given, wanted] = [money(paid, currency), money(expected, currency)]
    return <Row note={ago(timestamp)}>{t`Paid ${given}, the plan says ${wanted}`}</Row>
  }
  if (need.kind === 'unexpected')
    return (
      <Row note={[t`the money has to go back`, ago(timestamp)].join(' · ')}>
        {t`A subscription was paid that nobody can have`}
      </Row>
    )
  const title = blockText(need.entry.blocks, 'title')
  return (
    <Row note={[t`it no longer fits its schema`, ago(timestamp)].join(' · ')}>
      {title ? t`“${title}” was not published` : t`An entry was not published`}
    </Row>
  )
}
