import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import { listOfferedRoles, listPeopleOf, listRolesOf } from '#modules/access/index.ts'
import type { AccountsUsers } from '#platform/database/control-tables.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { decodeCursor, toPage } from '#vocabulary/paging.ts'
import type { SearchQuery } from '../schemas.ts'
import { presentNamed, presentOffered, presentUser } from '../users/queries.ts'

const NO_NUMBER = '\u2400'

/** The digits of a word that can be part of a phone number: `ada1` has none. */
const digitsOf = (word: string) => (/^[+\d()./-]*\d[\d()./-]*$/.test(word) ? word.replace(/[^+\d]/g, '') : undefined)

/**
 * Searches members and customers of one business, in the part of their records that belongs to it. Users whom the
 * business only named have no name, address or number here, so no query finds them: a match would reveal whose they
 * are.
 */
export async function searchUsers(
  db: ControlDb,
  { businessId, query = '', roleIds = [], limit = 20, cursor }: Static<typeof SearchQuery>,
) {
  const wantedRoles = roleIds.flatMap((part) => part.split(',')).filter(Boolean)
  const filters = { list: 'users', businessId, query, roleIds: wantedRoles }
  const position = decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean)
  const matches = words.map(
    (
      word,
    ) => sql<boolean>`(position(${word} in lower(name)) > 0 or position(${word} in coalesce(email_key, lower(email), '')) > 0
      or position(${digitsOf(word) ?? NO_NUMBER} in array_to_string(phone_numbers, ' ')) > 0)`,
  )
  const people = await listPeopleOf(db, businessId, wantedRoles)
  const open = new Set(people.filter(({ isOpen }) => isOpen).map(({ userId }) => userId))
  const everybody = people.map(({ userId }) => userId)
  // Guests whom the business made are what it wrote itself.
  const isShown = sql<boolean>`(id = any(${[...open]}::text[]) or guest_of = ${businessId})`
  const rows = (await db
    .selectFrom('accounts.users')
    .selectAll()
    .where('id', '=', sql<string>`any(${everybody}::text[])`)
    .$if(matches.length > 0, (page) => page.where(isShown))
    .$if(position !== undefined, (page) => page.where('id', '<', position ?? ''))
    .$if(matches.length > 0, (page) => page.where((word) => word.and(matches)))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()) as Selectable<AccountsUsers>[]
  const ids = rows.map(({ id }) => id)
  const [roles, offered] =
    ids.length === 0
      ? [[], []]
      : await Promise.all([listRolesOf(db, ids, businessId), listOfferedRoles(db, businessId, ids)])
  return toPage(
    rows,
    limit,
    filters,
    (row) => [row.id],
    (row) => {
      const theirs = roles.filter(({ userId }) => userId === row.id)
      const shown =
        open.has(row.id) || row.guestOf === businessId ? presentUser(row, theirs) : presentNamed(row.id, theirs)
      return presentOffered(
        shown,
        offered.filter(({ userId }) => userId === row.id),
      )
    },
  )
}
