import type { Cell } from '#platform/database/database.ts'
import { fittingSql, MAX_PAGE_BYTES } from '#platform/database/page-bytes.ts'
import { fetchPrepared } from '#platform/database/prepared.ts'
import { toAnswer, type Viewer } from '../viewer.ts'

/** Reads response texts by id, of the records that the caller may see. */
export type ReadRelated = (
  cell: Cell,
  businessId: string,
  ids: readonly string[],
  caller: { seesProducts: boolean },
) => Promise<ReadonlyMap<string, string>>

/** Readers of referenced records that other modules own. */
export type Related = { PRODUCT: ReadRelated; USER: ReadRelated }

type Caller = Pick<Viewer, 'businessId' | 'seesProducts' | 'seesActors'> & {
  /** Paid collections that the caller may read; null: all of them, and drafts. */
  opened: readonly string[] | null
}

const MAX_TARGETS = 200

// Entries of orders are never shown here: only ids of entries that belong to collections come in. Each id is looked up
// by itself: a generic plan, made for a business of average size, would rather scan all of its entries.
export const READ_RELATED = `
  select type, id, ${fittingSql('document', 'type, at')}
    from (select 'ENTRY' as type, wanted.at, entry.id, entry.document
            from unnest((select $2::text[])) with ordinality as wanted (id, at)
           cross join lateral (
             select * from content.entries where business_id = $1 and entries.id = wanted.id limit 1) as entry
            join content.collections as collection on collection.business_id = $1 and collection.id = entry.collection_id
           where $4::text[] is null
              or (entry.status = 'PUBLISHED' and collection.status = 'PUBLISHED'
                  and (not collection.is_paid or collection.id = any ($4::text[])))
           union all
          select 'COLLECTION', wanted.at, collection.id, collection.document
            from unnest((select $3::text[])) with ordinality as wanted (id, at)
           cross join lateral (
             select * from content.collections where business_id = $1 and collections.id = wanted.id limit 1) as collection
           where $4::text[] is null or collection.status = 'PUBLISHED') as found`

/**
 * The records that a page of entries references, as JSON by type and id, in three statements whatever the number of
 * entries. Left out: what is gone, what the caller may not see, and what would make the response too large.
 */
export async function readRelations(
  cell: Cell,
  caller: Caller,
  targets: Iterable<string>,
  related: Related,
): Promise<string> {
  const { businessId, seesProducts } = caller
  const wanted = Map.groupBy([...new Set(targets)].slice(0, MAX_TARGETS), (target) => target.split(' ')[0] ?? '')
  const idsOf = (type: string) => (wanted.get(type) ?? []).map((target) => target.slice(type.length + 1))
  const [own, products, users] = await Promise.all([
    readOwn(cell, caller, idsOf('ENTRY'), idsOf('COLLECTION')),
    readOther(related.PRODUCT, idsOf('PRODUCT')),
    readOther(related.USER, idsOf('USER')),
  ])
  const parts: [string, Iterable<[string, string]>][] = [...own, ['PRODUCT', products], ['USER', users]]
  let length = 0
  const fits = ([, text]: [string, string]) => (length += text.length) <= MAX_PAGE_BYTES
  return `{${parts.map(([type, found]) => `"${type}":{${toMembers([...found].filter(fits))}}`).join(',')}}`

  async function readOther(read: ReadRelated, ids: string[]): Promise<ReadonlyMap<string, string>> {
    return ids.length === 0 ? new Map() : read(cell, businessId, ids, { seesProducts })
  }
}

async function readOwn(
  cell: Cell,
  caller: Caller,
  entries: string[],
  collections: string[],
): Promise<[string, [string, string][]][]> {
  const rows =
    entries.length + collections.length === 0
      ? []
      : await fetchPrepared<[string, string, string | null]>(cell, READ_RELATED, [
          caller.businessId,
          entries,
          collections,
          caller.opened,
        ])
  return ['ENTRY', 'COLLECTION'].map((type) => [
    type,
    rows.flatMap(([found, id, document]) =>
      found === type && document !== null ? [[id, toAnswer(document, caller)]] : [],
    ),
  ])
}

// Ids come from stored blocks and hold only letters, digits, _ and -, so they need no escaping.
const toMembers = (found: [string, string][]) => found.map(([id, text]) => `"${id}":${text}`).join(',')
