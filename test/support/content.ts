import assert from 'node:assert/strict'
import type { Answer, Client } from './client.ts'
import type { Make } from './make.ts'
import { item, openShop } from './shop.ts'

export type SentBlock = { id?: string; type: string; value?: unknown; [part: string]: unknown }
type Business = { id: string; path: string; admin: Client }

export const PUBLISHED = [{ status: 'PUBLISHED' }]
export const DRAFT = [{ status: 'DRAFT' }]
export const ARCHIVED = [{ status: 'ARCHIVED' }]

export const TITLE: SentBlock = { id: 'title', type: 'TEXT', label: 'Title', required: true }
export const BODY: SentBlock = { id: 'body', type: 'TEXT', label: 'Body', settings: { variant: 'HTML' } }

/** A schema with every type there is. */
export const EVERY_TYPE: readonly SentBlock[] = [
  { ...TITLE, settings: { maxLength: 100 } },
  BODY,
  { id: 'stars', type: 'NUMBER', settings: { min: -10, max: 10 } },
  { id: 'open', type: 'BOOLEAN', label: 'Open' },
  { id: 'day', type: 'DATE' },
  { id: 'link', type: 'RELATIONSHIP', settings: { targetType: 'COLLECTION' } },
  { id: 'place', type: 'GEO_LOCATION' },
  { id: 'pictures', type: 'MEDIA', settings: { accept: ['image/*'], maxItems: 2 } },
  { id: 'size', type: 'SELECT', settings: { options: ['S', 'M', 'L'] } },
  { id: 'colours', type: 'MULTI_SELECT', settings: { options: ['red', 'blue', 'dark green'] } },
]

export const PICTURE = { id: 'front', url: 'https://cdn.example.com/a.png', mimeType: 'image/png' }

/** Values for `EVERY_TYPE`, as an entry sends them. */
export const everyValue = (link: string): SentBlock[] => [
  { id: 'title', type: 'TEXT', value: 'Harbour lights' },
  { id: 'body', type: 'TEXT', value: { en: '<p>Bright</p>', de: '<p>Hell</p>' } },
  { id: 'stars', type: 'NUMBER', value: 4.5 },
  { id: 'open', type: 'BOOLEAN', value: false },
  { id: 'day', type: 'DATE', value: 1_789_000_000 },
  { id: 'link', type: 'RELATIONSHIP', value: link },
  { id: 'place', type: 'GEO_LOCATION', value: { latitude: 54.3, longitude: 10.1 } },
  { id: 'pictures', type: 'MEDIA', value: [PICTURE, { ...PICTURE, id: 'back' }] },
  { id: 'size', type: 'SELECT', value: 'M' },
  { id: 'colours', type: 'MULTI_SELECT', value: ['dark green', 'red'] },
]

export const text = (id: string, value: unknown): SentBlock => ({ id, type: 'TEXT', value })
export const titled = (value: unknown) => [text('title', value)]

const made = (answer: Answer): Answer['body'] => {
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

/** What a business writes, and where. */
export function contentOf<Made extends Business>(business: Made) {
  const { admin, path } = business
  const [collections, entries] = [`${path}/collections`, `${path}/entries`]

  /** PUBLISHED, with a title that is required and a body, unless told otherwise. */
  async function collection(body: object = {}) {
    const sent = { name: 'Journal', blocks: [TITLE, BODY], statuses: PUBLISHED, ...body }
    const collection = made(await admin.post(collections, sent))
    return { id: collection.id as string, body: collection, path: `${collections}/${collection.id}` }
  }

  async function entry(owner: { id: string } | string, body: object = {}) {
    const place = typeof owner === 'string' ? { owner } : { collectionId: owner.id }
    const sent = { ...place, blocks: titled('Untitled'), statuses: PUBLISHED, ...body }
    const entry = made(await admin.post(entries, sent))
    return { id: entry.id as string, body: entry, path: `${entries}/${entry.id}` }
  }

  return { ...business, collections, entries, collection, entry }
}
export type Content = ReturnType<typeof contentOf>

/** A business that sells something for nothing, so that an order is one request. */
export async function openContentShop(make: Make, options: Parameters<Make['shop']>[0] = {}) {
  const shop = await openShop(make, options)
  const gift = await shop.priced(0)
  async function order(customer: Client): Promise<string> {
    const { body, text } = await shop.checkout(customer, { items: [item(gift)] })
    assert.ok(body.orderId, text)
    return body.orderId as string
  }
  return { ...contentOf(shop), gift, order }
}

type Page = { items: { id: string; blocks: SentBlock[] }[]; cursor: string | null }

/** A page of a list; the names and values of the query are encoded. */
export async function readPage(
  caller: Pick<Client, 'get'>,
  path: string,
  query: Record<string, string> = {},
): Promise<Page> {
  const { status, body, text } = await caller.get(`${path}?${new URLSearchParams(query).toString()}`)
  assert.equal(status, 200, text)
  return body as Page
}

/** The ids on all pages. `between` runs after each page but the last. */
export async function readAll(
  caller: Pick<Client, 'get'>,
  path: string,
  query: Record<string, string> = {},
  between: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const page = await readPage(caller, path, { ...query, cursor })
    seen.push(...page.items.map(({ id }) => id))
    if (page.cursor === null) return seen
    assert.equal(String(page.items.length), query.limit ?? '20', 'only the last page is short')
    cursor = page.cursor
    await between()
  }
}

export const titleOf = ({ blocks }: { blocks: SentBlock[] }) => blocks.find(({ id }) => id === 'title')?.value as string

/** The titles on the first page. */
export const titles = async (...asked: Parameters<typeof readPage>) => (await readPage(...asked)).items.map(titleOf)
