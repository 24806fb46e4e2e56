import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { fittingRows } from '#platform/database/page-bytes.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business, BusinessLimits, Callouts, Market, Storefront } from '#vocabulary/business.ts'
import type { Media } from '#vocabulary/media.ts'
import { decodeCursor, type Filters } from '#vocabulary/paging.ts'
import { PERMISSIONS, type Permission } from '#vocabulary/permissions.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { businessNotFound, roleGone } from './errors.ts'
import type { InvitationQuery } from './schemas.ts'

export async function findBusiness(db: ControlDb, id: string): Promise<Business | undefined> {
  const row = await db.selectFrom('access.businesses').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toBusiness(row)
}

export async function findBusinessBySlug(db: ControlDb, slug: string): Promise<Business | undefined> {
  const row = await db.selectFrom('access.businesses').selectAll().where('slug', '=', slug).executeTakeFirst()
  return row && toBusiness(row)
}

/** Locks the business: changes of it, and of its ADMINs, are serialised. */
export async function lockBusiness(tx: ControlTx, id: string): Promise<Business> {
  const row = await tx.selectFrom('access.businesses').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  if (!row) throw businessNotFound()
  return toBusiness(row)
}

export const toBusiness = <
  Row extends { markets: unknown; storefront: unknown; logo: unknown; callouts: unknown; limits: unknown },
>(
  row: Row,
) => ({
  ...row,
  limits: row.limits as BusinessLimits | null,
  callouts: row.callouts as Callouts | null,
  storefront: row.storefront as Storefront,
  logo: row.logo as Media | null,
  markets: row.markets as Market[],
})

type SentMarket = Omit<Market, keyof typeof NO_TAXES> & Partial<Pick<Market, keyof typeof NO_TAXES>>
const NO_TAXES = { pricesIncludeTax: false, taxRates: [] } satisfies Partial<Market>

/** Markets as they were sent. One that is known keeps the taxes that were not sent. */
export const toMarkets = (sent: readonly SentMarket[], known: readonly Market[] = []): Market[] =>
  sent.map((market) => {
    const { pricesIncludeTax, taxRates } = known.find(({ id }) => id === market.id) ?? NO_TAXES
    return {
      ...market,
      pricesIncludeTax: market.pricesIncludeTax ?? pricesIncludeTax,
      taxRates: market.taxRates ?? taxRates,
    }
  })

/** The businesses in which a user has a role, as stored; for an API key, those in which it may do something. */
export async function listBusinessesOf(
  db: ControlDb,
  { userId, onlyBusinessId, onlyPermissions }: Actor,
  { limit = 20, cursor }: PageOnly,
) {
  const filters = { list: 'businesses', userId, onlyBusinessId }
  const position = positionOf(filters, cursor)
  const page = sql`
    select *
      from access.businesses
     where id in (select business_id from access.memberships where user_id = ${userId})
           ${onlyBusinessId === undefined ? sql`` : sql`and id = ${onlyBusinessId}`}
           ${onlyPermissions === undefined ? sql`` : sql`and id in (${businessesWith(userId, onlyPermissions)})`}
           ${position === undefined ? sql`` : sql`and id < ${position}`}
     order by id desc
     limit ${limit + 1}`
  const { rows } = await fittingRows<Business>(page, ['markets'], sql`id desc`).execute(db)
  return { rows, filters }
}

/** Where a user holds one of these permissions; with ADMIN among them, where they hold any. */
const businessesWith = (userId: string, permissions: readonly Permission[]) => sql`
  select membership.business_id
    from access.memberships as membership
    join access.roles as role on role.business_id = membership.business_id and role.id = membership.role_id
   where membership.user_id = ${userId}
     and role.permissions && ${permissions.includes('ADMIN') ? PERMISSIONS : ['ADMIN', ...permissions]}::text[]`

const positionOf = (filters: Filters, cursor: string | undefined) =>
  decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined

/** Whether any business lives there. */
export async function isCellUsed(db: ControlDb, cell: string): Promise<boolean> {
  const { rows } = await sql`select from access.businesses where cell = ${cell} limit 1`.execute(db)
  return rows.length > 0
}

/** The cells that hold businesses. */
export async function listUsedCells(db: ControlDb): Promise<string[]> {
  // A loose index scan: each process asks repeatedly, and there are many businesses per cell.
  const { rows } = await sql<{ cell: string }>`
    with recursive home (cell) as (
      select min(cell) from access.businesses
      union all
      select (select min(cell) from access.businesses where cell > home.cell) from home where home.cell is not null
    )
    select cell from home where cell is not null`.execute(db)
  return rows.map(({ cell }) => cell)
}

/** A user's permissions in a business: the union of their roles. */
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

const MAX_ADMINS = 50

/** The users who are ADMIN, the first 50. */
export async function listAdmins(db: ControlDb, businessId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('access.memberships')
    .innerJoin('access.roles', (join) =>
      join
        .onRef('access.roles.businessId', '=', 'access.memberships.businessId')
        .onRef('access.roles.id', '=', 'access.memberships.roleId'),
    )
    .select('access.memberships.userId')
    .distinct()
    .where('access.memberships.businessId', '=', businessId)
    .where((row) => row(row.val('ADMIN'), '=', row.fn.any('access.roles.permissions')))
    .orderBy('access.memberships.userId')
    .limit(MAX_ADMINS)
    .execute()
  return rows.map(({ userId }) => userId)
}

export const findRole = (db: ControlDb, businessId: string, id: string) =>
  db
    .selectFrom('access.roles')
    .selectAll()
    .where((role) => role.and({ businessId, id }))
    .executeTakeFirst()

/** Which of these are roles of the business. */
export async function findRolesOf(
  db: ControlDb,
  businessId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('access.roles')
    .select('id')
    .where('businessId', '=', businessId)
    .where('id', 'in', [...ids, ''])
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export async function getRole(db: ControlDb, businessId: string, id: string) {
  const role = await findRole(db, businessId, id)
  if (!role) throw roleGone()
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

export async function listInvitations(
  db: ControlDb,
  businessId: string,
  { limit = 20, cursor, status }: InvitationQuery,
) {
  const filters = { list: 'invitations', businessId, status }
  const position = positionOf(filters, cursor)
  const rows = await db
    .selectFrom('access.invitations')
    .selectAll()
    .where('businessId', '=', businessId)
    .$if(status !== undefined, (query) => query.where('acceptedAt', status === 'ACCEPTED' ? 'is not' : 'is', null))
    .$if(status === 'PENDING', (query) => query.where('expiresAt', '>', now()))
    .$if(status === 'EXPIRED', (query) => query.where('expiresAt', '<=', now()))
    .$if(position !== undefined, (query) => query.where('id', '<', position ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return { rows, filters }
}

/** An invitation with what its mail shows. */
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

/** Deletes all open invitations to an erased user, by account and by address. */
export const dropInvitationsTo = (tx: ControlTx, { userId, email }: { userId: string; email: string | null }) =>
  tx
    .deleteFrom('access.invitations')
    .where((row) =>
      row.or([row('userId', '=', userId), row(sql<string>`lower(email)`, '=', (email ?? '').toLowerCase())]),
    )
    .execute()

/** Roles that were offered to these users and are not accepted yet. */
export const listOfferedRoles = (db: ControlDb, businessId: string, userIds: readonly string[]) =>
  db
    .selectFrom('access.invitations as invitation')
    .innerJoin('access.roles as role', (join) =>
      join.onRef('role.businessId', '=', 'invitation.businessId').onRef('role.id', '=', 'invitation.roleId'),
    )
    .select(['invitation.userId', 'role.id', 'role.name', 'role.permissions', 'role.businessId'])
    .where('invitation.businessId', '=', businessId)
    .where('invitation.userId', 'in', userIds)
    .where('invitation.acceptedAt', 'is', null)
    .where('invitation.expiresAt', '>', now())
    .orderBy('role.id')
    .execute()

/** The roles of these users, in all businesses or in one. */
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
 * The people of a business: members, customers (by order, subscription or entry), and users whom it named in an order
 * or offered a role. `isOpen`: they joined or came by their own action, so their record is shown; of the others the
 * business sees only the id.
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

/** The members of a business: those who have a role, not those to whom one was only offered. */
export async function listMembers(db: ControlDb, businessId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('access.memberships')
    .select('userId')
    .distinct()
    .where('businessId', '=', businessId)
    .orderBy('userId')
    .limit(limit)
    .execute()
  return rows.map(({ userId }) => userId)
}

/** When each member joined; `roleId`: only those who have that role. */
export const listMemberships = (db: ControlDb, businessId: string, roleId?: string) =>
  db
    .selectFrom('access.memberships as membership')
    .select((row) => ['membership.userId', row.fn.min('membership.createdAt').as('joinedAt')])
    .where('membership.businessId', '=', businessId)
    .$if(roleId !== undefined, (query) =>
      query.where('membership.userId', 'in', (members) =>
        members
          .selectFrom('access.memberships as holder')
          .select('holder.userId')
          .where('holder.businessId', '=', businessId)
          .where('holder.roleId', '=', roleId ?? ''),
      ),
    )
    .groupBy('membership.userId')
    .execute()

/** How many members have each role of a business. A role that nobody has is not among them. */
export const countMembers = (db: ControlDb, businessId: string) =>
  db
    .selectFrom('access.memberships')
    .select((row) => ['roleId as value', row.fn.countAll<number>().as('count')])
    .where('businessId', '=', businessId)
    .groupBy('roleId')
    .orderBy('roleId')
    .execute()

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
 * A subquery: which of these users joined the business or came by their own action, so that their details may be shown
 * there.
 */
export const openPeople = (db: ControlDb, businessId: string, ids: readonly string[]) =>
  membersAmong(db, businessId, ids).union(customersAmong(db, businessId, ids).where('cameAt', 'is not', null))

const membersAmong = (db: ControlDb, businessId: string, ids: readonly string[]) =>
  db.selectFrom('access.memberships').select('userId').where('businessId', '=', businessId).where('userId', 'in', ids)

const customersAmong = (db: ControlDb, businessId: string, ids: readonly string[]) =>
  db.selectFrom('access.customers').select('userId').where('businessId', '=', businessId).where('userId', 'in', ids)

/** The cells of these businesses. */
export const listHomes = (db: ControlDb, businessIds: readonly string[]) =>
  db
    .selectFrom('access.businesses')
    .select(['id as businessId', 'cell'])
    .where('id', 'in', [...businessIds, ''])
    .orderBy('id')
    .execute()
