import { onServer } from '../support/database.ts'

type Row = Record<string, unknown>
export type Change = {
  table: string
  kind: 'inserted' | 'updated' | 'deleted'
  /** Those that are different; of a new row all. */
  columns: string[]
  row: Row
}
/** Every row of every table by its key. */
export type Snapshot = Map<string, { table: string; row: Row; text: string }>

// Bookkeeping of the libraries, and what signing keys, pools, job queue and counted requests of a process do by themselves.
const SKIPPED =
  /^(graphile_worker\.|\w+\.migrations$|accounts\.signing_keys$|cell\.(workers|usage)$|control\.processes$)/

async function readAll(url: string): Promise<Snapshot> {
  return onServer(async (client) => {
    const { rows: tables } = await client.query<{ name: string; key: string[] }>(`
      select c.oid::regclass::text as name,
             coalesce((select array_agg(a.attname::text order by a.attnum) from pg_index i
                         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
                        where i.indrelid = c.oid and i.indisprimary), '{}') as key
        from pg_class c
       where c.relkind = 'r' and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')`)
    const read = tables.filter(({ name }) => !SKIPPED.test(name))
    const keys = new Map(read.map(({ name, key }) => [name, key]))
    const parts = read.map(({ name }) => `select '${name}' as name, to_jsonb(t) as row from ${name} t`)
    const { rows } = await client.query<{ name: string; row: Row }>(parts.join(' union all '))
    return new Map(
      rows.map(({ name, row }) => {
        const key = (keys.get(name) ?? []).map((column) => row[column])
        return [JSON.stringify([url, name, ...key]), { table: name, row, text: JSON.stringify(row) }]
      }),
    )
  }, url)
}

export async function snapshot(urls: readonly string[]): Promise<Snapshot> {
  const all = await Promise.all(urls.map(readAll))
  return new Map(all.flatMap((one) => [...one]))
}

export function changesBetween(before: Snapshot, after: Snapshot): Change[] {
  const found: Change[] = []
  for (const [key, { table, row, text }] of after) {
    const old = before.get(key)
    if (!old) found.push({ table, kind: 'inserted', columns: Object.keys(row), row })
    else if (old.text !== text) {
      const columns = Object.keys(row).filter((name) => JSON.stringify(row[name]) !== JSON.stringify(old.row[name]))
      found.push({ table, kind: 'updated', columns, row })
    }
  }
  for (const [key, { table, row }] of before) {
    if (!after.has(key)) found.push({ table, kind: 'deleted', columns: [], row })
  }
  return found
}
