import { sql } from 'kysely'
import { findBusiness } from '#modules/access/index.ts'
import { createHoldLoaded, createHoldMedia, type HoldLoaded, type HoldMedia, knownMedia } from '#modules/media/index.ts'
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
import { type KnownMedia, storedMedia } from '#vocabulary/media.ts'
import { danglingDetail, findDangling, type Resolvers } from '#vocabulary/references.ts'
import { findMissing, holdCategories, newCategories } from '../categories/hold-categories.ts'
import { categoryUnknown, slugTaken } from '../errors.ts'
import { importFinished, productCreated, productUpdated } from '../events.ts'
import { isSlugTaken, newReferences, slugFrom } from '../products/change-product.ts'
import { type LockedProduct, lockProducts, readLocked } from '../products/lock-products.ts'
import { mergeProduct, type StockTarget, setsStock } from '../products/merge-product.ts'
import { isPlanned } from '../products/prices.ts'
import type { MarketPrice, Product, Variant } from '../products/product.ts'
import { itemsOf, sentMediaIds } from '../products/product-media.ts'
import { catalogResolvers } from '../products/resolvers.ts'
import { newSlugs, type WrittenProduct, writeProducts } from '../products/write-products.ts'
import { NewProduct, type NewVariant, ProductChanges } from '../schemas.ts'
import { changeStock } from '../stock/change-stock.ts'
import { readProductCsv } from './csv.ts'
import { agreedTargets, changesOf, type Seen, toItem, withoutMoved } from './import-items.ts'
import { findMatches, matchLines } from './match-lines.ts'
import { notePictures, sentAddresses } from './pictures.ts'
import { claimedSlugs, refusesRepeated, withoutRepeated } from './repeated-lines.ts'

type Context = {
  business: Pick<Business, 'id' | 'markets'>
  resolvers: Resolvers<Db>
  media: HoldMedia
  loaded: HoldLoaded
}

export const productImport = defineImport({
  name: 'catalog.import-products',
  tables: {
    imports: 'catalog.imports',
    rows: 'catalog.importRows',
    items: 'catalog.importItems',
    further: ['catalog.importPictures', 'catalog.importKeys'],
  },
  title: 'Import',
  total: 'Products in the file.',
  counters: {
    created: 'New products.',
    updated: 'Products that were there and are changed.',
    unchanged: 'Products that are already as the file has them: they are not written.',
    skipped: 'Left alone: somebody changed them after the dry run, or the import was stopped.',
  },
  schema: ProductChanges,
  readCsv: (file, { markets }, onUnknown) => readProductCsv(file, markets, onUnknown),
  maxLineBytes: 2 * 1024 * 1024,
  batchRows: 200,
  async prepare(control, businessId, storage): Promise<Context | undefined> {
    const business = await findBusiness(control, businessId)
    const media = createHoldMedia(storage?.publicUrl)
    const loaded = createHoldLoaded(storage?.publicUrl)
    return business && { business, resolvers: catalogResolvers(control), media, loaded }
  },
  writeRows,
  findConflict: (error) => (isSlugTaken(error) ? slugTaken() : undefined),
  finished: importFinished,
  tidy: { name: 'catalog.tidy-imports', cron: '52 * * * *' },
})

type Counter = 'created' | 'updated' | 'unchanged' | 'skipped'
type Merged = { written: WrittenProduct; targets: StockTarget[] }
type Outcome = Merged & { line: Line<ProductChanges>; found: LockedProduct | undefined }

/** What columns say of an import beside its counters. */
type About = { marketId?: string | null; format?: string | null; isUndoable?: boolean; fetchesPictures?: boolean }

async function writeRows(tx: Tx, lines: Line<ProductChanges>[], running: Running<Context>): Promise<Written<Counter>> {
  const { actor, isDryRun } = running
  const { marketId, format, isUndoable = false, fetchesPictures = false } = running.row as About
  const { business, resolvers, media, loaded } = running.context
  const { taken, matches, leftFrom } = await matchLines(tx, business.id, lines)
  const locked = await lockMatches(tx, business.id, [...new Set(matches.values())], {
    lockStock: !isDryRun && taken.some(({ sent }) => setsStock(sent)),
  })
  const known = new Map(locked.map((found) => [found.product.id, found]))
  const slugs = new Set(locked.map(({ product }) => product.slug))

  const candidates = taken.map((line) => ({ line, found: known.get(matches.get(line.number) ?? '') }))
  const { agreed, skipped, seen } = await withoutMoved(tx, running, candidates)
  const named = await knownMedia(tx, business.id, media, {
    sent: agreed.flatMap(({ line }) => sentMediaIds(line.sent)),
    stored: [],
  })
  const addresses = fetchesPictures ? agreed.flatMap(({ line }) => sentAddresses(line.sent)) : []
  const files = new Map([...named, ...(await loaded(tx, business.id, addresses))])
  const failed: FailedLine[] = []
  const merged: Outcome[] = []
  for (const { line, found } of agreed) {
    const result = tryMerge(line.sent, found, { business, actor, at: now(), marketId, files })
    if ('details' in result) failed.push({ number: line.number, details: result.details })
    else {
      const targets = agreedTargets(result.targets, found, seen.get(line.number))
      merged.push({ written: { ...result.written, targets }, targets, line, found })
    }
  }
  const pointing = await withoutDangling(tx, business.id, resolvers, merged, failed)
  // Only a dry run lets people correct the line. A plain import takes any category, as the API does.
  const checksCategories = format === 'csv' && (isDryRun || running.isAgreed)
  const sound = checksCategories ? await withoutUnknownCategory(tx, business.id, pointing, failed) : pointing
  await resolveSlugs(tx, running, sound, { known: slugs, seen })
  const free = isDryRun ? await withoutTaken(tx, business.id, sound, failed) : sound
  const outcomes = await withoutRepeated(tx, running, free, othersOf(running, taken, free), failed)
  const reported = outcomes.map((outcome) => ({ ...outcome, changes: changesOf(outcome) }))
  const changed = reported.filter(({ changes }) => changes.length > 0)
  if (!isDryRun) await save(tx, running, changed)
  // Also those of products that are as the file has them: the pictures may have failed the last time.
  if (!isDryRun && fetchesPictures) await notePictures(tx, running, reported)
  await fault('import.before-commit')

  const items = reported.map((outcome) => toItem(outcome, { isDryRun, isUndoable }))
  const count = (status: string) => items.filter((item) => item.status === status).length
  const counts = {
    created: count('CREATED'),
    updated: count('CHANGED'),
    unchanged: count('UNCHANGED'),
    skipped: skipped.length,
  }
  return { counts, failed, leftFrom, items: [...items, ...skipped] }
}

async function lockMatches(tx: Tx, businessId: string, ids: string[], { lockStock }: { lockStock: boolean }) {
  if (ids.length === 0) return []
  await lockProducts(tx, businessId, ids)
  return readLocked(tx, businessId, ids, { lockStock })
}

const checkNew = createChecker(NewProduct)

type Merging = {
  business: Pick<Business, 'id' | 'markets'>
  actor: Actor | undefined
  at: Date
  /** The only market whose prices the file has. */
  marketId: string | null | undefined
  /** The files that the lines name. */
  files: KnownMedia
}

function tryMerge(
  body: ProductChanges,
  found: LockedProduct | undefined,
  { marketId, files, ...context }: Merging,
): Merged | { details: Detail[] } {
  if (!found) {
    const complete = checkNew(body)
    if ('details' in complete) return complete
  }
  // What a product shows already stays as it has it, also if the file names an address only.
  const known = new Map([...files, ...storedMedia(itemsOf(found?.product, found?.removed))])
  try {
    const sent = {
      ...body,
      ...(body.variants && found
        ? { variants: keepPrices(adoptIds(body.variants, found.product), found.product, marketId) }
        : {}),
    }
    const { product, targets } = mergeProduct(found?.product, found?.removed ?? [], sent, { ...context, known })
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

/** A table of plain prices says nothing of planned ones, and the file of another system nothing of other markets: they stay. */
function keepPrices(
  variants: readonly NewVariant[],
  { variants: known }: Product,
  marketId: string | null | undefined,
): NewVariant[] {
  const prices = new Map(known.map((variant) => [variant.id, variant.prices]))
  return variants.map((variant) => {
    const markets = variant.pricing?.markets
    if (!markets) return variant
    const isOther = (price: MarketPrice) => typeof marketId === 'string' && price.marketId !== marketId
    const saysPlans = markets.some(isTerm)
    const kept = (prices.get(variant.id ?? '') ?? []).filter(
      (price) => isOther(price) || (isPlanned(price) && !saysPlans),
    )
    return kept.length > 0 ? { ...variant, pricing: { markets: [...markets, ...kept] } } : variant
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

/** Gives a product without a slug one made from its name, unique if that is taken; after a dry run, the one that the dry run shows. */
async function resolveSlugs(
  tx: Tx,
  running: Running<Context>,
  outcomes: Outcome[],
  { known, seen }: { known: ReadonlySet<string>; seen: ReadonlyMap<number, Seen> },
): Promise<void> {
  const nameless = outcomes.filter(({ written }) => written.product.slug === '')
  const slugs = nameless.map(({ written }) => slugFrom(written.product.name))
  const { bySlug } = await findMatches(tx, running.businessId, { slugs, skus: [] })
  const claimed = refusesRepeated(running) && slugs.length > 0 ? await claimedSlugs(tx, running, slugs) : []
  const taken = new Set([
    ...known,
    ...bySlug.keys(),
    ...claimed,
    ...outcomes.map(({ written }) => written.product.slug),
  ])
  for (const { line, written } of nameless) {
    const own = slugFrom(written.product.name)
    const slug = seen.get(line.number)?.slug ?? (taken.has(own) ? `${own}-${written.product.id.slice(-6)}` : own)
    written.product = { ...written.product, slug }
    taken.add(slug)
  }
}

/** Moves lines whose category does not exist to the failed ones. A product may keep a deleted category. */
async function withoutUnknownCategory(
  tx: Tx,
  businessId: string,
  outcomes: readonly Outcome[],
  failed: FailedLine[],
): Promise<Outcome[]> {
  const missing = await findMissing(tx, businessId, newCategories(outcomes.map(({ written }) => written)))
  const isMissing = ({ written }: Outcome) => missing.has(newCategories([written])[0] ?? '')
  for (const { line, written } of outcomes.filter(isMissing))
    failed.push({ number: line.number, details: [categoryUnknown({ category: written.product.category })] })
  return outcomes.filter((outcome) => !isMissing(outcome))
}

/** Lines of the batch that have failed, as far as they could be parsed. */
const othersOf = ({ invalid }: Running<Context>, taken: readonly Line<ProductChanges>[], free: readonly Outcome[]) => {
  const isFree = new Set(free.map(({ line }) => line.number))
  return [
    ...invalid.map(({ number, parsed }) => ({ number, sent: parsed })),
    ...taken.filter(({ number }) => !isFree.has(number)),
  ]
}

/**
 * Moves lines whose slug another product has to the failed ones. A dry run asks; an import is told by the key, which is
 * all that the database can refuse of a product that is merged: so a dry run need not write, and takes a fraction of the time.
 */
async function withoutTaken(
  tx: Tx,
  businessId: string,
  outcomes: readonly Outcome[],
  failed: FailedLine[],
): Promise<Outcome[]> {
  const wanted = outcomes.map((outcome) => ({ outcome, slugs: newSlugs(outcome.written) }))
  const { rows } = await sql<{ slug: string }>`
    select slug from catalog.product_slugs
     where business_id = ${businessId} and slug = any (${wanted.flatMap(({ slugs }) => slugs)}::text[])`.execute(tx)
  const taken = new Set(rows.map(({ slug }) => slug))
  const free: Outcome[] = []
  for (const { outcome, slugs } of wanted) {
    if (slugs.some((slug) => taken.has(slug))) failed.push({ number: outcome.line.number, details: [slugTaken()] })
    else free.push(outcome)
  }
  return free
}

async function save(tx: Tx, { businessId, importId, actor }: Running<Context>, outcomes: Outcome[]) {
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
