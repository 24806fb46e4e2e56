import type { Db } from '#platform/database/database.ts'
import { fetchRows } from '#platform/database/hot.ts'
import type { Business } from '#vocabulary/business.ts'
import { csvHeader, toCsv } from './csv.ts'
import { fillStock } from './document.ts'
import type { ImportFormat } from './import-file.ts'
import { EXPORT } from './queries.ts'
import type { Product } from './schemas.ts'

const BATCH = 200

/** All products, oldest first, as the import reads them: some hundreds at a time, so neither side ever holds them all. */
export async function* exportProducts(db: Db, business: Business, format: ImportFormat): AsyncGenerator<string> {
  if (format === 'csv') yield `${csvHeader(business.markets)}\n`
  for (let last = ''; ; ) {
    const rows = await fetchRows<[document: string, quantities: string | null, id: string]>(db, EXPORT, [
      business.id,
      last,
      BATCH,
    ])
    const texts = rows.map(([document, quantities]) => fillStock(document, quantities))
    if (format === 'csv') yield texts.map((text) => toCsv(JSON.parse(text) as Product, business.markets)).join('')
    else yield texts.map((text) => `${text}\n`).join('')
    if (rows.length < BATCH) return
    last = rows.at(-1)?.[2] ?? ''
  }
}
