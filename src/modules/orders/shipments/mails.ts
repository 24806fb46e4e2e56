import path from 'node:path'
import { Type } from 'typebox'
import { findBusiness } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { mailLogoOf } from '#platform/mail/logo.ts'
import { inNameOf, messageIdOf } from '#platform/mail/mailer.ts'
import { createRenderer, type Rendered } from '#platform/mail/render.ts'
import type { Media } from '#vocabulary/media.ts'
import { orderUrlOf } from '#vocabulary/origins.ts'
import { Id } from '#vocabulary/schemas.ts'
import { orderMailSent } from '../events.ts'
import type { OrderLine } from '../order.ts'
import { findOrder } from '../queries.ts'
import { findShipment, markMailed } from './queries.ts'
import type { ShipmentRow } from './shipment.ts'

const render = createRenderer(path.join(import.meta.dirname, 'mails'))

/** One mail for each shipment. A worker that dies between sending and noting sends it again, under the same id. */
export const sendShipment = defineJob({
  name: 'orders.send-shipment',
  on: 'cell',
  payload: Type.Object({ businessId: Id, orderId: Id, shipmentId: Id }),
  async run({ businessId, orderId, shipmentId }, { db, control, services, fence }) {
    const [order, shipment, business] = await Promise.all([
      findOrder(db, businessId, orderId),
      findShipment(db, businessId, orderId, shipmentId),
      findBusiness(control, businessId),
    ])
    if (!order?.contactEmail || !shipment || shipment.mailedAt || !business || !services.mail) return
    await services.mail.send({
      to: order.contactEmail,
      ...(await shipmentMail(order, shipment, business.name, orderUrlOf(business, orderId), business.logo)),
      messageId: messageIdOf('shipment', shipmentId, services.publicUrl),
      inNameOf: inNameOf(business),
    })
    await fault('shipment.mailed')
    await transaction(db, async (tx) => {
      await fence(tx)
      if (!(await markMailed(tx, shipment, now()))) return
      const data = { number: order.number, mail: 'shipment', to: 'CUSTOMER' } as const
      await record(tx, orderMailSent({ businessId, subject: orderId, data }))
    })
  },
})

export const shipmentMail = (
  order: { number: string; lines: readonly Pick<OrderLine, 'id' | 'name'>[] },
  shipment: Pick<ShipmentRow, 'lines' | 'carrier' | 'trackingNumber' | 'trackingUrl'>,
  business: string,
  orderUrl = '',
  logo: Media | null = null,
): Promise<Rendered> =>
  render('shipment', `Your order ${order.number} is on its way`, {
    business,
    number: order.number,
    lines: Object.entries(shipment.lines).map(([lineId, quantity]) => ({
      name: order.lines.find(({ id }) => id === lineId)?.name ?? '',
      quantity,
    })),
    carrier: shipment.carrier ?? '',
    trackingNumber: shipment.trackingNumber ?? '',
    trackingUrl: isWebAddress(shipment.trackingUrl) ? shipment.trackingUrl : '',
    orderUrl,
    logo: mailLogoOf(logo),
  })

/** The API takes no others. Here it decides what becomes a link, so it is looked at again. */
const isWebAddress = (url: string | null) => /^https?:$/.test(URL.parse(url ?? '')?.protocol ?? '')
