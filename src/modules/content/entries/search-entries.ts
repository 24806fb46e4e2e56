import type { Cell } from '#platform/database/database.ts'
import { collectionIdOf } from './change-entry.ts'
import { createListReader } from './list-entries.ts'

type Found = {
  id: string
  owner: string
  statuses: { status: string }[]
  blocks: { id: string; value?: unknown }[]
}

const MAX_TITLE = 200
const TITLES = ['title', 'name']

/** A few entries with these words, the best first, in short. Of paid collections only to those who see drafts. */
export function createEntrySearch() {
  const listEntries = createListReader()
  return async (
    db: Cell,
    { businessId, query, limit }: { businessId: string; query: string; limit: number },
    seesDrafts: boolean,
  ) => {
    const opened = seesDrafts ? null : []
    const list = { businessId, query: { query, limit }, blocks: [], seesDrafts, seesActors: false, opened }
    const { items } = await listEntries(db, list)
    return items
      .map(({ text }) => JSON.parse(text) as Found)
      .map(({ id, owner, statuses, blocks }) => ({
        id,
        collectionId: collectionIdOf(owner) ?? null,
        title: titleOf(blocks),
        status: statuses.at(-1)?.status ?? 'DRAFT',
      }))
  }
}

/** The block that is called so, else the first that holds a text. */
function titleOf(blocks: Found['blocks']): string {
  const texts = blocks.filter(({ value }) => typeof value === 'string' && value.trim() !== '')
  const found = texts.find(({ id }) => TITLES.includes(id)) ?? texts[0]
  return typeof found?.value === 'string' ? Array.from(found.value.trim()).slice(0, MAX_TITLE).join('') : ''
}
