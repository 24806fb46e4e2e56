import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'

const SLICE = 5_000

/** Some of the lines that a stopped import did not come to. Its wrong ones stay to be read. Returns how many. */
export async function leaveAlone(db: Db, businessId: string, importId: string): Promise<number> {
  // By their numbers as one array: a join would be planned by statistics that know nothing of rows as young as these.
  const { rows } = await sql<{ count: number }>`
    with slice as materialized (
      select number from catalog.import_rows
       where business_id = ${businessId} and import_id = ${importId} and details is null
       order by number
       limit ${SLICE}
    ), left_alone as (
      update catalog.import_items
         set status = 'SKIPPED'
       where business_id = ${businessId} and import_id = ${importId} and number = any (array(select number from slice))
    ), gone as (
      delete from catalog.import_rows
       where business_id = ${businessId} and import_id = ${importId} and number = any (array(select number from slice))
    )
    select count(*) as count from slice`.execute(db)
  return rows[0]?.count ?? 0
}
