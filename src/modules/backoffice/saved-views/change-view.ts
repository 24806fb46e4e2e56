import { type Selectable, sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { BackofficeSavedViews } from '#platform/database/cell-tables.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import { newId } from '#vocabulary/ids.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { notYourView, tooManyViews, viewNotFound } from '../errors.ts'
import type { NewSavedView, SavedView, SavedViewChanges, SavedViewQuery } from './schemas.ts'

export type ViewRow = Omit<Selectable<BackofficeSavedViews>, 'filters' | 'list'> & Pick<SavedView, 'filters' | 'list'>

const MAX_VIEWS = 100

/** Whose views are meant: their own, and those that are shared. */
export type Viewer = { businessId: string; userId: string; isAdmin: boolean }

export const presentView = (row: ViewRow): SavedView => ({
  id: row.id,
  authorId: row.authorId,
  list: row.list,
  name: row.name,
  filters: row.filters,
  columns: row.columns,
  isShared: row.isShared,
  createdAt: toSeconds(row.createdAt),
  updatedAt: toSeconds(row.updatedAt),
})

export async function createView(tx: Tx, { businessId, userId }: Viewer, sent: NewSavedView): Promise<ViewRow> {
  // One at a time for each person, so that racing makes no more than are allowed.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`saved-views ${businessId} ${userId}`}, 0))`.execute(tx)
  const { count } = await tx
    .selectFrom('backoffice.savedViews')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where((view) => view.and({ businessId, authorId: userId }))
    .executeTakeFirstOrThrow()
  if (count >= MAX_VIEWS) throw tooManyViews()
  const at = now()
  const { list, name, filters = {}, columns = [], isShared = false } = sent
  const row: ViewRow = {
    businessId,
    id: newId('view'),
    authorId: userId,
    list,
    name,
    filters,
    columns,
    isShared,
    version: 1,
    createdAt: at,
    updatedAt: at,
  }
  await tx
    .insertInto('backoffice.savedViews')
    .values({ ...row, filters: JSON.stringify(filters) })
    .execute()
  return row
}

/** Newest first. */
export async function listViews(
  db: Db,
  { businessId, userId }: Viewer,
  { limit = 20, cursor, list }: SavedViewQuery,
): Promise<Page<SavedView>> {
  const filters = { list: 'saved-views', businessId, userId, of: list }
  const after = (decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined) ?? '~'
  const rows = await db
    .selectFrom('backoffice.savedViews')
    .selectAll()
    .where('businessId', '=', businessId)
    .where((view) => view.or([view('authorId', '=', userId), view('isShared', '=', true)]))
    .where('id', '<', after)
    .$if(list !== undefined, (query) => query.where('list', '=', String(list)))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows as ViewRow[], limit, filters, ({ id }) => [id], presentView)
}

/** One that others have not shared does not exist. */
export async function getView(db: Db, { businessId, userId }: Viewer, id: string): Promise<ViewRow> {
  const row = await db
    .selectFrom('backoffice.savedViews')
    .selectAll()
    .where((view) => view.and({ businessId, id }))
    .executeTakeFirst()
  if (!row || !(row.isShared || row.authorId === userId)) throw viewNotFound()
  return row as ViewRow
}

async function lockView(tx: Tx, viewer: Viewer, id: string, expected: Expected): Promise<ViewRow> {
  const { businessId, userId, isAdmin } = viewer
  await sql`select from backoffice.saved_views where business_id = ${businessId} and id = ${id} for update`.execute(tx)
  const view = await getView(tx, viewer, id)
  if (view.authorId !== userId && !isAdmin) throw notYourView()
  checkExpected(expected, etagOf(view.version))
  return view
}

export async function updateView(
  tx: Tx,
  viewer: Viewer,
  id: string,
  expected: Expected,
  changes: SavedViewChanges,
): Promise<ViewRow> {
  const before = await lockView(tx, viewer, id, expected)
  const after: ViewRow = { ...before, ...changes, version: before.version + 1, updatedAt: now() }
  await tx
    .updateTable('backoffice.savedViews')
    .set({ ...after, filters: JSON.stringify(after.filters) })
    .where((view) => view.and({ businessId: viewer.businessId, id }))
    .execute()
  return after
}

export async function deleteView(tx: Tx, viewer: Viewer, id: string, expected: Expected): Promise<void> {
  const { businessId } = await lockView(tx, viewer, id, expected)
  await tx
    .deleteFrom('backoffice.savedViews')
    .where((view) => view.and({ businessId, id }))
    .execute()
}

/** The views of somebody whose account was deleted. What they shared is the business's. */
export async function eraseViews(
  db: Db,
  { businessId, userId }: { businessId: string; userId: string },
): Promise<void> {
  await db
    .deleteFrom('backoffice.savedViews')
    .where((view) => view.and({ businessId, authorId: userId, isShared: false }))
    .execute()
}
