import { countFreeOrdersBefore, type OrderRow } from '#modules/orders/index.ts'
import type { Db } from '#platform/database/database.ts'
import type { Block } from '#vocabulary/blocks.ts'
import { isEmail } from '#vocabulary/email.ts'
import type { Trace } from './place-orders.ts'

/** Confirmations of free orders per day to an unverified address. */
const MAX_UNVERIFIED_PER_DAY = 5

/** Mails to the business per day about such orders, which its list of orders shows anyway. */
const MAX_BUSINESS_MAILS_PER_DAY = 50

/**
 * Shoppers without an account may give their address in a block named `email`. An invalid one is ignored: the payment
 * session asks for it.
 */
export function emailIn(blocks: readonly Block[]): string | undefined {
  const { value } = blocks.find(({ id, type }) => id === 'email' && type === 'TEXT') ?? {}
  const email = typeof value === 'string' ? value.trim() : undefined
  return email !== undefined && isEmail(email) ? email : undefined
}

/**
 * Limits confirmations of free orders: anybody can type somebody else's address again and again. Paid orders are always
 * confirmed.
 */
export async function mayMailCustomer(db: Db, order: OrderRow): Promise<boolean> {
  // Otherwise it is from the account, or from the payment session.
  const isTyped = (order.trace as Trace | null)?.isEmailTyped || order.contactEmail === emailIn(order.blocks)
  if (order.total > 0 || !isTyped) return true
  return (
    (await countFreeOrdersBefore(db, order, MAX_UNVERIFIED_PER_DAY, { email: order.contactEmail })) <
    MAX_UNVERIFIED_PER_DAY
  )
}

/** Limits mails to the business, too: its contact address may be somebody else's, who has not asked for a flood. */
export const mayMailBusiness = async (db: Db, order: OrderRow): Promise<boolean> =>
  order.total > 0 || (await countFreeOrdersBefore(db, order, MAX_BUSINESS_MAILS_PER_DAY)) < MAX_BUSINESS_MAILS_PER_DAY
