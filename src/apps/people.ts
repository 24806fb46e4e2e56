import { findCame, listAdmins } from '#modules/access/index.ts'
import { findAliases, findGuests, readEmails } from '#modules/accounts/index.ts'
import type { AskControl } from '#modules/customers/index.ts'
import type { ControlDb } from '#platform/database/database.ts'

/**
 * What the cells learn of people from control: whom a guest of a business became; and of those who came to a business by
 * themselves, whether they are guests, and whether their account was deleted. Of people whom only the business has named
 * it learns nothing, unless it has made them up itself.
 */
export const askControl =
  (control: ControlDb): AskControl =>
  async (people) => {
    const ids = people.map(({ userId }) => userId)
    const [came, users, aliases] = await Promise.all([
      findCame(control, people),
      findGuests(control, ids),
      findAliases(control, ids),
    ])
    const keyOf = ({ businessId, userId }: { businessId: string; userId: string }) => `${businessId} ${userId}`
    const hasCome = new Set(came.map(keyOf))
    return {
      aliases: new Map(
        people.flatMap((person) => {
          const user = aliases.get(person.userId)
          const isOwn = hasCome.has(keyOf(person)) || users.get(person.userId)?.guestOf === person.businessId
          return user !== undefined && isOwn ? [[keyOf(person), user]] : []
        }),
      ),
      guests: new Map(
        came.flatMap((person) => {
          const user = users.get(person.userId)
          return user ? [[keyOf(person), user.isGuest]] : []
        }),
      ),
      erased: new Set(came.filter(({ userId }) => !users.has(userId) && !aliases.has(userId)).map(keyOf)),
    }
  }

/** Whom to write to about a business. */
export async function findAdmins(control: ControlDb, businessId: string): Promise<string[]> {
  const emails = await readEmails(control, await listAdmins(control, businessId))
  return [...emails.values()]
}
