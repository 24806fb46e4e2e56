import { Type } from 'typebox'
import { findCame, forgetAddresses, listCustomerHomes, listHomes } from '#modules/access/index.ts'
import type { ControlDb, Db } from '#platform/database/database.ts'
import { type AnyJob, defineJob, type JobContext } from '#platform/jobs/define.ts'
import { Id } from '#vocabulary/schemas.ts'

type Person = { businessId: string; userId: string }

/** What happens to a person's rows in a cell. Each may run twice. */
export type CellNews = {
  merge: (cell: Db, merged: { businessId: string; guestId: string; userId: string }) => Promise<void>
  returnToGuest: (cell: Db, person: Person) => Promise<void>
  /** `ids` are all that the person had, `emailKey` the address of the account. */
  erasePerson: (cell: Db, person: Person & { ids: readonly string[]; emailKey: string | null }) => Promise<void>
  eraseMember: (cell: Db, person: Person) => Promise<void>
}

const untold = (): never => {
  throw new Error('This job is run by the worker only, which knows whom to tell')
}
const NOBODY: CellNews = { merge: untold, returnToGuest: untold, erasePerson: untold, eraseMember: untold }

/** One every six hours after the first ten: a cell may be away for three weeks. */
const ATTEMPTS = 100

type Home = { businessId: string; cell: string }

/**
 * A guest became a user: tells the businesses that the guest came to, or that have made them up. One that has only named
 * somebody else's guest does not learn whom they became.
 */
export const tellMerged = ({ merge } = NOBODY) =>
  defineJob({
    name: 'accounts.tell-merged',
    on: 'control',
    maxAttempts: ATTEMPTS,
    payload: Type.Object({ guestId: Id, userId: Id }),
    async run({ guestId, userId }, context) {
      const { control } = context
      const alias = { guestId, userId }
      const isStill = await control
        .selectFrom('accounts.guestAliases')
        .select('guestId')
        .where((row) => row.and(alias))
        .executeTakeFirst()
      if (!isStill) return // the account is gone, or became another one: that is told by itself
      const homes = await homesThatKnow(control, guestId)
      await tell(context, homes, (cell, businessId) => merge(cell, { businessId, ...alias }))
    },
  })

async function homesThatKnow(control: ControlDb, guestId: string): Promise<Home[]> {
  const homes = await listCustomerHomes(control, [guestId])
  const came = await findCame(
    control,
    homes.map(({ businessId }) => ({ businessId, userId: guestId })),
  )
  const guest = await control
    .selectFrom('accounts.users')
    .select('guestOf')
    .where('id', '=', guestId)
    .executeTakeFirst()
  const known = new Set([...came.map(({ businessId }) => businessId), guest?.guestOf])
  return homes.filter(({ businessId }) => known.has(businessId))
}

/** An account was deleted that nobody had confirmed; the guests who had asked for it are guests again. */
export const tellUnconfirmed = ({ returnToGuest } = NOBODY) =>
  defineJob({
    name: 'accounts.tell-unconfirmed',
    on: 'control',
    maxAttempts: ATTEMPTS,
    payload: Type.Object({ userId: Id, guestIds: Type.Array(Id) }),
    async run({ userId, guestIds }, context) {
      const homes = await listCustomerHomes(context.control, [userId, ...guestIds])
      await tell(context, homes, (cell, businessId) => returnToGuest(cell, { businessId, userId }))
    },
  })

/**
 * An account was deleted, with the guests whom it had been; `memberOf`: where it had a role. The address goes along,
 * because nobody else knows it any more: subscriptions under it are the person's.
 */
export const tellErased = ({ erasePerson, eraseMember } = NOBODY) =>
  defineJob({
    name: 'accounts.tell-erased',
    on: 'control',
    maxAttempts: ATTEMPTS,
    payload: Type.Object({
      userId: Id,
      guestIds: Type.Array(Id),
      memberOf: Type.Array(Id),
      emailKey: Type.Optional(Type.String({ maxLength: 254 })),
    }),
    async run({ userId, guestIds, memberOf, emailKey = '' }, context) {
      const { control } = context
      const failures: unknown[] = []
      const note = (error: unknown) => void failures.push(error)
      const ids = [userId, ...guestIds]
      await tell(context, await listCustomerHomes(control, ids), (cell, businessId) =>
        erasePerson(cell, { businessId, userId, ids, emailKey: emailKey || null }),
      ).catch(note)
      await tell(context, await listHomes(control, memberOf), (cell, businessId) =>
        eraseMember(cell, { businessId, userId }),
      ).catch(note)
      await forgetAddresses(control, ids)
      if (failures.length > 0) throw failures[0]
    },
  })

/** One cell that is away does not keep the others from hearing it; the job is tried again for all of them. */
async function tell(
  { cells }: Pick<JobContext<unknown>, 'cells'>,
  homes: readonly Home[],
  inform: (cell: Db, businessId: string) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  for (const { businessId, cell: name } of homes) {
    const cell = cells.get(name)
    if (!cell) failures.push(new Error(`The cell ${name} is not configured here`))
    else await inform(cell, businessId).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

export const cellJobs = (news: CellNews): readonly AnyJob[] => [
  tellMerged(news),
  tellUnconfirmed(news),
  tellErased(news),
]
