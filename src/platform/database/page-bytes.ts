import { type RawBuilder, sql } from 'kysely'

/** A page of stored documents ends early rather than become larger than this, unless its first one is. */
export const MAX_PAGE_BYTES = 4_000_000

/**
 * The document while the running total of sizes fits, else null; the first document in any case. PostgreSQL knows the
 * length of a text without reading it, so documents that are left out are never read.
 */
export const fittingSql = (document: string, order: string) => `
  case when sum(octet_length(${document})) over (order by ${order} rows unbounded preceding)
            <= greatest(octet_length(${document}), ${MAX_PAGE_BYTES})
       then ${document}
   end`

/** How many rows a page shows: at most `limit`, and none from the first whose document did not fit. */
export function countFitting<Row>(rows: Row[], limit: number, documentOf: (row: Row) => unknown): number {
  const cut = rows.findIndex((row) => documentOf(row) === null)
  return cut === -1 ? limit : Math.min(limit, cut)
}

/**
 * The approximate size of a json or jsonb column as text. PostgreSQL knows the size of uncompressed values without
 * reading them, and compresses nothing in rows below 2 kB: for ordinary records this costs next to nothing.
 */
const bytesOf = (column: string) => {
  const name = sql.ref(column)
  return sql`case when pg_column_compression(${name}) is null then coalesce(pg_column_size(${name}), 0) else octet_length(${name}::text) end`
}

const MAX = sql.lit(MAX_PAGE_BYTES)

/** Whether a row of `fittingRows` is on the page. */
export type Fitting = { fits: boolean }
export const isFitting = ({ fits }: Fitting) => fits || null

/**
 * The rows of `page`, already in that order, while the running total of their large columns fits, and one row more if
 * there is one: it shows that there is a next page. No row counts for more than a page, so the first is always on it.
 */
export const fittingRows = <Row>(
  page: RawBuilder<unknown>,
  largeColumns: readonly string[],
  order: RawBuilder<unknown>,
) =>
  sql<Row & Fitting>`
    select *, bytes_so_far <= ${MAX} as fits
      from (select page.*, row_bytes, sum(row_bytes) over (order by ${order} rows unbounded preceding) as bytes_so_far
              from (${page}) as page
             cross join lateral (select least(${MAX}, ${sql.join(largeColumns.map(bytesOf), sql` + `)}) as row_bytes) as weighed) as page
     where bytes_so_far - row_bytes <= ${MAX}
     order by ${order}`
