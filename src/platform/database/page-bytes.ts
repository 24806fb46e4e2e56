import { type RawBuilder, sql } from 'kysely'

/** A page of stored documents ends early rather than become larger than this, unless its first one is. */
export const MAX_PAGE_BYTES = 4_000_000

/**
 * A document as long as it and those before it in that order are not too large together, then null. PostgreSQL knows how long a
 * text is without reading it: of what is left out nothing is read but the row.
 */
export const fittingSql = (document: string, order: string) => `
  case when row_number() over (order by ${order}) = 1
         or sum(octet_length(${document})) over (order by ${order}) <= ${MAX_PAGE_BYTES}
       then ${document}
   end`

/** How many rows a page shows: `limit` at most, and none from the first one on whose document did not fit. */
export function countFitting<Row>(rows: Row[], limit: number, documentOf: (row: Row) => unknown): number {
  const cut = rows.findIndex((row) => documentOf(row) === null)
  return cut === -1 ? limit : Math.min(limit, cut)
}

/**
 * How many bytes a json or jsonb column takes as text, more or less. PostgreSQL knows the size of what it has not compressed without
 * reading it, and it compresses nothing in rows below 2 kB: for ordinary records this costs next to nothing.
 */
const bytesOf = (column: string) => {
  const name = sql.ref(column)
  return sql`case when pg_column_compression(${name}) is null then coalesce(pg_column_size(${name}), 0) else octet_length(${name}::text) end`
}

/** Whether a row of `fittingRows` is on the page. */
export type Fitting = { fits: boolean }
export const isFitting = ({ fits }: Fitting) => fits || null

/**
 * The rows of `page`, in an order that it has already, as long as their large columns are not too large together, and one row more
 * if there is one: it says that there is a next page.
 */
export const fittingRows = <Row>(
  page: RawBuilder<unknown>,
  largeColumns: readonly string[],
  order: RawBuilder<unknown>,
) =>
  sql<Row & Fitting>`
    select *, place = 1 or bytes_before + bytes <= ${sql.lit(MAX_PAGE_BYTES)} as fits
      from (select *, row_number() over (order by ${order}) as place,
                   sum(bytes) over (order by ${order}) - bytes as bytes_before
              from (select *, ${sql.join(largeColumns.map(bytesOf), sql` + `)} as bytes from (${page}) as page) as weighed) as counted
     where place <= 2 or bytes_before <= ${sql.lit(MAX_PAGE_BYTES)}
     order by ${order}`
