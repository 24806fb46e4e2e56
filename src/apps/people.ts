import { findCame } from '#modules/access/index.ts'
import { findAliases, findGuests } from '#modules/accounts/index.ts'
import type { AskControl } from '#modules/customers/index.ts'
import type { ControlDb } from '#platform/database/database.ts'

/**
 * What the cells learn of people from control: whom a guest became; and of those who came to a business by themselves,
 * whether they are guests. Of people whom only the business has named it learns nothing.
 */
export const askControl =
  (control: ControlDb): AskControl =>
  async (people) => {
    const [aliases, came] = await Promise.all([
      findAliases(
        control,
        people.map(({ userId }) => userId),
      ),
      findCame(control, people),
    ])
    const isGuest = await findGuests(
      control,
      came.map(({ userId }) => userId),
    )
    const guests = new Map(
      came.map(({ businessId, userId }) => [`${businessId} ${userId}`, isGuest.get(userId) ?? false]),
    )
    return { aliases, guests }
  }
