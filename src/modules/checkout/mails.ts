import path from 'node:path'
import { Type } from 'typebox'
import { findBusiness } from '#modules/access/index.ts'
import { findOrder, type OrderRow, recordMailSent } from '#modules/orders/index.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { mailLogoOf } from '#platform/mail/logo.ts'
import { inNameOf, messageIdOf } from '#platform/mail/mailer.ts'
import { createRenderer, type Rendered } from '#platform/mail/render.ts'
import { formatMoney } from '#vocabulary/format-money.ts'
import type { Media } from '#vocabulary/media.ts'
import { orderUrlOf } from '#vocabulary/origins.ts'
import { Id } from '#vocabulary/schemas.ts'
import { mayMailBusiness, mayMailCustomer } from './contact.ts'

const render = createRenderer(path.join(import.meta.dirname, 'mails'))
const OrderPayload = Type.Object({ businessId: Id, orderId: Id })

export const sendConfirmation = defineJob({
  name: 'checkout.send-confirmation',
  on: 'cell',
  payload: OrderPayload,
  async run({ businessId, orderId }, { db, control, services, log }) {
    const [order, business] = await Promise.all([findOrder(db, businessId, orderId), findBusiness(control, businessId)])
    if (!order?.contactEmail || !business || !services.mail) return
    if (!(await mayMailCustomer(db, order))) {
      return log.warn(
        { businessId, orderId },
        'a confirmation is not mailed: its unproven address had enough for a day',
      )
    }
    const { name, defaultLocale, logo } = business
    const mail = await confirmationMail(order, name, defaultLocale, orderUrlOf(business, orderId), logo)
    const messageId = messageIdOf('order', orderId, services.publicUrl)
    await services.mail.send({ to: order.contactEmail, ...mail, messageId, inNameOf: inNameOf(business) })
    await recordMailSent(db, order, { mail: 'confirmation', to: 'CUSTOMER' })
  },
})

export const sendNewOrder = defineJob({
  name: 'checkout.send-new-order',
  on: 'cell',
  payload: OrderPayload,
  async run({ businessId, orderId }, { db, control, services, log }) {
    const [order, business] = await Promise.all([findOrder(db, businessId, orderId), findBusiness(control, businessId)])
    if (!order || !business?.contactEmail || !services.mail) return
    if (!(await mayMailBusiness(db, order))) {
      return log.warn({ businessId, orderId }, 'a new order that is free is not mailed: there were enough for a day')
    }
    const mail = await newOrderMail(order, business.name, business.defaultLocale)
    const messageId = messageIdOf('new-order', orderId, services.publicUrl)
    await services.mail.send({ to: business.contactEmail, ...mail, messageId })
    await recordMailSent(db, order, { mail: 'new_order', to: 'BUSINESS' })
  },
})

export const confirmationMail = (
  order: OrderRow,
  business: string,
  locale: string,
  orderUrl = '',
  logo: Media | null = null,
): Promise<Rendered> =>
  render('order-confirmation', `Your order ${order.number}`, {
    ...valuesOf(order, business, locale),
    orderUrl,
    logo: mailLogoOf(logo),
  })
export const newOrderMail = (order: OrderRow, business: string, locale: string): Promise<Rendered> =>
  render('new-order', `New order ${order.number}`, valuesOf(order, business, locale))

function valuesOf(order: OrderRow, business: string, locale: string) {
  const money = (amount: number) => formatMoney(amount, order.currency, locale)
  return {
    business,
    number: order.number,
    email: order.contactEmail ?? '',
    lines: order.lines.map(({ name, quantity, totalPrice }) => ({ name, quantity, totalPrice: money(totalPrice) })),
    subtotal: money(order.subtotal),
    discount: order.discount > 0 ? `−${money(order.discount)}` : '',
    shipping: money(order.shipping),
    tax: money(order.tax),
    taxIncluded: order.taxIncluded > 0 ? money(order.taxIncluded) : '',
    total: money(order.total),
  }
}
