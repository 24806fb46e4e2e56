import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'
import type { FailedLine, Line } from '#platform/transfer/kind.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { lineRepeated, skuRepeated, skuTwice, slugTaken } from '../errors.ts'
import { newSlugs, type WrittenProduct } from '../products/write-products.ts'
import type { ProductChanges } from '../schemas.ts'
import { slugFor } from './match-lines.ts'

type Import = { businessId: string; importId: string; isDryRun: boolean; isAgreed: boolean; row: object }
type Outcome = { line: Line<ProductChanges>; written: WrittenProduct; found: object | undefined }
/** A SKU, slug, or product that only one line of the file may have. */
type Claim = { number: number; key: string; detailOf: (line: number) => Detail }

/**
 * Repeated SKUs and products are errors in a dry run, because it checks each line on its own, and in a CSV, where they are mistakes.
 * Without a dry run, NDJSON may repeat them: its lines are applied in order.
 */
export const refusesRepeated = ({ isDryRun, isAgreed, row }: Import): boolean =>
  isDryRun || (!isAgreed && ((row as { format?: string | null }).format ?? '').endsWith('csv'))

/**
 * Moves lines that repeat a SKU, slug, or product of an earlier line, even of an earlier batch, to the failed ones. `others` have
 * failed already, but their SKUs count. Variants with an id may share a SKU.
 */
export async function withoutRepeated<Each extends Outcome>(
  tx: Tx,
  running: Import,
  outcomes: readonly Each[],
  others: readonly { number: number; sent: unknown }[],
  failed: FailedLine[],
): Promise<Each[]> {
  if (!refusesRepeated(running)) return [...outcomes]
  const lines = [...outcomes.map(({ line }) => line), ...others].toSorted((a, b) => a.number - b.number)
  const wrong = new Map<number, Detail>()
  const claims = new Map<string, Claim>()
  const repeated: Claim[] = []
  const claim = (one: Claim) => {
    if (claims.has(one.key)) repeated.push(one)
    else claims.set(one.key, one)
  }
  for (const { number, sent } of lines) {
    const seen = new Set<string>()
    for (const { sku, index } of skusIn(sent)) {
      if (seen.has(sku)) wrong.set(number, skuTwice({ index, sku }))
      else claim({ number, key: `sku:${sku}`, detailOf: (line) => skuRepeated({ index, sku, line }) })
      seen.add(sku)
    }
  }
  for (const { line, written, found } of outcomes.toSorted((a, b) => a.line.number - b.line.number)) {
    const { number, sent } = line
    const main = slugFor(sent) ?? written.product.slug
    const detailOf = (other: number) => lineRepeated({ line: other })
    if (found || !running.isDryRun) claim({ number, key: `product:${written.product.id}`, detailOf })
    claim({ number, key: `slug:${main}`, detailOf })
    for (const slug of newSlugs(written))
      if (slug !== main) claim({ number, key: `slug:${slug}`, detailOf: () => slugTaken() })
  }
  const owners = await claimKeys(tx, running, [...claims.values()])
  for (const { number, key, detailOf } of [...claims.values(), ...repeated]) {
    const owner = owners.get(key) ?? number
    if (owner !== number && !wrong.has(number)) wrong.set(number, detailOf(owner))
  }
  const taken = outcomes.filter(({ line }) => !wrong.has(line.number))
  for (const { line } of outcomes) {
    const detail = wrong.get(line.number)
    if (detail) failed.push({ number: line.number, details: [detail] })
  }
  return taken
}

const MAX_SKU = 200

/** SKUs of variants without an id. The line may not fit the schema. */
function skusIn(sent: unknown): { sku: string; index: number }[] {
  const { variants } = (sent ?? {}) as { variants?: unknown }
  if (!Array.isArray(variants)) return []
  return variants.flatMap((variant: unknown, index) => {
    const { id, sku } = (variant ?? {}) as { id?: unknown; sku?: unknown }
    return typeof sku === 'string' && sku !== '' && sku.length <= MAX_SKU && id === undefined ? [{ sku, index }] : []
  })
}

/** Returns the number of the first line with each key. */
async function claimKeys(
  tx: Tx,
  { businessId, importId }: Import,
  claims: readonly Claim[],
): Promise<Map<string, number>> {
  if (claims.length === 0) return new Map()
  const { rows } = await sql<{ key: string; number: number }>`
    insert into catalog.import_keys (business_id, import_id, key, number)
    select ${businessId}, ${importId}, *
      from unnest(${claims.map(({ key }) => key)}::text[], ${claims.map(({ number }) => number)}::integer[])
        on conflict (business_id, import_id, key) do update set number = import_keys.number
    returning key, number`.execute(tx)
  return new Map(rows.map(({ key, number }) => [key, number]))
}

/** Returns those of the slugs that an earlier line of the file has. */
export async function claimedSlugs(
  tx: Tx,
  { businessId, importId }: Pick<Import, 'businessId' | 'importId'>,
  slugs: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from catalog.import_keys
     where business_id = ${businessId} and import_id = ${importId} and key = any (${slugs.map((slug) => `slug:${slug}`)})`.execute(
    tx,
  )
  return rows.map(({ key }) => key.slice('slug:'.length))
}

/** Releases the keys of a line that is about to be replaced. */
export async function releaseKeys(tx: Tx, businessId: string, importId: string, number: number): Promise<void> {
  await sql`
    delete from catalog.import_keys
     where business_id = ${businessId} and import_id = ${importId} and number = ${number}`.execute(tx)
}
