import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'
import type { Line } from '#platform/transfer/kind.ts'
import { type Change, changesBetween, type Warning, warningsOf } from '../products/changes.ts'
import type { LockedProduct } from '../products/lock-products.ts'
import type { StockTarget } from '../products/merge-product.ts'
import type { WrittenProduct } from '../products/write-products.ts'
import type { ProductChanges } from '../schemas.ts'

type Import = { businessId: string; importId: string; isDryRun: boolean; isAgreed: boolean }
type Candidate = { line: Line<ProductChanges>; found: LockedProduct | undefined }
type Outcome = Candidate & { written: WrittenProduct; targets: StockTarget[] }

/** A row of the report: what a line does to its product. */
export type Item = {
  number: number
  status: 'CREATED' | 'CHANGED' | 'UNCHANGED' | 'SKIPPED'
  productId: string | null
  slug: string
  name: string
  version: number
  changes: Change[]
  warnings: Warning[]
  before: object | null
}

export const changesOf = ({ found, written, targets }: Outcome): Change[] =>
  changesBetween(
    found?.product,
    written.product,
    targets,
    new Map(found?.stock.map(({ variantId, quantity }) => [variantId, quantity])),
  )

export function toItem(
  { line, found, written: { product }, changes }: Outcome & { changes: Change[] },
  { isDryRun, isUndoable }: { isDryRun: boolean; isUndoable: boolean },
): Item {
  const isChanged = changes.length > 0
  const isNew = !found
  return {
    number: line.number,
    status: isNew ? 'CREATED' : isChanged ? 'CHANGED' : 'UNCHANGED',
    productId: found?.product.id ?? (isDryRun ? null : product.id),
    slug: product.slug,
    name: product.name,
    version: isDryRun || !isChanged ? (found?.product.version ?? 0) : product.version,
    changes: changes.map(shorten),
    warnings: warningsOf(changes),
    before: isDryRun || !isChanged || !isUndoable ? null : (found?.product ?? null),
  }
}

const MAX_SHOWN = 500

/** The report shows the beginning of long texts. An undo has them whole. */
const shorten = (change: Change): Change => ({
  ...change,
  before: shortenValue(change.before),
  after: shortenValue(change.after),
})

function shortenValue(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === undefined || text.length <= MAX_SHOWN ? value : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`
}

/**
 * Lines whose product is no longer as the dry run saw it, unless this import itself has changed it since: they are left
 * alone. `seen`: what the dry run said of each line.
 */
export async function withoutMoved<Each extends Candidate>(
  tx: Tx,
  { businessId, importId, isDryRun, isAgreed }: Import,
  candidates: readonly Each[],
): Promise<{ agreed: readonly Each[]; skipped: Item[]; seen: ReadonlyMap<number, Seen> }> {
  if (isDryRun || !isAgreed || candidates.length === 0) return { agreed: candidates, skipped: [], seen: new Map() }
  const slugs = candidates.flatMap(({ found }) => found?.product.slug ?? [])
  const numbers = candidates.map(({ line }) => line.number)
  const { rows } = await sql<Seen>`
    select number, status, product_id, slug, name, version, changes, warnings
      from catalog.import_items
     where business_id = ${businessId} and import_id = ${importId}
       and (number = any (${numbers}::integer[]) or slug = any (${slugs}::text[]))`.execute(tx)
  const seen = new Map(rows.map((row) => [row.number, row]))
  // What stands before these lines is done: its versions are those that this import has written.
  const first = Math.min(...numbers)
  const written = new Set(rows.filter(({ number }) => number < first).map(versionOf))
  const isMoved = ({ line, found }: Each) => {
    const item = seen.get(line.number)
    if (!found) return item?.version !== 0
    const version = versionOf({ productId: found.product.id, version: found.product.version })
    return !(written.has(version) || (item && versionOf(item) === version))
  }
  const skipped = candidates.filter(isMoved).flatMap(({ line }): Item[] => {
    const item = seen.get(line.number)
    return item ? [{ ...item, status: 'SKIPPED', before: null }] : []
  })
  return { agreed: candidates.filter((candidate) => !isMoved(candidate)), skipped, seen }
}

export type Seen = Omit<Item, 'before'>

const versionOf = ({ productId, version }: Pick<Item, 'productId' | 'version'>) => `${productId} ${version}`

/**
 * A person agreed to a difference: what was sold or came in since the dry run is kept, and stock that it did not change is not
 * set. After an earlier line about the same product the file counts as it stands.
 */
export function agreedTargets(
  targets: readonly StockTarget[],
  found: LockedProduct | undefined,
  item: Seen | undefined,
): StockTarget[] {
  if (!found || !item || item.version !== found.product.version) return [...targets]
  const stock = new Map(found.stock.map(({ variantId, quantity }) => [variantId, quantity]))
  const known = new Set(found.product.variants.map(({ id }) => id))
  const changes = item.changes.filter(({ field }) => field === 'quantity')
  return targets.flatMap((target): StockTarget[] => {
    if (!known.has(target.variantId)) return [target]
    const change = changes.find(({ variantId }) => variantId === target.variantId)
    if (!change) return []
    const quantity = (stock.get(target.variantId) ?? 0) + Number(change.after) - Number(change.before)
    return [{ ...target, quantity: Math.max(0, quantity) }]
  })
}
