import type { Db } from '#platform/database/database.ts'
import { fetchRows } from '#platform/database/hot.ts'
import { countFitting } from '#platform/database/page-bytes.ts'
import type { Business } from '#vocabulary/business.ts'
import { csvHeader, toCsv } from './csv.ts'
import { toAnswer } from './document.ts'
import type { ImportFormat } from './import-file.ts'
import { EXPORT, type ListRow } from './queries.ts'
import type { Product } from './schemas.ts'

const BATCH = 200

/** All products, oldest first, as the import reads them: some hundreds at a time, so neither side ever holds them all. */
export async function* exportProducts(db: Db, business: Business, format: ImportFormat): AsyncGenerator<string> {
  if (format === 'csv') yield csvHeader(business.markets)
  for (let last = ''; ; ) {
    const rows = await fetchRows<ListRow>(db, EXPORT, [business.id, last, BATCH])
    const fitting = rows.slice(
      0,
      countFitting(rows, BATCH, ([document]) => document),
    )
    const texts = fitting.map(([document, quantities]) => toAnswer(document ?? '', quantities, true))
    if (format === 'csv') yield texts.map((text) => toCsv(JSON.parse(text) as Product, business.markets)).join('')
    else yield texts.map((text) => `${text}\n`).join('')
    if (fitting.length === rows.length && rows.length < BATCH) return
    last = fitting.at(-1)?.[2] ?? ''
  }
}
