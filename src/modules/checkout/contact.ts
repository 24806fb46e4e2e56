import { Check } from 'typebox/value'
import { countFreeBefore, type OrderRow } from '#modules/orders/index.ts'
import type { Db } from '#platform/database/database.ts'
import type { Block } from '#vocabulary/blocks.ts'
import { Email } from '#vocabulary/schemas.ts'

/** Confirmations of orders that cost nothing, a day, to an address that nobody has proven. */
const MOST_UNPROVEN = 5

/** A shopper without an account may leave an address in a block of that name. What is none is left for the payment page to ask. */
export function emailIn(blocks: readonly Block[]): string | undefined {
  const { value } = blocks.find(({ id, type }) => id === 'email' && type === 'TEXT') ?? {}
  const email = typeof value === 'string' ? value.trim() : undefined
  return Check(Email, email) && /@.+\../.test(email) ? email : undefined // a@b is an address, but no provider takes it
}

/** Anybody may type the address of somebody else, and order what costs nothing again and again. Who has paid hears of it always. */
export async function mayMail(db: Db, order: OrderRow): Promise<boolean> {
  const isProven = order.contactEmail !== emailIn(order.blocks) // that of the account, or of the payment page
  if (order.total > 0 || isProven) return true
  return (await countFreeBefore(db, order, MOST_UNPROVEN)) < MOST_UNPROVEN
}
