import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'

/** Every business of a cell whose books were checked: when, and how many rules did not hold. */
export async function listChecked(db: Db): Promise<{ businessId: string; checkedAt: Date; brokenRules: number }[]> {
  const { rows } = await sql<{ businessId: string; checkedAt: Date; brokenRules: number }>`
    select business_id, finished_at as checked_at, coalesce(broken.rules, 0) as broken_rules
      from checks.businesses
      left join (select business_id, count(*)::integer as rules from checks.broken group by business_id) as broken
           using (business_id)
     where finished_at is not null`.execute(db)
  return rows
}
