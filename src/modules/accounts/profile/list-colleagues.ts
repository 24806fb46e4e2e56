import { listMembers } from '#modules/access/index.ts'
import type { ControlDb } from '#platform/database/database.ts'
import type { Colleagues } from '../schemas.ts'

const MOST = 1_000

/** Names, and nothing else of the accounts: whoever works in a business may know who did what there. */
export async function listColleagues(db: ControlDb, businessId: string): Promise<Colleagues> {
  const members = await listMembers(db, businessId, MOST)
  if (members.length === 0) return { items: [] }
  const items = await db
    .selectFrom('accounts.users')
    .select(['id as userId', 'name'])
    .where('id', 'in', members)
    .orderBy('id')
    .execute()
  return { items }
}
