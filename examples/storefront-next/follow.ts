// Follows the feed of the business and tells the shop what has changed: npm run follow -w storefront-next
// The tags are those of the service's Cache-Tag. Several servers each need telling, unless they share a cache.
import { type BusinessEvent, createKontor } from '@kontor/sdk'

const { KONTOR_URL = 'http://127.0.0.1:3000', KONTOR_BUSINESS_ID = '', KONTOR_API_KEY = '' } = process.env
const { REVALIDATE_SECRET = KONTOR_API_KEY, REVALIDATE_URL = 'http://127.0.0.1:5174/revalidate' } = process.env
const kontor = createKontor({ baseUrl: KONTOR_URL, businessId: KONTOR_BUSINESS_ID, apiKey: KONTOR_API_KEY })

/** What one import or one large order changes goes in one call. */
const GATHER_MS = 100
const TRY_AGAIN_MS = 1_000

/** The record itself, and the lists in which it is or was or will be. */
function tagsOf(event: BusinessEvent): string[] {
  const { type, businessId, subject } = event
  // How many there are changes no list: only the pages and lists in which this product is.
  if (type === 'stock.changed') return event.data.changes.map(({ productId }) => productId)
  if (type === 'stock.low') return [subject]
  if (type === 'business.updated') return [businessId]
  if (type === 'import.finished' || type === 'bulk_edit.finished') return [`${businessId}:products`]
  const [kind] = type.split('.')
  if (kind === 'product') return [subject, `${businessId}:products`]
  if (kind === 'category') return [subject, `${businessId}:categories`]
  if (kind === 'entry' || kind === 'collection') return [subject, `${businessId}:entries`]
  return []
}

// All of it first: nobody knows what has changed while nobody followed.
const waiting = new Set([KONTOR_BUSINESS_ID])
let isTelling = false

async function tell(): Promise<void> {
  if (isTelling) return
  isTelling = true
  while (waiting.size > 0) {
    await sleep(GATHER_MS)
    const tags = [...waiting]
    waiting.clear()
    try {
      const headers = { authorization: `Bearer ${REVALIDATE_SECRET}`, 'content-type': 'application/json' }
      const { ok, status } = await fetch(REVALIDATE_URL, { method: 'POST', headers, body: JSON.stringify({ tags }) })
      if (!ok) throw new Error(`The shop answered ${status}.`)
    } catch (error) {
      console.error(`${REVALIDATE_URL}: ${(error as Error).message}`)
      for (const tag of tags) waiting.add(tag)
      await sleep(TRY_AGAIN_MS)
    }
  }
  isTelling = false
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

void tell()
console.log(`Following ${KONTOR_BUSINESS_ID} at ${KONTOR_URL}`)
for await (const event of kontor.events.stream()) {
  for (const tag of tagsOf(event)) waiting.add(tag)
  void tell()
}
