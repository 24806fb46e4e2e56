import { Type } from 'typebox'
import { holdCustomer, nameCustomer } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { AppError } from '#vocabulary/errors.ts'
import { Email, Id } from '#vocabulary/schemas.ts'
import { sendClaim } from '../jobs.ts'
import { claimLimits, createAttempts } from '../sign-in/attempts.ts'

export type NewGuest = { id: string; businessId: string; email: string; name: string }

/**
 * A guest whom a business has made up for an order by hand: nobody can log in as them. Whether an account has that
 * address is not looked at, so neither the answer nor its time can tell. Idempotent.
 */
export async function addGuest(control: ControlDb, { id, businessId, email, name }: NewGuest): Promise<void> {
  await transaction(control, async (tx) => {
    const made = await tx
      .insertInto('accounts.users')
      .values({ id, isGuest: true, guestOf: businessId, email, name, createdAt: now(), updatedAt: now() })
      .onConflict((known) => known.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!made) return
    await holdCustomer(tx, businessId, id)
    await nameCustomer(tx, businessId, id)
    if (await mayMail(tx, businessId, email)) await enqueue(tx, sendClaim, { guestId: id })
  })
}

/** An order is not refused because somebody gets too many mails. */
async function mayMail(tx: ControlTx, businessId: string, email: string): Promise<boolean> {
  try {
    await createAttempts(tx, { addresses: true }).count(...claimLimits(businessId, email))
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** For a process that dies between the order and its guest. Control cannot see the order, so the job carries a copy. */
export const makeGuest = defineJob({
  name: 'accounts.make-guest',
  on: 'cell',
  payload: Type.Object({ id: Id, businessId: Id, email: Email, name: Type.String() }),
  run: (guest, { control }) => addGuest(control, guest),
})
