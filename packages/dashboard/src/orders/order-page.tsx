import './order/order.css'
import { useLingui } from '@lingui/react/macro'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { ChevronRight, CircleHelp, MessageSquare, Pencil, Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import { useAsked } from '../outbox/use-outbox.ts'
import { usePermissions } from '../session/permissions.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { useCommands } from '../shell/commands.ts'
import { Bones } from '../ui/bones.tsx'
import { Icon } from '../ui/icon.tsx'
import { LeaveDialog } from '../ui/leave-dialog.tsx'
import { Head, usePageTitle } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { SaveBar } from '../ui/save-bar.tsx'
import { useLeaveGuard } from '../ui/use-draft.ts'
import { Acts } from './order/acts.tsx'
import { asItWas, momentsOf } from './order/as-it-was.ts'
import { AskedNotices, type Failed } from './order/asked-notices.tsx'
import { Facts } from './order/facts.tsx'
import { Lines } from './order/lines.tsx'
import { Past } from './order/past.tsx'
import { askedPieces, askedRefunds, moneyOf, piecesOf } from './order/pieces.ts'
import { useOrderRecord } from './order/queries.ts'
import { RefundSheet } from './order/refund-sheet.tsx'
import { ReturnSheet } from './order/return-sheet.tsx'
import type { OrderSearch } from './order/search.ts'
import { ShipSheet } from './order/ship-sheet.tsx'
import { Shipments } from './order/shipments.tsx'
import { Timeline } from './order/timeline.tsx'
import { useContact } from './order/use-contact.ts'
import type { OrderView } from './order/view.ts'
import { FulfilmentStatus, PaymentStatus } from './words.tsx'

const route = getRouteApi('/signed-in/$business/orders/$order')

export function OrderPage() {
  const { t } = useLingui()
  const { order: id } = route.useParams()
  const record = useOrderRecord(id)
  const { data: order, error, refetch } = record.order
  if (order) return <Loaded key={id} record={{ ...record, order }} />
  return (
    <>
      <Head title={t`Order`} />
      <div className="page">{error ? <Problem error={error} onRetry={() => void refetch()} /> : <Bones />}</div>
    </>
  )
}

type Loaded = Omit<ReturnType<typeof useOrderRecord>, 'order'> & Pick<OrderView, 'order'>

function Loaded({ record }: { record: Loaded }) {
  const { t } = useLingui()
  const { at, sheet, shipment, show, why } = route.useSearch()
  const { reason } = usePermissions()
  const go = useSearch()
  const now = record.order
  const navigate = useNavigate()
  const business = addressOf(useBusiness())
  const goNew = () => void navigate({ to: '/$business/orders/new', params: { business } })
  const waiting = useAsked(now.id)
  const entries = at === undefined ? waiting : []
  const then = {
    ...asItWas(record, at),
    entries,
    asked: askedRefunds(entries),
    moving: askedPieces(entries, now.id),
  }
  const view: OrderView = {
    ...then,
    pieces: piecesOf(then),
    money: moneyOf(then),
    reason: at === undefined ? reason('ORDERS_WRITE') : t`This is how it was. Go back to now to change it.`,
  }
  const [failed, setFailed] = useState<Failed>()
  const [isEditing, setIsEditing] = useState(false)
  const contact = useContact(now)
  const guard = useLeaveGuard(contact.changed.length > 0)
  const write = useRef<HTMLInputElement>(null)
  const close = () => go({ sheet: undefined, shipment: undefined })
  const open = (next: OrderSearch['sheet']) => {
    setFailed(undefined)
    go({ sheet: next, shipment: undefined })
  }
  usePageTitle(t`Order ${now.number}`)
  useCommands([
    {
      id: 'order-why',
      label: t`Why this price? Steps of ${now.number}`,
      keys: 'w',
      icon: CircleHelp,
      run: () => go({ why: why === 'all' ? undefined : 'all' }),
    },
    {
      id: 'order-comment',
      label: t`Comment on ${now.number}`,
      keys: 'c',
      icon: MessageSquare,
      run: () => write.current?.focus(),
    },
    { id: 'order-new', label: t`New order`, icon: Plus, run: goNew },
    {
      id: 'order-edit',
      label: t`Change the addresses of ${now.number}`,
      keys: 'e',
      icon: Pencil,
      reason: view.reason,
      run: () => setIsEditing(true),
    },
  ])
  const edited = shipment ? record.shipments.find(({ id }) => id === shipment) : undefined
  const isSheetOpen = sheet !== undefined && (shipment === undefined || edited !== undefined)
  return (
    <div className={isSheetOpen ? 'with-sheet' : ''}>
      <div className="order">
        <OrderHead view={view} onOpen={open} />
        <div className="record">
          <div className="work">
            {at !== undefined && <Past moments={momentsOf(record)} at={at} onMove={(next) => go({ at: next })} />}
            {record.problem && (
              <div className="asked">
                <Problem
                  error={record.problem}
                  kept={t`Parcels, refunds or what happened are not all known; figures on this page may lack them.`}
                  onRetry={record.retry}
                />
              </div>
            )}
            <AskedNotices view={view} failed={failed} />
            <Lines view={view} why={why} onWhy={(line) => go({ why: line })} />
            <Shipments view={view} onEdit={(id) => go({ sheet: 'ship', shipment: id })} />
            <Timeline
              view={view}
              show={show}
              writeRef={write}
              moment={at === undefined && <AsItWasLink moments={momentsOf(record)} />}
            />
          </div>
          <Facts
            view={view}
            contact={contact}
            isEditing={isEditing || contact.changed.length > 0}
            onEdit={() => setIsEditing(true)}
          />
        </div>
        <SaveBar
          changes={contact.changes}
          isSaving={contact.isSaving}
          reason={view.reason}
          onSave={() => void contact.save().then(() => setIsEditing(false))}
          onDiscard={() => {
            contact.discard()
            setIsEditing(false)
          }}
        />
      </div>
      {isSheetOpen && sheet === 'refund' && <RefundSheet view={view} onClose={close} onFailed={setFailed} />}
      {isSheetOpen && sheet === 'ship' && (
        <ShipSheet key={shipment} view={view} shipment={edited} onClose={close} onFailed={setFailed} />
      )}
      {isSheetOpen && sheet === 'return' && <ReturnSheet view={view} onClose={close} onFailed={setFailed} />}
      {contact.sheet}
      <LeaveDialog guard={guard} />
    </div>
  )
}

/** Changes what the address says of this order; nothing scrolls. */
function useSearch() {
  const navigate = useNavigate({ from: '/$business/orders/$order' })
  return (changes: OrderSearch) => {
    // A sheet is a place to come back from; the rest only says how the same place is looked at.
    const replace = !('sheet' in changes && changes.sheet !== undefined)
    void navigate({ search: (before) => ({ ...before, ...changes }), replace, resetScroll: false })
  }
}

function OrderHead({ view, onOpen }: { view: OrderView; onOpen: (sheet: OrderSearch['sheet']) => void }) {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  const { order, money } = view
  return (
    <header className="head">
      <nav className="crumbs" aria-label={t`Where`}>
        <Link to="/$business/orders" params={{ business }}>{t`Orders`}</Link>
        <Icon of={ChevronRight} />
      </nav>
      <h1>{order.number}</h1>
      <p className="facts-line">
        <PaymentStatus order={order} isAsked={money.waiting > 0} />
        <FulfilmentStatus order={order} />
      </p>
      <Acts view={view} onOpen={onOpen} />
    </header>
  )
}

function AsItWasLink({ moments }: { moments: readonly number[] }) {
  const { t } = useLingui()
  if (moments.length < 2) return null
  return (
    <Link
      from="/$business/orders/$order"
      search={(before: OrderSearch) => ({ ...before, at: moments.at(-2) })}
      className="link note"
    >
      {t`As it was at …`}
    </Link>
  )
}
