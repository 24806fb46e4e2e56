import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { fittingRows } from '#platform/database/page-bytes.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business, Market } from '#vocabulary/business.ts'
import { notFound } from '#vocabulary/errors.ts'
import { decodeCursor, type Filters } from '#vocabulary/paging.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { lastAdmin } from './errors.ts'

export async function findBusiness(db: ControlDb, id: string): Promise<Business | undefined> {
  const row = await db.selectFrom('access.businesses').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toBusiness(row)
}

export async function findBusinessBySlug(db: ControlDb, slug: string): Promise<Business | undefined> {
  const row = await db.selectFrom('access.businesses').selectAll().where('slug', '=', slug).executeTakeFirst()
  return row && toBusiness(row)
}

/** Locks the row: changes of a business, and of who is ADMIN there, happen one after another. */
export async function lockBusiness(tx: ControlTx, id: string): Promise<Business> {
  const row = await tx.selectFrom('access.businesses').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  if (!row) throw notFound('business')
  return toBusiness(row)
}

const toBusiness = <Row extends { markets: unknown }>(row: Row) => ({ ...row, markets: row.markets as Market[] })

export async function listBusinessesOf(
  db: ControlDb,
  { userId, onlyBusinessId }: Actor,
  { limit = 20, cursor }: PageOnly,
) {
  const filters = { list: 'businesses', userId, onlyBusinessId }
  const position = positionOf(filters, cursor)
  const page = sql`
    select *
      from access.businesses
     where id in (select business_id from access.memberships where user_id = ${userId})
           ${onlyBusinessId === undefined ? sql`` : sql`and id = ${onlyBusinessId}`}
           ${position === undefined ? sql`` : sql`and id < ${position}`}
     order by id desc
     limit ${limit + 1}`
  const { rows } = await fittingRows<Business>(page, ['markets'], sql`id desc`).execute(db)
  return { rows, filters }
}

const positionOf = (filters: Filters, cursor: string | undefined) =>
  decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined

/** The cell with the fewest businesses, of those that this process can reach. */
export async function emptiestCell(db: ControlDb, cells: Iterable<string>): Promise<string> {
  const { rows } = await sql<{ cell: string }>`
    select known.cell
      from unnest(${[...cells]}::text[]) as known (cell)
      left join (select cell, count(*) as businesses from access.businesses group by cell) as counted using (cell)
     order by coalesce(businesses, 0), known.cell
     limit 1`.execute(db)
  return rows[0]?.cell ?? 'main'
}

/** The cells in which there are businesses. */
export async function listHomes(db: ControlDb): Promise<string[]> {
  const { rows } = await sql<{ cell: string }>`select distinct cell from access.businesses order by cell`.execute(db)
  return rows.map(({ cell }) => cell)
}

/** What a user may do in a business: the union of their roles there. */
export async function findPermissions(db: ControlDb, businessId: string, userId: string): Promise<Permission[]> {
  const rows = await db
    .selectFrom('access.memberships')
    .innerJoin('access.roles', (join) =>
      join
        .onRef('access.roles.businessId', '=', 'access.memberships.businessId')
        .onRef('access.roles.id', '=', 'access.memberships.roleId'),
    )
    .select('access.roles.permissions')
    .where('access.memberships.businessId', '=', businessId)
    .where('access.memberships.userId', '=', userId)
    .execute()
  return [...new Set(rows.flatMap((row) => row.permissions))] as Permission[]
}

export const countAdmins = async (tx: ControlTx, businessId: string): Promise<number> => {
  const { admins } = await tx
    .selectFrom('access.memberships')
    .innerJoin('access.roles', (join) =>
      join
        .onRef('access.roles.businessId', '=', 'access.memberships.businessId')
        .onRef('access.roles.id', '=', 'access.memberships.roleId'),
    )
    .select((row) => row.fn.countAll<number>().as('admins'))
    .where('access.memberships.businessId', '=', businessId)
    .where((row) => row(row.val('ADMIN'), '=', row.fn.any('access.roles.permissions')))
    .executeTakeFirstOrThrow()
  return admins
}

export const findRole = (db: ControlDb, businessId: string, id: string) =>
  db
    .selectFrom('access.roles')
    .selectAll()
    .where((role) => role.and({ businessId, id }))
    .executeTakeFirst()

export async function getRole(db: ControlDb, businessId: string, id: string) {
  const role = await findRole(db, businessId, id)
  if (!role) throw notFound('role')
  return role
}

export async function listRoles(db: ControlDb, businessId: string, { limit = 20, cursor }: PageOnly) {
  const filters = { list: 'roles', businessId }
  const position = positionOf(filters, cursor)
  const rows = await db
    .selectFrom('access.roles')
    .selectAll()
    .where('businessId', '=', businessId)
    .$if(position !== undefined, (query) => query.where('id', '<', position ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return { rows, filters }
}

export async function listInvitations(db: ControlDb, businessId: string, { limit = 20, cursor }: PageOnly) {
  const filters = { list: 'invitations', businessId }
  const position = positionOf(filters, cursor)
  const rows = await db
    .selectFrom('access.invitations')
    .selectAll()
    .where('businessId', '=', businessId)
    .$if(position !== undefined, (query) => query.where('id', '<', position ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return { rows, filters }
}

/** An invitation with what its mail tells. */
export const findInvitation = (db: ControlDb, businessId: string, id: string) =>
  db
    .selectFrom('access.invitations as invitation')
    .innerJoin('access.businesses as business', 'business.id', 'invitation.businessId')
    .innerJoin('access.roles as role', (join) =>
      join.onRef('role.businessId', '=', 'invitation.businessId').onRef('role.id', '=', 'invitation.roleId'),
    )
    .select([
      'invitation.email',
      'invitation.userId',
      'invitation.acceptedAt',
      'business.name as business',
      'role.name as role',
    ])
    .where('invitation.businessId', '=', businessId)
    .where('invitation.id', '=', id)
    .executeTakeFirst()

/** Whoever is forgotten is not invited any more either, by whatever they were named. */
export const dropInvitationsTo = (tx: ControlTx, { userId, email }: { userId: string; email: string | null }) =>
  tx
    .deleteFrom('access.invitations')
    .where((row) =>
      row.or([row('userId', '=', userId), row(sql<string>`lower(email)`, '=', (email ?? '').toLowerCase())]),
    )
    .execute()

/** The roles that wait for some users to accept them in a business. */
export const listOfferedRoles = (db: ControlDb, businessId: string, userIds: readonly string[]) =>
  db
    .selectFrom('access.invitations as invitation')
    .innerJoin('access.roles as role', (join) =>
      join.onRef('role.businessId', '=', 'invitation.businessId').onRef('role.id', '=', 'invitation.roleId'),
    )
    .select(['invitation.userId', 'role.id', 'role.name', 'role.permissions'])
    .where('invitation.businessId', '=', businessId)
    .where('invitation.userId', 'in', userIds)
    .where('invitation.acceptedAt', 'is', null)
    .where('invitation.expiresAt', '>', now())
    .orderBy('role.id')
    .execute()

/** The roles of some users: everywhere, or in one business. */
export async function listRolesOf(db: ControlDb, userIds: readonly string[], businessId?: string) {
  return db
    .selectFrom('access.memberships as membership')
    .innerJoin('access.roles as role', (join) =>
      join.onRef('role.businessId', '=', 'membership.businessId').onRef('role.id', '=', 'membership.roleId'),
    )
    .select(['membership.userId', 'role.id', 'role.name', 'role.permissions', 'role.businessId'])
    .where('membership.userId', 'in', userIds)
    .$if(businessId !== undefined, (query) => query.where('membership.businessId', '=', businessId ?? ''))
    .orderBy('role.id')
    .execute()
}

export type Person = { userId: string; isOpen: boolean }

/**
 * Who belongs to a business: its members, and those who ordered, subscribed or wrote there, or were named by it, in an order or
 * with a role that waits for them. `isOpen`: they joined or came by themselves, so their record is shown there; of the others it
 * sees the id.
 */
export async function listPeopleOf(db: ControlDb, businessId: string, roleIds: readonly string[]): Promise<Person[]> {
  const { rows } = await sql<Person>`
    select user_id, bool_or(is_open) as is_open
      from (
        select user_id, true as is_open
          from access.memberships
         where business_id = ${businessId} and (${roleIds.length === 0} or role_id = any(${roleIds}::text[]))
         union all
        select user_id, came_at is not null
          from access.customers
         where business_id = ${businessId} and ${roleIds.length === 0}
           and (came_at is not null or named_at is not null)
         union all
        select user_id, false
          from access.invitations
         where business_id = ${businessId} and user_id is not null and accepted_at is null and expires_at > ${now()}
           and (${roleIds.length === 0} or role_id = any(${roleIds}::text[]))
      ) as people
     group by user_id`.execute(db)
  return rows
}

/** Which of these users are members or customers of a business, or were named by it. */
export async function findPeople(
  db: ControlDb,
  businessId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const members = membersAmong(db, businessId, ids)
  const customers = customersAmong(db, businessId, ids).where((row) =>
    row.or([row('cameAt', 'is not', null), row('namedAt', 'is not', null)]),
  )
  const rows = await members.union(customers).execute()
  return new Set(rows.map(({ userId }) => userId))
}

/**
 * A query, to be part of another: which of these users joined a business or came there by themselves, so that what they tell of
 * themselves may be shown there.
 */
export const openPeople = (db: ControlDb, businessId: string, ids: readonly string[]) =>
  membersAmong(db, businessId, ids).union(customersAmong(db, businessId, ids).where('cameAt', 'is not', null))

const membersAmong = (db: ControlDb, businessId: string, ids: readonly string[]) =>
  db.selectFrom('access.memberships').select('userId').where('businessId', '=', businessId).where('userId', 'in', ids)

const customersAmong = (db: ControlDb, businessId: string, ids: readonly string[]) =>
  db.selectFrom('access.customers').select('userId').where('businessId', '=', businessId).where('userId', 'in', ids)

/** Takes a user out of every business. The last ADMIN of one must hand it over first. */
export async function removeFromBusinesses(tx: ControlTx, userId: string): Promise<void> {
  const rows = await tx
    .selectFrom('access.memberships')
    .select('businessId')
    .distinct()
    .where('userId', '=', userId)
    .orderBy('businessId')
    .execute()
  for (const { businessId } of rows) {
    await lockBusiness(tx, businessId)
    await tx
      .deleteFrom('access.memberships')
      .where((row) => row.and({ businessId, userId }))
      .execute()
    if ((await countAdmins(tx, businessId)) === 0) throw lastAdmin()
    await notify(tx, 'members', businessId)
  }
}
