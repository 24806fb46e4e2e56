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
