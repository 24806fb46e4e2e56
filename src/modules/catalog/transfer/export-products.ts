import type { Cell } from '#platform/database/database.ts'
import { countFitting } from '#platform/database/page-bytes.ts'
import { fetchRows } from '#platform/database/prepared.ts'
import { writeFile } from '#platform/transfer/csv.ts'
import type { FileFormat } from '#platform/transfer/file.ts'
import type { Business } from '#vocabulary/business.ts'
import { toAnswer } from '../products/document.ts'
import { EXPORT, type ListRow } from '../products/queries.ts'
import type { Product } from '../schemas.ts'
import { csvColumns, toCsvRows } from './csv.ts'

const BATCH = 200

/** All products, oldest first, as the import reads them. */
export const exportProducts = (db: Cell, { id, markets }: Business, format: FileFormat): AsyncGenerator<string> =>
  writeFile(readPages(db, id), format, {
    columns: csvColumns(markets),
    toRows: (text) => toCsvRows(JSON.parse(text) as Product, markets),
    toLine: (text) => text,
  })

async function* readPages(db: Cell, businessId: string): AsyncGenerator<string[]> {
  for (let last = ''; ; ) {
    const rows = await fetchRows<ListRow>(db, EXPORT, [businessId, last, BATCH])
    const shown = countFitting(rows, BATCH, ([document]) => document)
    const fitting = rows.slice(0, shown)
    yield fitting.map(([document, quantities]) => toAnswer(document ?? '', quantities, true))
    if (fitting.length === rows.length && rows.length < BATCH) return
    last = fitting.at(-1)?.[2] ?? ''
  }
}
