import type { Selectable } from 'kysely'
import type { OrdersComments } from '#platform/database/cell-tables.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Comment } from './schemas.ts'

export type CommentRow = Selectable<OrdersComments>

export const presentComment = ({ id, orderId, authorId, text, createdAt }: CommentRow): Comment => ({
  id,
  orderId,
  authorId,
  text,
  createdAt: toSeconds(createdAt),
})

const commentsOf = (db: Db, businessId: string, orderId: string) =>
  db
    .selectFrom('orders.comments')
    .selectAll()
    .where((comment) => comment.and({ businessId, orderId }))
    .orderBy('id', 'desc')

/** Newest first. */
export async function listComments(
  db: Db,
  businessId: string,
  orderId: string,
  { limit = 20, cursor }: PageOnly,
): Promise<Page<Comment>> {
  const filters = { list: 'comments', businessId, orderId }
  const after = decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined
  const rows = await commentsOf(db, businessId, orderId)
    .$if(after !== undefined, (query) => query.where('id', '<', after as string))
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, filters, (row) => [row.id], presentComment)
}

export const newestComments = (db: Db, businessId: string, orderId: string, limit: number): Promise<CommentRow[]> =>
  commentsOf(db, businessId, orderId).limit(limit).execute()

export const listCommentsOf = (db: Db, businessId: string, orderIds: readonly string[]): Promise<CommentRow[]> =>
  db
    .selectFrom('orders.comments')
    .selectAll()
    .where('businessId', '=', businessId)
    .where('orderId', 'in', orderIds)
    .orderBy('id')
    .execute()

export const findComment = (db: Db, businessId: string, orderId: string, id: string): Promise<CommentRow | undefined> =>
  db
    .selectFrom('orders.comments')
    .selectAll()
    .where((comment) => comment.and({ businessId, orderId, id }))
    .executeTakeFirst()

export const insertComment = (tx: Tx, row: CommentRow) => tx.insertInto('orders.comments').values(row).execute()

export const removeComment = (tx: Tx, { businessId, orderId, id }: CommentRow) =>
  tx
    .deleteFrom('orders.comments')
    .where((comment) => comment.and({ businessId, orderId, id }))
    .execute()
