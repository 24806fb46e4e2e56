import { sql } from 'kysely'
import { listMemberships, listOfferedRoles, listRolesOf } from '#modules/access/index.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { decodeCursor, toPage } from '#vocabulary/paging.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Member, MemberQuery } from '../schemas.ts'

type Row = { id: string; name: string; email: string | null; key: string }

/** Everybody who has a role in the business, by name, with their roles and those that wait to be accepted. */
export async function listMembers(db: ControlDb, businessId: string, asked: MemberQuery) {
  const { query = '', roleId, limit = 20, cursor } = asked
  const filters = { list: 'members', businessId, query, roleId }
  const position = decodeCursor(filters, cursor, ['string', 'string'])
  const members = await listMemberships(db, businessId, roleId)
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean)
  const key = sql`lower(coalesce(nullif(name, ''), email, id))`
  const matches = words.map(
    (word) => sql`and (position(${word} in lower(name)) > 0 or position(${word} in lower(coalesce(email, ''))) > 0)`,
  )
  const { rows } = await sql<Row>`
    select id, name, email, ${key} as key
      from accounts.users
     where id = any(${members.map(({ userId }) => userId)}::text[])
           ${sql.join(matches, sql` `)}
           ${position ? sql`and (${key}, id) > (${position[0]}, ${position[1]})` : sql``}
     order by ${key}, id
     limit ${limit + 1}`.execute(db)
  const ids = rows.map(({ id }) => id)
  const [roles, offered] =
    ids.length === 0
      ? [[], []]
      : await Promise.all([listRolesOf(db, ids, businessId), listOfferedRoles(db, businessId, ids)])
  const joined = new Map(members.map(({ userId, joinedAt }) => [userId, joinedAt]))
  return toPage(
    rows,
    limit,
    filters,
    (row) => [row.key, row.id],
    ({ id, name, email }): Member => ({
      id,
      name,
      email,
      roles: roles.filter(({ userId }) => userId === id).map(presentRole),
      pendingRoles: offered.filter(({ userId }) => userId === id).map(presentRole),
      joinedAt: toSeconds(joined.get(id) ?? new Date(0)),
    }),
  )
}

const presentRole = ({ id, name, permissions }: { id: string; name: string; permissions: string[] }) => ({
  id,
  name,
  permissions: permissions as Permission[],
})
