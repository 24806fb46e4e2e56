import type { Db } from '#platform/database/database.ts'
import type { Answer, Client } from './client.ts'
import { until } from './until.ts'

export const NDJSON = 'application/x-ndjson'
export const CSV = 'text/csv'

export type ImportAnswer = {
  id: string
  status: string
  total: number
  done: number
  created: number
  updated: number
  unchanged: number
  skipped: number
  failed: number
  undone: number
  kept: number
  unknownColumns: { name: string; suggestions: string[] }[]
  warnings: { code: string; count: number }[]
  createdAt: number
  finishedAt: number | null
}
export type ImportProblem = {
  number: number
  line: string
  details: { field: string; error: string; message: string }[]
}

type Shop = { admin: Client; products: string }

export const toLines = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

/** Sends a file, as somebody would upload it. */
export const uploadFile = ({ admin, products }: Shop, text: string, type = NDJSON, query = ''): Promise<Answer> =>
  admin.send('POST', `${products}/imports${query}`, { raw: text, headers: { 'content-type': type } })

/** Answers once a worker has finished it: its dry run (`READY`), itself, or its undo (`UNDONE`). */
export async function finishImport(
  { admin, products }: Shop,
  id: string,
  wanted: 'READY' | 'DONE' | 'UNDONE' = 'DONE',
): Promise<ImportAnswer> {
  return until(`import ${id} is ${wanted}`, async () => {
    const { status, text, body } = await admin.get(`${products}/imports/${id}`)
    if (status !== 200) throw new Error(text)
    return body.status === wanted ? (body as ImportAnswer) : undefined
  })
}

/** Uploads a file for a dry run, and waits for its report. */
export async function dryRun(shop: Shop, text: string, type = NDJSON, query = ''): Promise<ImportAnswer> {
  const made = await uploadFile(shop, text, type, `?dryRun=true${query}`)
  if (made.status !== 201) throw new Error(made.text)
  return finishImport(shop, made.body.id as string, 'READY')
}

/** Steers an import, and waits until the worker is done with it. */
export async function steerImport(shop: Shop, id: string, verb: 'apply' | 'undo'): Promise<ImportAnswer> {
  const answer = await shop.admin.post(`${shop.products}/imports/${id}/${verb}`, {})
  if (answer.status !== 202) throw new Error(answer.text)
  return finishImport(shop, id, verb === 'apply' ? 'DONE' : 'UNDONE')
}

export type ReportedLine = {
  number: number
  status: string
  productId: string | null
  name: string | null
  changes: {
    field: string
    variantId: string | null
    sku: string | null
    marketId: string | null
    before: unknown
    after: unknown
  }[]
  warnings: string[]
  details: { field: string; error: string; message: string }[]
}

/** All lines of a report, page by page. */
export async function importLines({ admin, products }: Shop, id: string, query = ''): Promise<ReportedLine[]> {
  const lines: ReportedLine[] = []
  for (let cursor = ''; ; ) {
    const { status, text, body } = await admin.get(`${products}/imports/${id}/lines?limit=100${query}${cursor}`)
    if (status !== 200) throw new Error(text)
    lines.push(...body.items)
    if (!body.cursor) return lines
    cursor = `&cursor=${body.cursor}`
  }
}

/** A change as a person would write it down: `price us S-1: 100 → 200`. */
export const changeText = ({ field, sku, marketId, before, after }: ReportedLine['changes'][number]) =>
  `${[field, marketId, sku].filter(Boolean).join(' ')}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`

/** Uploads, waits for the worker, and answers what came of it. */
export async function importFile(shop: Shop, text: string, type = NDJSON): Promise<ImportAnswer> {
  const made = await uploadFile(shop, text, type)
  if (made.status !== 201) throw new Error(made.text)
  return finishImport(shop, made.body.id as string)
}

export async function importErrors({ admin, products }: Shop, id: string): Promise<ImportProblem[]> {
  const { status, text, body } = await admin.get(`${products}/imports/${id}/errors?limit=100`)
  if (status !== 200) throw new Error(text)
  return body.items
}

/** `created/updated/failed of total`. */
export const countsOf = ({ created, updated, failed, total }: ImportAnswer) =>
  `${created}/${updated}/${failed} of ${total}`

export const rowsLeft = async (db: Db, businessId: string) => {
  const rows = await db.selectFrom('catalog.importRows').select('number').where('businessId', '=', businessId).execute()
  const imports = await db.selectFrom('catalog.imports').select('id').where('businessId', '=', businessId).execute()
  return { rows: rows.length, imports: imports.length }
}

export const movementsOf = (db: Db, businessId: string) =>
  db
    .selectFrom('catalog.stockMovements')
    .selectAll()
    .where('businessId', '=', businessId)
    .orderBy('productId')
    .orderBy('variantId')
    .orderBy('number')
    .execute()

export const eventsOf = (db: Db, businessId: string, ...types: string[]) =>
  db
    .selectFrom('cell.eventOutbox')
    .select(['type', 'subject', 'actorId', 'actorKind', 'data'])
    .where('businessId', '=', businessId)
    .where('type', 'in', types)
    .orderBy('position')
    .execute()

/** What was logged as our fault. */
export const faultsIn = (lines: readonly string[]) =>
  lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)
