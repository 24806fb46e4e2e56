import type { Cell } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { orderMailSent } from './events.ts'
import type { OrderRow } from './order.ts'

/** For jobs, once the mail is with the mail server. */
export const recordMailSent = (
  db: Cell,
  { businessId, id, number }: Pick<OrderRow, 'businessId' | 'id' | 'number'>,
  sent: { mail: 'confirmation'; to: 'CUSTOMER' } | { mail: 'new_order'; to: 'BUSINESS' },
): Promise<void> =>
  transaction(db, async (tx) => {
    await record(tx, orderMailSent({ businessId, subject: id, data: { number, ...sent } }))
  })
