import { findBusiness } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import type { NewEvent } from '#platform/events/define.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { createChecker } from '#platform/http/validation.ts'
import { defineImport } from '#platform/transfer/define-import.ts'
import type { FailedLine, Line, Running, Written } from '#platform/transfer/kind.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { AppError, type Detail } from '#vocabulary/errors.ts'
import { danglingDetail, findDangling, type Resolvers } from '#vocabulary/references.ts'
import { holdCategories, newCategories } from '../categories/hold-categories.ts'
import { slugTaken } from '../errors.ts'
import { importFinished, productCreated, productUpdated } from '../events.ts'
import { isSlugTaken, newReferences, slugFrom } from '../products/change-product.ts'
import { type LockedProduct, lockProducts, readLocked } from '../products/lock-products.ts'
import { mergeProduct, type StockTarget, setsStock } from '../products/merge-product.ts'
import { isPlanned } from '../products/prices.ts'
import type { Product, Variant } from '../products/product.ts'
import { fillLocked } from '../products/rebuild.ts'
import { catalogResolvers } from '../products/resolvers.ts'
import { type WrittenProduct, writeProducts } from '../products/write-products.ts'
import { NewProduct, type NewVariant, ProductChanges } from '../schemas.ts'
import { changeStock } from '../stock/change-stock.ts'
import { readProductCsv } from './csv.ts'
import { findMatches, matchLines } from './match-lines.ts'

type Context = { business: Pick<Business, 'id' | 'markets'>; resolvers: Resolvers<Db> }

export const productImport = defineImport({
  name: 'catalog.import-products',
  tables: { imports: 'catalog.imports', rows: 'catalog.importRows' },
  title: 'Import',
  total: 'Products in the file.',
  counters: { created: 'New products.', updated: 'Products that were there already.' },
  schema: ProductChanges,
  readCsv: (file, { markets }) => readProductCsv(file, markets),
  maxLineBytes: 2 * 1024 * 1024,
  batchRows: 200,
  async prepare(control, businessId): Promise<Context | undefined> {
    const business = await findBusiness(control, businessId)
    return business && { business, resolvers: catalogResolvers(control) }
  },
  writeRows,
  findConflict: (error) => (isSlugTaken(error) ? slugTaken() : undefined),
  finished: importFinished,
  tidy: { name: 'catalog.tidy-imports', cron: '52 * * * *' },
})

type Merged = { written: WrittenProduct; targets: StockTarget[] }
type Outcome = Merged & { line: Line<ProductChanges> }

async function writeRows(
  tx: Tx,
  lines: Line<ProductChanges>[],
  { importId, actor, context: { business, resolvers } }: Running<Context>,
): Promise<Written<'created' | 'updated'>> {
  const { taken, matches, leftFrom } = await matchLines(tx, business.id, lines)
  const ids = [...new Set(matches.values())]
  if (ids.length > 0) await lockProducts(tx, business.id, ids)
  const lockStock = taken.some(({ sent }) => setsStock(sent))
  const locked = ids.length > 0 ? await readLocked(tx, business.id, ids, { lockStock }) : []
  await fillLocked(tx, business.id, locked)
  const known = new Map(locked.map((found) => [found.product.id, found]))
  const slugs = new Set(locked.map(({ product }) => product.slug))

  const failed: FailedLine[] = []
  const merged: Outcome[] = []
  for (const line of taken) {
    const found = known.get(matches.get(line.number) ?? '')
    const result = tryMerge(line.sent, found, { business, actor, at: now() })
    if ('details' in result) failed.push({ number: line.number, details: result.details })
    else merged.push({ ...result, line })
  }
  const outcomes = await withoutDangling(tx, business.id, resolvers, merged, failed)
  await resolveSlugs(tx, business.id, outcomes, slugs)
  await save(tx, business.id, importId, actor, outcomes)
  await fault('import.before-commit')
  const created = outcomes.filter(({ written }) => !written.before).length
  return { counts: { created, updated: outcomes.length - created }, failed, leftFrom }
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
    const sent = {
      ...body,
      ...(body.variants && found
        ? { variants: keepPlanned(adoptIds(body.variants, found.product), found.product) }
        : {}),
    }
    const { product, targets } = mergeProduct(found?.product, found?.removed ?? [], sent, context)
    return { written: { product, before: found?.product, targets }, targets }
  } catch (error) {
    if (error instanceof AppError) return { details: error.details }
    throw error
  }
}

/**
 * A variant without an id matches an existing one by SKU, then by name, so that importing a file twice changes nothing.
 */
function adoptIds(variants: readonly NewVariant[], { variants: known }: Product): NewVariant[] {
  const free = new Map(known.map((variant) => [variant.id, variant]))
  for (const { id } of variants) if (id !== undefined) free.delete(id)
  const adopt = (variant: NewVariant, isIt: (known: Variant) => boolean): NewVariant => {
    const found = [...free.values()].find(isIt)
    if (!found) return variant
    free.delete(found.id)
    return { ...variant, id: found.id }
  }
  // SKUs are matched before names: a name must not claim a variant that another row's SKU identifies.
  return variants
    .map((sent) => (sent.id === undefined && sent.sku ? adopt(sent, ({ sku }) => sku === sent.sku) : sent))
    .map((sent) => (sent.id === undefined && !sent.sku ? adopt(sent, ({ name }) => name === (sent.name ?? '')) : sent))
}

/** A table of plain prices says nothing of planned ones: they stay. */
function keepPlanned(variants: readonly NewVariant[], { variants: known }: Product): NewVariant[] {
  const planned = new Map(known.map(({ id, prices }) => [id, prices.filter(isPlanned)]))
  return variants.map((variant) => {
    const kept = planned.get(variant.id ?? '') ?? []
    const markets = variant.pricing?.markets
    if (kept.length === 0 || !markets || markets.some(isTerm)) return variant
    return { ...variant, pricing: { markets: [...markets, ...kept] } }
  })
}

const isTerm = ({ validFrom, validTo }: { validFrom?: unknown; validTo?: unknown }) =>
  typeof validFrom === 'number' || typeof validTo === 'number'

/** Moves lines whose blocks reference something missing to the failed ones. */
async function withoutDangling(
  tx: Tx,
  businessId: string,
  resolvers: Resolvers<Db>,
  merged: readonly Outcome[],
  failed: FailedLine[],
): Promise<Outcome[]> {
  const references = merged.flatMap(({ line, written }) =>
    newReferences(written.product, written.before).map((reference) => ({ ...reference, line })),
  )
  if (references.length === 0) return [...merged]
  const dangling = await findDangling(references, resolvers, tx, businessId)
  const byLine = Map.groupBy(dangling, ({ line }) => line)
  for (const [{ number }, wrong] of byLine) failed.push({ number, details: wrong.map(danglingDetail) })
  return merged.filter(({ line }) => !byLine.has(line))
}

/** A product without a slug gets one from its name; if that is taken, a unique one. */
async function resolveSlugs(tx: Tx, businessId: string, outcomes: Outcome[], known: Set<string>): Promise<void> {
  const nameless = outcomes.filter(({ written }) => written.product.slug === '')
  const { bySlug } = await findMatches(tx, businessId, {
    slugs: nameless.map(({ written }) => slugFrom(written.product.name)),
    skus: [],
  })
  const taken = new Set([...known, ...bySlug.keys(), ...outcomes.map(({ written }) => written.product.slug)])
  for (const { written } of nameless) {
    const slug = slugFrom(written.product.name)
    written.product = { ...written.product, slug: taken.has(slug) ? `${slug}-${written.product.id.slice(-6)}` : slug }
    taken.add(written.product.slug)
  }
}

async function save(tx: Tx, businessId: string, importId: string, actor: Actor | undefined, outcomes: Outcome[]) {
  if (outcomes.length === 0) return
  const written = outcomes.map((outcome) => outcome.written)
  await holdCategories(tx, businessId, newCategories(written))
  await writeProducts(tx, businessId, written)
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
): NewEvent => {
  const event = before ? productUpdated : productCreated
  return event({ businessId: product.businessId, subject: product.id, actor, data: { importId } })
}
