import { Type } from 'typebox'
import { listCustomerHomes } from '#modules/access/index.ts'
import type { Db } from '#platform/database/database.ts'
import { type AnyJob, defineJob, type JobContext } from '#platform/jobs/define.ts'
import { Id } from '#vocabulary/schemas.ts'

/** What happens to a person's rows in a cell. Each may run twice. */
export type CellNews = {
  merge: (cell: Db, merged: { businessId: string; guestId: string; userId: string }) => Promise<void>
  erase: (cell: Db, person: { businessId: string; userId: string }) => Promise<void>
}

const noNews = (): never => {
  throw new Error('This job is run by the worker only, which knows whom to tell')
}

/** A guest became a user: tells every business that has the guest as a customer. */
export const tellMerged = (news: CellNews = { merge: noNews, erase: noNews }) =>
  defineJob({
    name: 'accounts.tell-merged',
    on: 'control',
    payload: Type.Object({ guestId: Id, userId: Id }),
    run: ({ guestId, userId }, context) =>
      tell(context, [guestId], (cell, businessId) => news.merge(cell, { businessId, guestId, userId })),
  })

/** An account was deleted, with the guests whom it had been. */
export const tellErased = (news: CellNews = { merge: noNews, erase: noNews }) =>
  defineJob({
    name: 'accounts.tell-erased',
    on: 'control',
    payload: Type.Object({ userId: Id, guestIds: Type.Array(Id, { maxItems: 100_000 }) }),
    run: ({ userId, guestIds }, context) =>
      tell(context, [userId, ...guestIds], async (cell, businessId) => {
        for (const id of [userId, ...guestIds]) await news.erase(cell, { businessId, userId: id })
      }),
  })

async function tell(
  { control, cells }: JobContext<unknown>,
  userIds: readonly string[],
  inform: (cell: Db, businessId: string) => Promise<void>,
): Promise<void> {
  for (const { businessId, cell: name } of await listCustomerHomes(control, userIds)) {
    const cell = cells.get(name)
    if (!cell) throw new Error(`The cell ${name} is not configured here`)
    await inform(cell, businessId)
  }
}

export const cellJobs = (news: CellNews): readonly AnyJob[] => [tellMerged(news), tellErased(news)]
