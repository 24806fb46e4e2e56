import { type Kysely, sql } from 'kysely'
import type { Databases } from '#platform/database/database.ts'
import { describeTables, readAllRows } from '#platform/portable/rows.ts'
import { isCopied } from '#platform/portable/tables.ts'
import { cellTables, controlTables } from '../../src/apps/portable/tables.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- of control and of cells
type AnyDb = Kysely<any>

/** Every row of a business that an archive holds, by table, as it would be written there. */
export async function readBusiness(databases: Databases, businessId: string): Promise<Map<string, string[]>> {
  const { cell } = await databases.control
    .selectFrom('access.businesses')
    .select('cell')
    .where('id', '=', businessId)
    .executeTakeFirstOrThrow()
  const found = new Map<string, string[]>()
  const read = async (db: AnyDb, tables: typeof cellTables) => {
    for (const table of await describeTables(db, tables.filter(isCopied))) {
      const lines: string[] = []
      for await (const batch of readAllRows(db, table, businessId)) lines.push(...batch.lines)
      found.set(table.table, lines)
    }
  }
  await read(databases.control, controlTables)
  await read(databases.cells.get(cell) as AnyDb, cellTables)
  return found
}

/** Where any of these words stands in any row of any table, jobs among them: `schema.table: the row`. */
export async function findWords(db: AnyDb, words: readonly string[]): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select oid::regclass::text as name from pg_class
     where relkind = 'r' and relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
     order by 1`.execute(db)
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`
      select one::text as text from ${sql.raw(name)} as one where one::text ilike any (${words.map((word) => `%${word}%`)}::text[])`.execute(
      db,
    )
    found.push(...rows.map(({ text }) => `${name}: ${text}`))
  }
  return found
}
