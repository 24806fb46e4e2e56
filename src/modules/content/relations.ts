import type { Db } from '#platform/database/database.ts'
import { fetchPrepared } from '#platform/database/hot.ts'

/** Ready texts by id, of what the caller may see. */
export type ReadRelated = (
  cell: Db,
  businessId: string,
  ids: readonly string[],
  caller: { seesProducts: boolean },
) => Promise<ReadonlyMap<string, string>>

/** What other modules know of what entries point at. */
export type Related = { PRODUCT: ReadRelated; USER: ReadRelated }

type Caller = { businessId: string; seesDrafts: boolean; seesProducts: boolean }

// Of another entry's order nothing is told here: only ids of entries that belong to collections come in.
export const READ_RELATED = `
  select 'ENTRY' as type, entry.id, entry.document
    from content.entries as entry
    join content.collections as collection
      on collection.business_id = entry.business_id and collection.id = entry.collection_id
   where entry.business_id = $1 and entry.id = any ($2)
     and ($4 or (entry.status = 'PUBLISHED' and collection.status = 'PUBLISHED' and not collection.is_paid))
   union all
  select 'COLLECTION', id, document
    from content.collections
   where business_id = $1 and id = any ($3) and ($4 or status = 'PUBLISHED')`

/**
 * What a page of entries points at, as JSON by type and id: three statements, whatever the number of entries. What is gone, or not
 * for the caller, is left out.
 */
export async function readRelations(
  cell: Db,
  { businessId, seesDrafts, seesProducts }: Caller,
  targets: Iterable<string>,
  related: Related,
): Promise<string> {
  const wanted = Map.groupBy(new Set(targets), (target) => target.split(' ')[0] ?? '')
  const idsOf = (type: string) => (wanted.get(type) ?? []).map((target) => target.slice(type.length + 1))
  const [own, products, users] = await Promise.all([
    readOwn(cell, { businessId, seesDrafts }, idsOf('ENTRY'), idsOf('COLLECTION')),
    readOther(related.PRODUCT, idsOf('PRODUCT')),
    readOther(related.USER, idsOf('USER')),
  ])
  const parts: [string, Iterable<[string, string]>][] = [...own, ['PRODUCT', products], ['USER', users]]
  return `{${parts.map(([type, found]) => `"${type}":{${toMembers(found)}}`).join(',')}}`

  async function readOther(read: ReadRelated, ids: string[]): Promise<ReadonlyMap<string, string>> {
    return ids.length === 0 ? new Map() : read(cell, businessId, ids, { seesProducts })
  }
}

async function readOwn(
  cell: Db,
  { businessId, seesDrafts }: Omit<Caller, 'seesProducts'>,
  entries: string[],
  collections: string[],
): Promise<[string, [string, string][]][]> {
  const rows =
    entries.length + collections.length === 0
      ? []
      : await fetchPrepared<[string, string, string]>(cell, READ_RELATED, [
          businessId,
          entries,
          collections,
          seesDrafts,
        ])
  return ['ENTRY', 'COLLECTION'].map((type) => [
    type,
    rows.filter(([found]) => found === type).map(([, id, document]) => [id, document]),
  ])
}

// Ids come from stored blocks, where they are letters, digits, _ and -.
const toMembers = (found: Iterable<[string, string]>) => Array.from(found, ([id, text]) => `"${id}":${text}`).join(',')
