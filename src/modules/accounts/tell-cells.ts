import { Type } from 'typebox'
import { listCustomerHomes, listHomes } from '#modules/access/index.ts'
import type { Db } from '#platform/database/database.ts'
import { type AnyJob, defineJob, type JobContext } from '#platform/jobs/define.ts'
import { Id } from '#vocabulary/schemas.ts'

type Person = { businessId: string; userId: string }

/** What happens to a person's rows in a cell. Each may run twice. */
export type CellNews = {
  merge: (cell: Db, merged: { businessId: string; guestId: string; userId: string }) => Promise<void>
  eraseCustomer: (cell: Db, person: Person) => Promise<void>
  eraseMember: (cell: Db, person: Person) => Promise<void>
}

const untold = (): never => {
  throw new Error('This job is run by the worker only, which knows whom to tell')
}
const NOBODY: CellNews = { merge: untold, eraseCustomer: untold, eraseMember: untold }

/** A guest became a user: tells every business that has the guest as a customer. */
export const tellMerged = ({ merge } = NOBODY) =>
  defineJob({
    name: 'accounts.tell-merged',
    on: 'control',
    payload: Type.Object({ guestId: Id, userId: Id }),
    async run({ guestId, userId }, context) {
      const homes = await listCustomerHomes(context.control, [guestId])
      await tell(context, homes, (cell, businessId) => merge(cell, { businessId, guestId, userId }))
    },
  })

/** An account was deleted, with the guests whom it had been; `memberOf`: where it had a role. */
export const tellErased = ({ eraseCustomer, eraseMember } = NOBODY) =>
  defineJob({
    name: 'accounts.tell-erased',
    on: 'control',
    payload: Type.Object({ userId: Id, guestIds: Type.Array(Id), memberOf: Type.Array(Id) }),
    async run({ userId, guestIds, memberOf }, context) {
      const { control } = context
      for (const id of [userId, ...guestIds])
        await tell(context, await listCustomerHomes(control, [id]), (cell, businessId) =>
          eraseCustomer(cell, { businessId, userId: id }),
        )
      await tell(context, await listHomes(control, memberOf), (cell, businessId) =>
        eraseMember(cell, { businessId, userId }),
      )
    },
  })

async function tell(
  { cells }: Pick<JobContext<unknown>, 'cells'>,
  homes: readonly { businessId: string; cell: string }[],
  inform: (cell: Db, businessId: string) => Promise<void>,
): Promise<void> {
  for (const { businessId, cell: name } of homes) {
    const cell = cells.get(name)
    if (!cell) throw new Error(`The cell ${name} is not configured here`)
    await inform(cell, businessId)
  }
}

export const cellJobs = (news: CellNews): readonly AnyJob[] => [tellMerged(news), tellErased(news)]
