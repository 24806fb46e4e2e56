// Events that must not compile. `npm run types` checks each line below an expectation: one that compiled would be an error.
import { orderCreated, orderPaid } from '#modules/orders/index.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import type { BusinessEvent } from '../../packages/sdk/src/index.ts'

const to = { businessId: 'biz_1', subject: 'ord_1' }
const data = { number: 'K7Q2-M9X3', total: 1999, currency: 'USD' }

/** What is told is what the definition says. */
export async function recorded(tx: Tx) {
  await record(tx, orderPaid({ ...to, data }), orderCreated({ ...to, data: { number: 'K7Q2-M9X3' } }))
  // @ts-expect-error how much?
  await record(tx, orderPaid({ ...to, data: { number: 'K7Q2-M9X3', currency: 'USD' } }))
  // @ts-expect-error an amount is a number
  await record(tx, orderPaid({ ...to, data: { ...data, total: '19.99' } }))
  // @ts-expect-error nobody is to know who bought it
  await record(tx, orderPaid({ ...to, data: { ...data, email: 'ada@example.com' } }))
  // @ts-expect-error nothing is told
  await record(tx, orderPaid(to))
  // @ts-expect-error of which business?
  await record(tx, orderPaid({ subject: 'ord_1', data }))
  // @ts-expect-error without its definition
  await record(tx, { ...to, type: 'order.paid', data })
}

/** A client that has looked at the type knows the data. */
export function read(event: BusinessEvent) {
  if (event.type === 'order.paid') event.data.total satisfies number
  // @ts-expect-error only some events have a total
  event.data.total satisfies number
  // @ts-expect-error there is no such type
  if (event.type === 'order.lost') return event.id
  return event.subject
}
