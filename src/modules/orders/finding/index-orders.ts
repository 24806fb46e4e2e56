import { sql } from 'kysely'
import type { Db, Tx } from '#platform/database/database.ts'
import { type FollowerLog, followSubjects, type Subject } from '#platform/events/follow-subjects.ts'
import { hasFollowed } from '#platform/events/sequencer.ts'
import type { OrderRow } from '../order.ts'
import { markOf, quoteTerm, type SearchWords, searchWordsOf } from './search-row.ts'

/** The first word of the types of events after which an order is found by other words. */
export const ORDER_TOPIC = 'order'

/** Words of the orders of one transaction: each is a row in the index and a row of counts. */
const MAX_BATCH_WORDS = 10_000

/** Whether an order is to be found by other words than before. */
export const hasUnindexed = () => hasFollowed(ORDER_TOPIC)

/** Writes the search rows of orders that have changed. */
export function indexOrders(db: Db, log: FollowerLog, signal?: AbortSignal): Promise<void> {
  const followers = [{ topic: ORDER_TOPIC, project: writeRows }]
  return followSubjects(db, { lock: 'kontor.orders.search', followers }, log, signal)
}

type Read = Subject &
  Pick<
    OrderRow,
    'lines' | 'blocks' | 'market' | 'phone' | 'shippingAddress' | 'billingAddress' | 'tags' | 'version'
  > & { trackingNumbers: string[]; knownTerms: string[] | null; knownTags: string[] | null }

type Written = SearchWords & { order: Read }

/** Returns how many of the orders it has written: the first ones that have no more words together than fit into a batch. */
async function writeRows(tx: Tx, wanted: readonly Subject[]): Promise<number> {
  const orders = new Map((await readOrders(tx, wanted)).map((order) => [keyOf(order), order]))
  const made: Written[] = []
  let words = 0
  let count = 0
  for (const subject of wanted) {
    const order = orders.get(keyOf(subject))
    if (order) {
      const found = searchWordsOf(order, order.trackingNumbers)
      words += found.words.length + found.numbers.length
      if (made.length > 0 && words > MAX_BATCH_WORDS) break
      made.push({ order, ...found })
    }
    count++
  }
  const rows = made.map(({ order, words, numbers }) => ({
    business_id: order.businessId,
    id: order.id,
    version: order.version,
    terms: [...words, ...numbers].map(quoteTerm).join(' '),
  }))
  // Numbers, sums and times are read where they are: what is newer by then is written once more after its own event.
  await sql`
    insert into orders.search
           (business_id, order_id, number, email, terms, tags, total, version, created_at, updated_at)
    select orders.business_id, orders.id, orders.number, lower(orders.contact_email), made.terms::tsvector, orders.tags,
           orders.total, made.version, orders.created_at, date_trunc('milliseconds', orders.updated_at)
      from json_to_recordset(${JSON.stringify(rows)}::json)
           as made (business_id text, id text, version integer, terms text)
      join orders.orders on orders.business_id = made.business_id and orders.id = made.id
     order by 1, 2
    on conflict (business_id, order_id) do update
       set number = excluded.number, email = excluded.email, terms = excluded.terms, tags = excluded.tags,
           total = excluded.total, version = excluded.version, updated_at = excluded.updated_at
     where search.version <= excluded.version`.execute(tx)
  await countWords(tx, made)
  return count
}

const keyOf = ({ businessId, id }: Subject) => `${businessId} ${id}`

async function readOrders(tx: Tx, wanted: readonly Subject[]): Promise<Read[]> {
  const { rows } = await sql<Read>`
    select orders.business_id, orders.id, orders.lines, orders.blocks, orders.market, orders.phone,
           orders.shipping_address, orders.billing_address, orders.tags, orders.version,
           array(select tracking_number
                   from orders.shipments
                  where shipments.business_id = orders.business_id and shipments.order_id = orders.id
                    and tracking_number is not null) as tracking_numbers,
           tsvector_to_array(search.terms) as known_terms, search.tags as known_tags
      from unnest(${wanted.map(({ businessId }) => businessId)}::text[], ${wanted.map(({ id }) => id)}::text[])
           as wanted (business_id, id)
      join orders.orders on orders.business_id = wanted.business_id and orders.id = wanted.id
      left join orders.search on search.business_id = wanted.business_id and search.order_id = wanted.id`.execute(tx)
  return rows
}

/** Counts the words that have come and gone. The empty word is in every order. */
async function countWords(tx: Tx, made: readonly Written[]) {
  const changes = new Map<string, { businessId: string; word: string; delta: number }>()
  const add = (businessId: string, word: string, delta: number) => {
    const key = `${businessId} ${word}`
    const change = changes.get(key) ?? { businessId, word, delta: 0 }
    change.delta += delta
    changes.set(key, change)
  }
  for (const { order, words, numbers } of made) {
    const before = [...(order.knownTerms ?? []), ...(order.knownTags ?? []).map(markOf.tag)]
    const after = [...words, ...new Set(order.tags.map(markOf.tag))]
    const [gone, come] = [new Set(before), new Set(after)]
    for (const word of gone.intersection(come)) {
      gone.delete(word)
      come.delete(word)
    }
    for (const number of numbers) gone.delete(number)
    for (const word of come) add(order.businessId, word, 1)
    for (const word of gone) add(order.businessId, word, -1)
    if (order.knownTerms === null) add(order.businessId, '', 1)
  }
  const rows = [...changes.values()].filter(({ delta }) => delta !== 0)
  // A number that is gone was never counted: only rows that exist go down.
  await sql`
    with change as (
      select * from unnest(${rows.map(({ businessId }) => businessId)}::text[], ${rows.map(({ word }) => word)}::text[],
                           ${rows.map(({ delta }) => delta)}::bigint[]) as change (business_id, word, delta)
    ), fewer as (
      update orders.words set orders = greatest(0, words.orders + change.delta)
        from change
       where change.delta < 0 and words.business_id = change.business_id and words.word = change.word
    )
    insert into orders.words (business_id, word, orders)
    select business_id, word, delta from change where delta > 0 order by business_id, word
    on conflict (business_id, word) do update set orders = words.orders + excluded.orders`.execute(tx)
  const gone = rows.filter(({ word, delta }) => delta < 0 && word !== '')
  // A name that nobody has any more is not kept.
  if (gone.length > 0)
    await sql`
      delete from orders.words
       using unnest(${gone.map(({ businessId }) => businessId)}::text[], ${gone.map(({ word }) => word)}::text[])
             as gone (business_id, word)
       where words.business_id = gone.business_id and words.word = gone.word and words.orders = 0`.execute(tx)
}
