import { type KontorError, type Order, paymentStatusOf } from '@kontor/sdk'
import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../parts/icons.tsx'
import { FormProblem, Problem, wordsOf } from '../parts/notices.tsx'
import { Summary } from '../parts/summary.tsx'
import { useTitle } from '../parts/title.ts'
import { emptyCart } from '../state/cart.ts'
import { money } from '../state/catalog.ts'
import { isOfCart } from '../state/checkout.ts'
import { dayOf } from '../state/content.ts'
import { kontor } from '../state/kontor.ts'
import { stateText } from '../state/orders.ts'
import { countryName, stateName } from '../state/places.ts'
import { usePlace } from '../state/router.ts'
import { forget, useLoad } from '../state/use-load.ts'

const ASK_EVERY_MS = 1_000
const ASK_TIMES = 40

/** An order. `/orders/paid?orderId=…` is where the payment page leads to: there it waits for the money, not for ever. */
export function OrderPage({ id: shown }: { id: string }) {
  const { query } = usePlace()
  const isComingBack = shown === 'paid'
  const id = isComingBack ? (query.get('orderId') ?? '') : shown
  const { value: order, error, reload } = useLoad(`order:${id}`, () => kontor.orders.get(id))
  const [asked, setAsked] = useState(0)
  const payment = order && paymentStatusOf(order)
  const isWaiting = isComingBack && payment === 'PENDING' && asked < ASK_TIMES
  useTitle(order ? `Order ${order.number}` : 'Order')

  useEffect(() => {
    if (!isWaiting) return
    const timer = window.setTimeout(() => {
      setAsked(asked + 1)
      reload()
    }, ASK_EVERY_MS)
    return () => window.clearTimeout(timer)
  }, [isWaiting, asked])

  useEffect(() => {
    if (!isComingBack || payment !== 'PAID') return
    if (isOfCart(id)) emptyCart()
    forget('orders')
    forget('product')
  }, [payment])

  if (error && !order) return <Problem error={error} retry={reload} />
  if (!order) return <Skeleton />
  return (
    <div class="wrap section narrow">
      <Headline order={order} isComingBack={isComingBack} isWaiting={isWaiting} askAgain={() => setAsked(0)} />
      <section class="panel receipt" aria-label="The order">
        <p class="receipt-head">
          <span>
            Order <strong>{order.number}</strong>
          </span>
          <span>{dayOf(order.createdAt)}</span>
        </p>
        <ul class="short-lines">
          {order.lines.map((line) => (
            <li key={line.productId + line.variantId}>
              <span>
                {line.quantity} × {line.name}
              </span>
              <span>{money(line.totalPrice, order.currency)}</span>
            </li>
          ))}
        </ul>
        <Summary figures={order} />
        <Address order={order} />
        <Shipments order={order} />
      </section>
      {payment === 'PENDING' && !isComingBack && <Cancel order={order} onDone={reload} />}
      <p class="after">
        <a href="/orders">All your orders</a>
        <a href="/shop">Back to the shop</a>
      </p>
    </div>
  )
}

type HeadlineProps = { order: Order; isComingBack: boolean; isWaiting: boolean; askAgain: () => void }

function Headline({ order, isComingBack, isWaiting, askAgain }: HeadlineProps) {
  const payment = paymentStatusOf(order)
  if (!isComingBack || (payment !== 'PENDING' && payment !== 'PAID')) {
    return (
      <div class="headline">
        <h1>Order {order.number}</h1>
        <p>{stateText(order)}</p>
      </div>
    )
  }
  return (
    <div class="headline" role="status">
      <span class={payment === 'PAID' ? 'seal' : 'seal waits'}>
        <Icon name={payment === 'PAID' ? 'check' : 'anchor'} />
      </span>
      <h1>{payment === 'PAID' ? 'Thank you. It is paid.' : 'Waiting for your payment'}</h1>
      {payment === 'PAID' ? (
        <p>{order.contactEmail ? `A confirmation is on its way to ${order.contactEmail}.` : 'We pack it now.'}</p>
      ) : isWaiting ? (
        <p>This takes a few seconds. You can leave this page, the order stays.</p>
      ) : (
        <p>
          We have not heard from the bank yet.{' '}
          <button class="link" type="button" onClick={askAgain}>
            Look again
          </button>
        </p>
      )}
    </div>
  )
}

function Address({ order }: { order: Order }) {
  const address = order.shippingAddress
  if (!address?.street) return null
  const { name, street, street2, city, state, zip, country } = address
  const town =
    country === 'US'
      ? `${city ?? ''}, ${stateName(state ?? '')} ${zip ?? ''}`
      : [zip, city, state].filter(Boolean).join(' ')
  return (
    <address>
      {[name, street, street2, town, countryName(country)].filter(Boolean).map((line) => (
        <span key={line}>{line}</span>
      ))}
    </address>
  )
}

/** What is on its way, with a link to follow it. */
function Shipments({ order }: { order: Order }) {
  const isOnItsWay = order.fulfillment !== 'UNFULFILLED'
  const { value: shipments } = useLoad(isOnItsWay ? `shipments:${order.id}` : undefined, () =>
    kontor.orders.shipments(order.id),
  )
  if (!shipments?.length) return null
  const nameOf = (lineId: string) => order.lines.find((line) => line.id === lineId)?.name ?? ''
  return (
    <section class="parcels" aria-label="Parcels">
      {shipments.map((shipment) => (
        <div key={shipment.id}>
          <p>
            <strong>{shipments.length > 1 ? `Parcel ${shipment.number}` : 'Your parcel'}</strong>, sent{' '}
            {dayOf(shipment.createdAt)}
            {shipment.carrier && ` with ${shipment.carrier}`}
          </p>
          {order.fulfillment === 'PARTIALLY_FULFILLED' && (
            <p class="small">
              {shipment.lines.map(({ lineId, quantity }) => `${quantity} × ${nameOf(lineId)}`).join(', ')}
            </p>
          )}
          {shipment.trackingUrl ? (
            <a href={shipment.trackingUrl} rel="noreferrer noopener" target="_blank">
              Follow it{shipment.trackingNumber && `: ${shipment.trackingNumber}`}
            </a>
          ) : (
            shipment.trackingNumber && <p class="small">Tracking number {shipment.trackingNumber}</p>
          )}
        </div>
      ))}
    </section>
  )
}

/** Asked twice: what is cancelled is gone. */
function Cancel({ order, onDone }: { order: Order; onDone: () => void }) {
  const [state, setState] = useState<{ isAsked?: boolean; isSending?: boolean; error?: KontorError }>({})
  async function cancel() {
    setState({ isAsked: true, isSending: true })
    try {
      await kontor.orders.cancel(order.id)
      forget('orders')
      forget('product')
      onDone()
    } catch (error) {
      setState({ error: error as KontorError })
      onDone()
    }
  }
  return (
    <div class="cancel">
      {state.error && <FormProblem>{wordsOf(state.error)}</FormProblem>}
      {state.isAsked ? (
        <>
          <p>Cancel this order? The goods go back on the shelf.</p>
          <button class="button" type="button" disabled={state.isSending} onClick={() => void cancel()}>
            {state.isSending ? 'One moment …' : 'Cancel the order'}
          </button>
          <button class="link" type="button" onClick={() => setState({})}>
            Keep it
          </button>
        </>
      ) : (
        <button class="link" type="button" onClick={() => setState({ isAsked: true })}>
          Cancel this order
        </button>
      )}
    </div>
  )
}

const Skeleton = () => (
  <div class="wrap section narrow" aria-busy="true">
    <div class="headline">
      <h1>Order</h1>
      <p>Looking for it …</p>
    </div>
    <div class="panel receipt">
      <Summary figures={undefined} />
    </div>
  </div>
)
