import { type Shipment, statusOf } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Ellipsis, ExternalLink, Package, Pencil, Trash2, Truck } from 'lucide-react'
import { useState } from 'react'
import { useAsk } from '../../outbox/use-outbox.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { useProblem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { Confirm } from './confirm.tsx'
import { useGoods } from './queries.ts'
import { lineNames, type OrderView } from './view.ts'

type Props = { view: OrderView; onEdit: (shipmentId: string) => void }

/** What has gone out, and what is still to be packed. */
export function Shipments({ view, onEdit }: Props) {
  const { t } = useLingui()
  const { order, shipments, pieces } = view
  const left = order.lines
    .map(({ id }) => ({ lineId: id, quantity: pieces.get(id)?.leftToShip ?? 0 }))
    .filter(({ quantity }) => quantity > 0)
  const status = statusOf(order)
  const isEnded = status === 'CANCELLED' || status === 'REFUNDED'
  const done = order.lines.length - left.length
  const count = order.lines.length
  return (
    <section className="section close" aria-labelledby="shipments">
      <div className="section-head">
        <h2 id="shipments">{t`Shipments`}</h2>
        {!isEnded && (
          <span className="note">
            <Plural value={count} one={`${done} of # line sent`} other={`${done} of # lines sent`} />
          </span>
        )}
      </div>
      {shipments.map((shipment) => (
        <Parcel key={shipment.id} {...{ view, shipment, status }} onEdit={() => onEdit(shipment.id)} />
      ))}
      {left.length > 0 && !isEnded && <ToPack {...{ view, left, status }} />}
      {shipments.length === 0 && left.length === 0 && (
        <p className="soft text-table">
          {order.fulfillment === 'FULFILLED'
            ? t`Marked as sent by its status; no parcel was entered.`
            : t`Nothing was sent.`}
        </p>
      )}
      {isEnded && shipments.length === 0 && left.length > 0 && (
        <p className="soft text-table">{t`Nothing was sent, and nothing is to be sent.`}</p>
      )}
    </section>
  )
}

type ParcelProps = { view: OrderView; shipment: Shipment; status: string; onEdit: () => void }

function Parcel({ view, shipment, status, onEdit }: ParcelProps) {
  const { t } = useLingui()
  const ask = useAsk()
  const wordsOf = useProblem()
  const [isAsking, setAsking] = useState(false)
  const { id: orderId } = view.order
  const { number, carrier, trackingNumber, trackingUrl } = shipment
  const track = [carrier, trackingNumber].filter(Boolean).join(' ')
  const remove = () => {
    setAsking(false)
    ask({
      operation: 'deleteShipment',
      input: { path: { id: orderId, shipmentId: shipment.id } },
      label: t`Delete parcel ${number} of ${view.order.number}`,
      about: [orderId],
    }).then(
      () => toast(t`Parcel ${number} is deleted; its pieces are to be packed again.`),
      (error: unknown) => toast(t`Parcel ${number} is still there. ${wordsOf(error).what}`),
    )
  }
  return (
    <div className="parcel">
      <Icon of={Truck} />
      <div>
        <span className="strong">
          <Trans>Parcel {number}</Trans>
        </span>
        , {lineNames(view, shipment.lines)}
        <br />
        {trackingUrl ? (
          <a className="link" href={trackingUrl} target="_blank" rel="noreferrer">
            {track || t`Follow it`} <span className="unseen">{t`opens the carrier’s page`}</span>
          </a>
        ) : (
          <span className="soft">{track || t`without a tracking number`}</span>
        )}
      </div>
      <span className="parcel-end">
        <Status fill="full" tone={status === 'DELIVERED' ? 'good' : 'act'}>
          <Trans>
            Sent <When at={shipment.createdAt} />
          </Trans>
        </Status>
        <Menu align="end" trigger={<Button look="quiet small" icon={Ellipsis} only={t`More about parcel ${number}`} />}>
          <MenuItem icon={Pencil} reason={view.reason} onClick={onEdit}>{t`Change`}</MenuItem>
          {trackingUrl && (
            <MenuItem icon={ExternalLink} onClick={() => window.open(trackingUrl, '_blank', 'noreferrer')}>
              {t`Follow it`}
            </MenuItem>
          )}
          <MenuItem icon={Trash2} reason={view.reason} onClick={() => setAsking(true)}>{t`Delete`}</MenuItem>
        </Menu>
      </span>
      <Confirm
        open={isAsking}
        title={t`Delete parcel ${number}?`}
        action={t`Delete`}
        isDestroying
        onDo={remove}
        onClose={() => setAsking(false)}
      >
        {t`Its pieces are to be packed again. A mail that was sent to the customer stays sent.`}
      </Confirm>
    </div>
  )
}

type ToPackProps = { view: OrderView; left: { lineId: string; quantity: number }[]; status: string }

function ToPack({ view, left, status }: ToPackProps) {
  const { t } = useLingui()
  const { order } = view
  const goods = useGoods(order.lines.map(({ productId }) => productId))
  const only = left.length === 1 ? order.lines.find(({ id }) => id === left[0]?.lineId) : undefined
  const inventory = goods.get(only?.productId ?? '')?.variants.find(({ id }) => id === only?.variantId)?.inventory
  const inStock = inventory?.tracked ? inventory.quantity : undefined
  return (
    <div className="parcel">
      <Icon of={Package} />
      <div>
        <span className="strong">{t`To pack`}</span>, {lineNames(view, left)}
        <br />
        <span className="soft">
          {status === 'PENDING'
            ? t`Held until it is paid`
            : inStock === undefined
              ? t`Held for this order`
              : t`${inStock} in stock besides those held for this order`}
        </span>
      </div>
      <Status fill="ring" tone={status === 'PENDING' ? 'soft' : 'act'}>
        {status === 'PENDING' ? t`Not yet` : t`To pack`}
      </Status>
    </div>
  )
}
