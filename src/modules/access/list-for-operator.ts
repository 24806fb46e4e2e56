import { type RawBuilder, sql } from 'kysely'
import type { ControlDb } from '#platform/database/database.ts'
import type { BusinessLimits } from '#vocabulary/business.ts'
import { decodeCursor, type Filters, type Position } from '#vocabulary/paging.ts'
import { fromCursorMs } from '#vocabulary/time.ts'

export const BUSINESS_SORTS = [
  '-createdAt',
  'createdAt',
  '-rows',
  '-mediaBytes',
  '-requests',
  '-mails',
  '-jobs',
] as const
export type BusinessSort = (typeof BUSINESS_SORTS)[number]

/** `TROUBLED`: jobs of it are out of attempts, or letters of it have stopped. */
export const BUSINESS_HEALTH = ['GOOD', 'TROUBLED'] as const
export type BusinessHealth = (typeof BUSINESS_HEALTH)[number]

/**
 * `IMPORTING`: an import of it is not finished. `DELETING`: it is closed, and goes when `deleteAt` has come. Nobody gets at it in
 * either, nor while it is `SUSPENDED`.
 */
export const BUSINESS_STATES = ['ACTIVE', 'SUSPENDED', 'IMPORTING', 'DELETING'] as const
export type BusinessState = (typeof BUSINESS_STATES)[number]

/** Each can use the index of suspended businesses, which are few. */
const IS_IN: Record<BusinessState, RawBuilder<unknown>> = {
  ACTIVE: sql`suspended_at is null`,
  SUSPENDED: sql`suspended_at is not null and delete_at is null`,
  IMPORTING: sql`suspended_at is not null and delete_at is not null and import_of is not null`,
  DELETING: sql`suspended_at is not null and delete_at is not null and import_of is null`,
}

export const stateOf = ({
  suspendedAt,
  deleteAt,
  importOf,
}: Pick<BusinessOverview, 'suspendedAt' | 'deleteAt' | 'importOf'>): BusinessState =>
  deleteAt ? (importOf ? 'IMPORTING' : 'DELETING') : suspendedAt ? 'SUSPENDED' : 'ACTIVE'

/** A business as its operator sees it: what it has and uses, nothing of what it sells. */
export type BusinessOverview = {
  id: string
  name: string
  slug: string
  cell: string
  createdAt: Date
  suspendedAt: Date | null
  suspendedReason: string | null
  deleteAt: Date | null
  importOf: string | null
  paymentAccount: string | null
  limits: BusinessLimits | null
  adminIds: string[]
  rows: number
  mediaBytes: number
  requests: number
  mails: number
  jobs: number
  deadJobs: number
  stoppedSends: number
  checkedAt: Date | null
  brokenRules: number
  measuredAt: Date | null
}

export type OverviewQuery = {
  limit?: number
  cursor?: string
  query?: string
  cell?: string
  state?: BusinessState
  health?: BusinessHealth
  sort?: BusinessSort
}

const MOST_ADMINS = 5
const FEW = 2_000

const COLUMNS = sql`
  business.id, business.name, slug, cell, business.created_at, suspended_at, suspended_reason, delete_at, import_of, payment_account, limits,
  array(select distinct user_id
          from access.memberships
          join access.roles on roles.business_id = memberships.business_id and roles.id = role_id
         where memberships.business_id = business.id and 'ADMIN' = any (permissions)
         order by user_id
         limit ${sql.lit(MOST_ADMINS)}) as admin_ids,
  figures.rows::float8 as rows, figures.media_bytes::float8 as media_bytes, figures.requests::float8 as requests,
  figures.mails::float8 as mails, figures.jobs::float8 as jobs, figures.dead_jobs, figures.stopped_sends,
  figures.checked_at, figures.broken_rules, measured_at`

const FIGURES: Partial<Record<BusinessSort, string>> = {
  '-rows': 'rows',
  '-mediaBytes': 'media_bytes',
  '-requests': 'requests',
  '-mails': 'mails',
  '-jobs': 'jobs',
}
const IS_TROUBLED = sql`(figures.dead_jobs > 0 or figures.stopped_sends > 0 or figures.broken_rules > 0)`

/** `ownerIds`: of whom the search is for the address, undefined where it is not for one. */
export async function listForOperator(db: ControlDb, query: OverviewQuery, ownerIds: readonly string[] | undefined) {
  const { limit = 20, cursor, query: text, cell, state, health, sort = '-createdAt' } = query
  const filters: Filters = { list: 'operator-businesses', query: text, cell, state, health, sort }
  const order = orderOf(sort)
  const position = decodeCursor(filters, cursor, ['number', 'string'])
  const conditions = [
    text === undefined ? undefined : await matching(db, text.trim(), ownerIds),
    cell === undefined ? undefined : sql`cell = ${cell}`,
    state === undefined ? undefined : IS_IN[state],
    health === undefined ? undefined : health === 'TROUBLED' ? IS_TROUBLED : sql`not ${IS_TROUBLED}`,
    position && order.after(position),
  ].filter((condition) => condition !== undefined)
  const { rows } = await sql<BusinessOverview>`
    select ${COLUMNS}
      from access.businesses as business
      join access.business_figures as figures on figures.business_id = business.id
     where ${conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`}
     order by ${order.by}
     limit ${limit + 1}`.execute(db)
  return { rows, limit, filters, positionOf: order.positionOf }
}

/** By time it is the business that is walked along, by a figure the figures: each has an index in that order. */
function orderOf(sort: BusinessSort): {
  by: RawBuilder<unknown>
  after: (position: Position) => RawBuilder<unknown>
  positionOf: (row: BusinessOverview) => Position
} {
  const figure = FIGURES[sort]
  if (figure) {
    const column = sql.ref(`figures.${figure}`)
    const name = sort.slice(1) as 'rows' | 'mediaBytes' | 'requests' | 'mails' | 'jobs'
    return {
      by: sql`${column} desc, figures.business_id desc`,
      after: ([value = 0, id = '']) => sql`(${column}, figures.business_id) < (${value}::bigint, ${id})`,
      positionOf: (row) => [row[name], row.id],
    }
  }
  const isNewestFirst = sort === '-createdAt'
  const direction = sql.raw(isNewestFirst ? 'desc' : 'asc')
  return {
    by: sql`business.created_at ${direction}, business.id ${direction}`,
    after: ([time = 0, id = '']) => {
      const than = sql.raw(isNewestFirst ? '<' : '>')
      return sql`(business.created_at, business.id) ${than} (${fromCursorMs(Number(time))}, ${id})`
    },
    positionOf: (row) => [row.createdAt.getTime(), row.id],
  }
}

/** An id, the beginning of an admin's address, or of a slug, or the beginnings of words of the name. */
async function matching(
  db: ControlDb,
  text: string,
  ownerIds: readonly string[] | undefined,
): Promise<RawBuilder<unknown>> {
  if (ownerIds)
    return sql`business.id in (
      select memberships.business_id
        from access.memberships
        join access.roles on roles.business_id = memberships.business_id and roles.id = role_id
       where user_id = any (${[...ownerIds]}::text[]) and 'ADMIN' = any (permissions))`
  if (text.startsWith('biz_')) return sql`business.id >= ${text} and business.id < ${text} || chr(1114111)`
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0) return sql`false`
  const asked = words
    .slice(0, 10)
    .map((word) => `${word}:*`)
    .join(' & ')
  const slug = words.join('-')
  const hasWords = sql`to_tsvector('simple'::regconfig, business.name) @@ ${asked}::tsquery`
  const hasSlug = sql`slug >= ${slug} and slug < ${slug} || chr(1114111)`
  // Few are found by the two indexes, then put in order. Of many there is soon one along the order itself.
  const { rows } = await sql<{ id: string }>`
    select id from access.businesses as business where ${hasWords}
     union all
    select id from access.businesses as business where ${hasSlug}
     limit ${FEW + 1}`.execute(db)
  return rows.length > FEW
    ? sql`(${hasWords} or (${hasSlug}))`
    : sql`business.id = any (${rows.map(({ id }) => id)}::text[])`
}

/** One business; undefined if there is none. */
export async function findOverview(db: ControlDb, id: string): Promise<BusinessOverview | undefined> {
  const { rows } = await sql<BusinessOverview>`
    select ${COLUMNS}
      from access.businesses as business
      join access.business_figures as figures on figures.business_id = business.id
     where business.id = ${id}`.execute(db)
  return rows[0]
}

/** Of those that there are. */
export async function findNames(db: ControlDb, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('access.businesses')
    .select(['id', 'name'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** How many businesses live in each cell, how many of them are suspended or troubled. */
export async function countBusinesses(db: ControlDb) {
  const { rows } = await sql<{ cell: string; businesses: number; suspended: number; troubled: number }>`
    select cell, businesses, coalesce(suspended, 0) as suspended, coalesce(troubled, 0) as troubled
      from (select cell, count(*)::integer as businesses from access.businesses group by cell) as counted
      left join (select cell, count(*)::integer as suspended from access.businesses where suspended_at is not null group by cell)
             as closed using (cell)
      left join (select cell, count(*)::integer as troubled
                   from access.business_figures as figures
                   join access.businesses as business on business.id = figures.business_id
                  where ${IS_TROUBLED} group by cell) as ill using (cell)
     order by cell`.execute(db)
  return rows
}
