import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { Cell } from '#platform/database/database.ts'
import { fetchPrepared } from '#platform/database/prepared.ts'
import type { Block } from '#vocabulary/blocks.ts'
import { toPageText } from '#vocabulary/paging.ts'
import { isPublicBlock, mayHoldHiddenBlocks } from '#vocabulary/public-blocks.ts'
import { dropHistory, HISTORY } from '#vocabulary/status-history.ts'
import { type BlockFilter, createListReader } from './entries/list-entries.ts'
import { checkPreviewToken } from './entries/preview-token.ts'
import { collectionNotFound, entryNotFound } from './errors.ts'
import { createEntryReader, GET_COLLECTION } from './queries.ts'
import type { ContentStatus, PublicEntryQuery } from './schemas.ts'

/** A response, and the ids of the records in it. */
export type PublicText = { text: string; ids: string[] }

export const GET_COLLECTION_BY_SLUG = `
  select document, status, version, id from content.collections where business_id = $1 and slug = $2`

type CollectionRow = [document: string, status: ContentStatus, version: number, id: string]

const NO_ENTRIES: PublicText = { text: toPageText({ items: [], cursor: null }), ids: [] }

/** What a caller without any record sees of a business's content: no drafts, nothing that is paid for or of an order. */
export function createPublicContent(box: SecretBox) {
  const readEntry = createEntryReader()
  const readList = createListReader()

  async function getCollection(db: Cell, businessId: string, idOrSlug: string): Promise<PublicText> {
    // No slug holds a `_`, and every id does.
    const statement = idOrSlug.includes('_') ? GET_COLLECTION : GET_COLLECTION_BY_SLUG
    const [row] = await fetchPrepared<CollectionRow>(db, statement, [businessId, idOrSlug])
    if (row?.[1] !== 'PUBLISHED') throw collectionNotFound()
    return { text: toPublic(row[0]), ids: [idIn(row[0])] }
  }

  async function getEntry(db: Cell, businessId: string, id: string): Promise<PublicText> {
    const entry = await readEntry(db, { businessId, id })
    if (!entry?.isPublic) throw entryNotFound()
    return { text: toPublic(entry.text), ids: idsOfEntry(entry.text) }
  }

  /** An entry as it would be shown, for who holds a token of it. */
  async function previewEntry(db: Cell, businessId: string, id: string, token: string): Promise<string> {
    checkPreviewToken(box, { businessId, id }, token)
    const entry = await readEntry(db, { businessId, id })
    if (!entry) throw entryNotFound()
    return toPublic(entry.text)
  }

  async function listEntries(
    db: Cell,
    businessId: string,
    { collection: slug, ...query }: PublicEntryQuery,
    blocks: readonly BlockFilter[],
  ): Promise<PublicText> {
    // A filter must not tell what the answer hides.
    if (blocks.some(({ value }) => HIDDEN_ID.test(value))) return NO_ENTRIES
    const collectionId = slug === undefined ? query.collectionId : await findId(db, businessId, slug)
    if (slug !== undefined && (!collectionId || (query.collectionId ?? collectionId) !== collectionId))
      return NO_ENTRIES
    const list = { ...query, ...(collectionId !== undefined && { collectionId }) }
    const asked = { businessId, query: list, blocks, seesDrafts: false, seesActors: false, opened: [] }
    const { items, cursor } = await readList(db, asked)
    return {
      text: toPageText({ items: items.map(({ text }) => toPublic(text)), cursor }),
      ids: items.flatMap(({ text }) => idsOfEntry(text)),
    }
  }

  return { getCollection, getEntry, previewEntry, listEntries }
}

const HIDDEN_ID = /^(usr|ord)_/

async function findId(db: Cell, businessId: string, slug: string): Promise<string | undefined> {
  const [row] = await fetchPrepared<CollectionRow>(db, GET_COLLECTION_BY_SLUG, [businessId, slug])
  return row?.[3]
}

/** A stored document as everybody may see it: without its history, and without blocks that point at people or orders. */
function toPublic(document: string): string {
  if (!mayHoldHiddenBlocks(document)) return dropHistory(document, document.lastIndexOf(HISTORY))
  const { statuses: _statuses, ...record } = JSON.parse(document) as { statuses: unknown; blocks: Block[] }
  return JSON.stringify({ ...record, blocks: record.blocks.filter(isPublicBlock) })
}

// Stored documents begin with these fields, in this order.
const idIn = (document: string) => /^\{"id":"([^"]+)"/.exec(document)?.[1] ?? ''
const OWNER = /^\{"id":"([^"]+)","businessId":"[^"]*","owner":"collection:([^"]+)"/

/** Of the entry and its collection: when that is withdrawn, so is the entry. */
const idsOfEntry = (document: string) => OWNER.exec(document)?.slice(1) ?? [idIn(document)]
