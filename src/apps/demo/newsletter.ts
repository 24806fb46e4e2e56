import { LETTERS } from '#demo/content/letters.ts'
import { PEOPLE } from '#demo/people.ts'
import { createRandom } from '#demo/random.ts'
import { DAY_MS, HOUR_MS } from '#demo/time.ts'
import { catalogResolvers } from '#modules/catalog/index.ts'
import { contentResolvers, createCollection, createEntry, type NewCollection } from '#modules/content/index.ts'
import { guardCollection, subscribeMany } from '#modules/newsletter/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Demo } from './demo.ts'
import { hasCollection } from './journal.ts'
import type { OnProgress, Outcome } from './make-demo.ts'
import { inThePast } from './past.ts'

const COLLECTION: NewCollection = {
  name: 'The Harbour Letter',
  slug: 'harbour-letter',
  description: 'Once a month, from the boathouse: what is new, what is nearly gone, and what the weather did.',
  type: 'NEWSLETTER',
  doubleOptIn: true,
  statuses: [{ status: 'PUBLISHED' }],
  blocks: [
    { id: 'title', type: 'TEXT', label: 'Title', required: true, settings: { maxLength: 200 } },
    { id: 'body', type: 'TEXT', label: 'Text', required: true, settings: { variant: 'HTML' } },
  ],
  plans: [
    { id: 'reader', name: 'Reader', description: 'The letter, once a month.', features: ['Twelve letters a year'] },
    {
      id: 'patron',
      name: 'Patron',
      description: 'The letter, and the archive of all letters before.',
      price: { amount: 400, currency: 'usd', interval: 'MONTHLY' },
      features: ['Twelve letters a year', 'All past letters', 'A postcard at midwinter'],
    },
  ],
}

const SUBSCRIBERS = 150
const FIRST_DAY = 31
const LAST_DAY = 119
/** Subscribers join in small groups, one transaction each. */
const GROUP = 5

/** Customers first, then people who only read. A few have unsubscribed. */
function planSubscribers() {
  const random = createRandom('subscribers')
  const readers = Array.from({ length: SUBSCRIBERS }, (_, index) => {
    const person = PEOPLE[index]
    return person ?? { name: '', email: `reader.${String(index + 1).padStart(3, '0')}@example.com` }
  })
  return readers.map(({ name, email }) => ({
    email,
    name,
    order: random.next(),
    ...(random.chance(0.06)
      ? { planId: undefined, status: 'CANCELLED' as const }
      : { planId: 'reader', status: 'ACTIVE' as const }),
  }))
}

/** One transaction. Everybody is on the free plan: the other one would need payments. */
export async function makeNewsletter(demo: Demo, onProgress: OnProgress): Promise<Outcome> {
  if (await hasCollection(demo, 'harbour-letter')) return { count: SUBSCRIBERS, made: 0 }
  const { cell, control, business, owner, startMs } = demo
  const subscribers = planSubscribers().sort((a, b) => a.order - b.order)
  const resolvers = { ...catalogResolvers(control), ...contentResolvers }
  await transaction(cell, async (tx) => {
    const { id: collectionId } = await inThePast(startMs + FIRST_DAY * DAY_MS, () =>
      createCollection(tx, { businessId: business.id, actor: owner, guard: guardCollection }, COLLECTION),
    )
    for (let at = 0; at < SUBSCRIBERS; at += GROUP) {
      const day = FIRST_DAY + ((LAST_DAY - FIRST_DAY) * at) / SUBSCRIBERS
      await inThePast(startMs + day * DAY_MS + HOUR_MS, () =>
        subscribeMany(tx, business.id, collectionId, subscribers.slice(at, at + GROUP)),
      )
    }
    for (const { day, title, body } of LETTERS) {
      await inThePast(startMs + day * DAY_MS, () =>
        createEntry(
          tx,
          { business, actor: owner, seesOrders: true, resolvers },
          {
            collectionId,
            locale: 'en',
            blocks: [
              { id: 'title', type: 'TEXT', value: title },
              { id: 'body', type: 'TEXT', value: body },
            ],
            statuses: [{ status: 'PUBLISHED' }],
          },
        ),
      )
    }
  })
  onProgress(SUBSCRIBERS, SUBSCRIBERS)
  return { count: SUBSCRIBERS, made: SUBSCRIBERS }
}
