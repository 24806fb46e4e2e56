import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type NewEvent, record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { findUnstorable, isTooDeep } from '#platform/http/json-body.ts'
import { toKeptDetail } from '#platform/http/uploads.ts'
import { createChecker } from '#platform/http/validation.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { AppError, type Detail } from '#vocabulary/errors.ts'
import { danglingDetail, findDangling, type Resolvers } from '#vocabulary/references.ts'
import { type Import, presentImport } from './imports.ts'
import { mergeProduct, type Product, type StockTarget, setsStock, type Variant } from './product.ts'
import { newReferences, slugFrom } from './products.ts'
import { type LockedProduct, lockProducts, readLocked } from './queries.ts'
import { NewProduct, type NewVariant, ProductChanges } from './schemas.ts'
import { changeStock } from './stock.ts'
import { type Written, writeProducts } from './write-products.ts'

const BATCH_ROWS = 200
const BATCH_BYTES = 1_000_000
const SLUG_ATTEMPTS = 10

export type ImportContext = {
  business: Pick<Business, 'id' | 'markets'>
  importId: string
  resolvers: Resolvers<Db>
  /** Called first in every transaction: refuses when somebody else has taken over. */
  fence?: (tx: Tx) => Promise<void>
}

/** Imports the next rows, all that came of them in one transaction: a crash leaves no product without its row being ticked off. */
export async function importBatch(db: Db, context: ImportContext): Promise<Import | undefined> {
  for (let attempt = 1; ; attempt++) {
    // Somebody took a slug at this very moment. Looking again finds whose it is now; one row at a time, as it may happen again.
    const limit = attempt === 1 ? BATCH_ROWS : 1
    const refuse = attempt > SLUG_ATTEMPTS ? [SLUG_TAKEN] : undefined
    try {
      return await transaction(db, (tx) => importRows(tx, context, limit, refuse))
    } catch (error) {
      if (refuse || violatedConstraint(error) !== 'products_slug_key') throw error
    }
  }
}

const SLUG_TAKEN = { field: 'slug', error: 'SLUG_EXISTS', message: 'Another product got this slug at the same time.' }

type Row = { number: number; line: string; details: Detail[] | null }
type Parsed = Row & { body?: ProductChanges }
type Merged = { written: Written; targets: StockTarget[] }
type Outcome = Merged & { row: Row }

/** Undefined when it is finished already. `refuse`: the row is not tried any more, that is what is wrong with it. */
async function importRows(
  tx: Tx,
  { business, importId, resolvers, fence }: ImportContext,
  limit: number,
  refuse?: Detail[],
): Promise<Import | undefined> {
  await fence?.(tx)
  const running = await lockImport(tx, business.id, importId)
  if (!running) return undefined
  const rows = (await nextRows(tx, business.id, importId, running.position, limit)).map((row) =>
    refuse ? { ...row, details: refuse } : row,
  )
  const { taken, matches } = await match(tx, business.id, rows.map(parse))

  const ids = [...new Set(taken.flatMap(({ number }) => matches.get(number) ?? []))]
  if (ids.length > 0) await lockProducts(tx, business.id, ids)
  const lockStock = taken.some(({ body }) => body && setsStock(body))
  const locked = ids.length > 0 ? await readLocked(tx, business.id, ids, { lockStock }) : []
  const known = new Map(locked.map((found) => [found.product.id, found]))
  const slugs = new Set(locked.map(({ product }) => product.slug))
  const actor = running.actor as Actor | null

  const failed: Row[] = []
  const merged: Outcome[] = []
  for (const row of taken) {
    const result = row.body
      ? tryMerge(row.body, known.get(matches.get(row.number) ?? ''), { business, actor: actor ?? undefined, at: now() })
      : { details: row.details ?? [] }
    if ('details' in result) failed.push({ ...row, details: result.details })
    else merged.push({ ...result, row })
  }
  const outcomes = await withoutDangling(tx, business.id, resolvers, merged, failed)
  await resolveSlugs(tx, business.id, outcomes, slugs)
  await save(tx, business.id, importId, actor ?? undefined, outcomes)
  await tick(tx, business.id, importId, taken, failed)
  const created = outcomes.filter(({ written }) => !written.before).length
  const counts = { created, updated: outcomes.length - created, failed: failed.length, position: taken.at(-1)?.number }
  await fault('import.before-commit')
  return advance(tx, business.id, importId, counts)
}

const lockImport = (tx: Tx, businessId: string, id: string) =>
  tx
    .selectFrom('catalog.imports')
    .select(['position', 'actor'])
    .where((row) => row.and({ businessId, id, status: 'RUNNING' }))
    .forUpdate()
    .executeTakeFirst()

/** Not more than fit into one statement; what is too much stays in the database, lines can be long. */
async function nextRows(tx: Tx, businessId: string, importId: string, position: number, limit: number): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select number, line, details
      from (select number, line, details, sum(octet_length(line)) over (order by number) - octet_length(line) as before
              from (select number, line, details
                      from catalog.import_rows
                     where business_id = ${businessId} and import_id = ${importId} and number > ${position}
                     order by number
                     limit ${limit}) as next) as counted
     where before < ${BATCH_BYTES}
     order by number`.execute(tx)
  return rows
}

const check = createChecker(ProductChanges)

/** The line as the body of a request would be read. */
function parse(row: Row): Parsed {
  if (row.details) return row
  const refuse = (message: string): Parsed => ({ ...row, details: [{ field: '', error: 'INVALID', message }] })
  if (isTooDeep(row.line)) return refuse('The line is nested too deeply.')
  let body: unknown
  try {
    body = JSON.parse(row.line)
  } catch (error) {
    return refuse(`The line is not valid JSON: ${(error as Error).message}.`)
  }
  const unstorable = findUnstorable(body, '')
  if (unstorable !== undefined) return refuse(`${unstorable || 'The line'} holds a NUL or half a surrogate pair.`)
  const result = check(body)
  return 'details' in result ? { ...row, details: result.details } : { ...row, body: result.value }
}

const skusOf = ({ variants = [] }: ProductChanges) => variants.flatMap(({ sku }) => (sku ? [sku] : []))

/**
 * Which product each row means: that of its slug, or of one of its SKUs, or, when it has neither, that of the slug its name
 * would give. `taken` ends before the second row that means the same product: that one must see what the first has done.
 */
async function match(tx: Tx, businessId: string, rows: readonly Parsed[]) {
  const slugFor = (body: ProductChanges) =>
    body.slug ?? (skusOf(body).length === 0 && body.name ? slugFrom(body.name) : undefined)
  const bodies = rows.flatMap(({ body }) => body ?? [])
  const { bySlug, bySku } = await findMatches(tx, businessId, {
    slugs: bodies.flatMap((body) => slugFor(body) ?? []),
    skus: bodies.flatMap(skusOf),
  })
  const matches = new Map<number, string>()
  const taken: Parsed[] = []
  const seen = new Set<string>()
  for (const row of rows) {
    const body = row.body ?? {}
    const slug = slugFor(body)
    const bySkus = skusOf(body).map((sku) => bySku.get(sku)).find(Boolean) // biome-ignore format: one line
    // Who names a slug means that product, be it new: two products may share a SKU.
    const id = slug === undefined ? bySkus : bySlug.get(slug)
    const keys = [...(id ? [id] : []), ...(slug ? [`slug:${slug}`] : []), ...skusOf(body).map((sku) => `sku:${sku}`)]
    if (keys.some((key) => seen.has(key))) break
    for (const key of keys) seen.add(key)
    if (id) matches.set(row.number, id)
    taken.push(row)
  }
  return { taken, matches }
}

async function findMatches(tx: Tx, businessId: string, { slugs, skus }: { slugs: string[]; skus: string[] }) {
  const { rows } = await sql<{ id: string; slug: string | null; sku: string | null }>`
    select id, slug, null as sku
      from catalog.products
     where business_id = ${businessId} and slug = any (${slugs}) and status <> 'DELETED'
     union all
    select product.id, null, variant.sku
      from catalog.variants as variant
      join catalog.products as product on product.business_id = ${businessId} and product.id = variant.product_id
     where variant.business_id = ${businessId} and variant.sku = any (${skus}) and variant.sku <> ''
       and variant.position is not null and product.status <> 'DELETED'`.execute(tx)
  const of = (key: 'slug' | 'sku') => new Map(rows.flatMap((row) => (row[key] === null ? [] : [[row[key], row.id]])))
  return { bySlug: of('slug'), bySku: of('sku') }
}

const checkNew = createChecker(NewProduct)

function tryMerge(
  body: ProductChanges,
  found: LockedProduct | undefined,
  context: { business: Pick<Business, 'id' | 'markets'>; actor: Actor | undefined; at: Date },
): Merged | { details: Detail[] } {
  if (!found) {
    const complete = checkNew(body)
    if ('details' in complete) return complete
  }
  try {
    const sent = { ...body, ...(body.variants && found ? { variants: adoptIds(body.variants, found.product) } : {}) }
    const { product, targets } = mergeProduct(found?.product, found?.removed ?? [], sent, context)
    return { written: { product, before: found?.product }, targets }
  } catch (error) {
    if (error instanceof AppError) return { details: error.details }
    throw error
  }
}

/** A variant that comes without an id is the one with its SKU, or else its name: importing a file again changes nothing. */
function adoptIds(variants: readonly NewVariant[], { variants: known }: Product): NewVariant[] {
  const free = new Map(known.map((variant) => [variant.id, variant]))
  for (const { id } of variants) if (id !== undefined) free.delete(id)
  const adopt = (variant: NewVariant, isIt: (known: Variant) => boolean): NewVariant => {
    const found = [...free.values()].find(isIt)
    if (!found) return variant
    free.delete(found.id)
    return { ...variant, id: found.id }
  }
  // All SKUs first: a name must not take away the variant that another one's SKU means.
  return variants
    .map((sent) => (sent.id === undefined && sent.sku ? adopt(sent, ({ sku }) => sku === sent.sku) : sent))
    .map((sent) => (sent.id === undefined && !sent.sku ? adopt(sent, ({ name }) => name === (sent.name ?? '')) : sent))
}

/** Rows whose blocks point at something that is not there join the failed ones. */
async function withoutDangling(
  tx: Tx,
  businessId: string,
  resolvers: Resolvers<Db>,
  merged: readonly Outcome[],
  failed: Row[],
): Promise<Outcome[]> {
  const references = merged.flatMap(({ row, written }) =>
    newReferences(written.product, written.before).map((reference) => ({ ...reference, row })),
  )
  if (references.length === 0) return [...merged]
  const dangling = await findDangling(references, resolvers, tx, businessId)
  const byRow = Map.groupBy(dangling, ({ row }) => row)
  for (const [row, wrong] of byRow) failed.push({ ...row, details: wrong.map(danglingDetail) })
  return merged.filter(({ row }) => !byRow.has(row))
}

/** A product without a slug gets one from its name, or, if that is taken, one that nobody can have. */
async function resolveSlugs(tx: Tx, businessId: string, outcomes: Outcome[], known: Set<string>): Promise<void> {
  const nameless = outcomes.filter(({ written }) => written.product.slug === '')
  const { bySlug } = await findMatches(tx, businessId, { slugs: nameless.map(({ written }) => slugFrom(written.product.name)), skus: [] }) // biome-ignore format: one line
  const taken = new Set([...known, ...bySlug.keys(), ...outcomes.map(({ written }) => written.product.slug)])
  for (const { written } of nameless) {
    const slug = slugFrom(written.product.name)
    written.product = { ...written.product, slug: taken.has(slug) ? `${slug}-${written.product.id.slice(-6)}` : slug }
    taken.add(written.product.slug)
  }
}

async function save(tx: Tx, businessId: string, importId: string, actor: Actor | undefined, outcomes: Outcome[]) {
  if (outcomes.length === 0) return
  await writeProducts(tx, businessId, outcomes.map(({ written }) => written)) // biome-ignore format: one line
  const changes = outcomes.flatMap(({ written, targets }) =>
    targets.map(({ variantId, quantity }) => ({
      productId: written.product.id,
      variantId,
      quantity,
      reference: importId,
    })),
  )
  await changeStock(tx, businessId, changes, { kind: 'IMPORT', userId: actor?.userId })
  await record(tx, ...outcomes.map(({ written }) => toEvent(written.product, written.before, importId, actor)))
}

const toEvent = (
  product: Product,
  before: Product | undefined,
  importId: string,
  actor: Actor | undefined,
): NewEvent => ({
  businessId: product.businessId,
  type: before ? 'product.updated' : 'product.created',
  subject: product.id,
  actor,
  data: { importId },
})

/** What was imported is forgotten, what failed is kept with its errors. */
async function tick(tx: Tx, businessId: string, importId: string, taken: readonly Row[], failed: readonly Row[]) {
  const [first, last] = [taken[0]?.number ?? 0, taken.at(-1)?.number ?? 0]
  const wrong = JSON.stringify(failed.map(({ number, details }) => ({ number, details: details?.map(toKeptDetail) })))
  await sql`
    with done as (
      delete from catalog.import_rows
       where business_id = ${businessId} and import_id = ${importId} and number between ${first} and ${last}
         and number <> all (${failed.map(({ number }) => number)}::integer[])
    )
    update catalog.import_rows
       set details = failed.details
      from json_to_recordset(${wrong}) as failed (number integer, details jsonb)
     where business_id = ${businessId} and import_id = ${importId} and import_rows.number = failed.number`.execute(tx)
}

type Counts = { created: number; updated: number; failed: number; position: number | undefined }

async function advance(tx: Tx, businessId: string, id: string, { created, updated, failed, position }: Counts) {
  const isDone = position === undefined // there was no row left
  const row = await tx
    .updateTable('catalog.imports')
    .set((old) => ({
      created: old('created', '+', created),
      updated: old('updated', '+', updated),
      failed: old('failed', '+', failed),
      updatedAt: now(),
      ...(isDone ? { status: 'DONE', finishedAt: now() } : { position }),
    }))
    .where((known) => known.and({ businessId, id }))
    .returningAll()
    .executeTakeFirstOrThrow()
  if (isDone) {
    const data = { created: row.created, updated: row.updated, failed: row.failed }
    await record(tx, { businessId, type: 'import.finished', subject: id, data })
  }
  return presentImport(row)
}
