import { type Selectable, sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { CustomersComments } from '#platform/database/cell-tables.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Person } from './customer.ts'
import { commentNotFound, customerErased, customerNotFound, notYourComment } from './errors.ts'
import { customerCommented } from './events.ts'
import type { Comment } from './schemas.ts'

type CommentRow = Selectable<CustomersComments>

export const presentComment = ({ id, userId, authorId, text, createdAt }: CommentRow): Comment => ({
  id,
  customerId: userId,
  authorId,
  text,
  createdAt: toSeconds(createdAt),
})

/** Notes what somebody of the business says of a customer. */
export async function commentOn(
  tx: Tx,
  { businessId, userId }: Person,
  { text, actor }: { text: string; actor: Actor },
): Promise<CommentRow> {
  const { rows } = await sql<{ erasedAt: Date | null }>`
    select erased_at from customers.customers where business_id = ${businessId} and user_id = ${userId} for key share`.execute(
    tx,
  )
  if (!rows[0]) throw customerNotFound() // merged into another one this very moment
  if (rows[0].erasedAt) throw customerErased()
  const row = {
    businessId,
    userId,
    id: newId('cmt'),
    authorId: actor.userId,
    authorKind: actor.kind,
    text,
    createdAt: now(),
  }
  await tx.insertInto('customers.comments').values(row).execute()
  await record(tx, customerCommented({ businessId, subject: userId, actor, data: { commentId: row.id } }))
  return row
}

/** Newest first. */
export async function listComments(
  db: Db,
  { businessId, userId }: Person,
  { limit = 20, cursor }: PageOnly,
): Promise<Page<Comment>> {
  const filters = { list: 'customer-comments', businessId, userId }
  const after = decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined
  const rows = await db
    .selectFrom('customers.comments')
    .selectAll()
    .where((comment) => comment.and({ businessId, userId }))
    .$if(after !== undefined, (query) => query.where('id', '<', after as string))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, filters, (row) => [row.id], presentComment)
}

export async function removeComment(
  tx: Tx,
  { businessId, userId }: Person,
  id: string,
  { actor, isAdmin }: { actor: Actor; isAdmin: boolean },
): Promise<void> {
  const found = await tx
    .selectFrom('customers.comments')
    .selectAll()
    .where((comment) => comment.and({ businessId, userId, id }))
    .executeTakeFirst()
  if (!found) throw commentNotFound()
  if (found.authorId !== actor.userId && !isAdmin) throw notYourComment()
  await tx
    .deleteFrom('customers.comments')
    .where((comment) => comment.and({ businessId, userId, id }))
    .execute()
}
