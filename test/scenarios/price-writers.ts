import { type Answer, createClient } from '../support/client.ts'
import type { Make } from '../support/make.ts'
import { type Bought, buyAll, findViolations, tally } from './buyers.ts'

const VARIANTS = 25
const MARKETS = ['us', 'de']
const STOCK = 10
const MOST_TRIES = 30

/** As the answer asks: a whole crowd at one product has to queue, and some are told to come back. */
async function patiently(send: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await send()
    if (answer.status !== 503 || tries === MOST_TRIES) return answer
    await new Promise((resolve) => setTimeout(resolve, 500 + 1_000 * Math.random()))
  }
}

type Race = { writers: number; writes: number; checkouts: number; editors: number }

/**
 * Each writer owns one price of a variant and sets it again and again, or one variant's name; editors save whole products that
 * they have read a while ago; people buy meanwhile. What was acknowledged last has to be there at the end.
 */
export async function racePrices({ make, urls }: { make: Make; urls: string[] }, race: Race) {
  const shop = await make.shop()
  const perProduct = VARIANTS * MARKETS.length
  const products: string[] = []
  for (let count = 0; count < Math.ceil(race.writers / perProduct); count++) {
    const { id } = await make.product(shop, {
      variants: Array.from({ length: VARIANTS }, (_, at) => ({
        id: `v${at}`,
        name: 'v',
        pricing: { markets: MARKETS.map((marketId) => ({ marketId, price: 0 })) },
        inventory: { tracked: true, quantity: STOCK },
      })),
    })
    products.push(id)
  }
  const key = { 'x-api-key': (await make.apiKey(shop.admin.id)).value }
  const clients = urls.map((url) => createClient(url, key))
  const clientOf = (at: number) => clients[at % clients.length] as (typeof clients)[number]
  const failures: string[] = []
  const stale = { refused: 0, saved: 0 }
  let over = false

  // A price says who wrote it and when: compareAtPrice counts its writes. Everything is free, so that no provider is asked.
  const last = new Map<string, number>()
  async function write(writer: number) {
    const productId = products[Math.floor(writer / perProduct)] as string
    const variant = `v${writer % VARIANTS}`
    const market = MARKETS[Math.floor((writer % perProduct) / VARIANTS)] as string
    const path = `${shop.products}/${productId}/variants/${variant}`
    for (let count = 1; count <= race.writes; count++) {
      const { status, text } = await patiently(() =>
        clientOf(writer + count).put(`${path}/prices/${market}`, { price: 0, compareAtPrice: count }),
      )
      if (status === 200) last.set(`${productId} ${variant} ${market}`, count)
      else failures.push(`price: ${status} ${text.slice(0, 200)}`)
      if (market !== MARKETS[0]) continue
      const named = await patiently(() => clientOf(writer).put(path, { name: `${variant} ${count}` }))
      if (named.status === 200) last.set(`${productId} ${variant} name`, count)
      else failures.push(`variant: ${named.status} ${named.text.slice(0, 200)}`)
    }
  }
  async function edit(editor: number) {
    const client = clientOf(editor)
    const path = `${shop.products}/${products[editor % products.length]}`
    while (!over) {
      const { body, headers } = await client.get(path)
      await new Promise((resolve) => setTimeout(resolve, 20))
      const {
        id: _id,
        businessId: _businessId,
        options: _options,
        createdAt: _createdAt,
        updatedAt: _updatedAt,
        ...whole
      } = body
      const { status, text } = await client.put(
        path,
        { ...whole, description: `by ${editor}` },
        { 'if-match': headers.get('etag') ?? '' },
      )
      if (status === 412) stale.refused++
      else if (status === 200) stale.saved++
      else if (status !== 503) failures.push(`whole: ${status} ${text.slice(0, 200)}`)
    }
  }
  async function buy(): Promise<Bought[]> {
    const { token } = await make.guest()
    return buyAll(
      shop,
      Array.from({ length: race.checkouts }, (_, at) => ({
        url: urls[at % urls.length] as string,
        token,
        body: {
          market: MARKETS[at % 2],
          items: [
            {
              productId: products[at % products.length],
              variantId: `v${Math.floor(at / products.length) % VARIANTS}`,
              quantity: 1,
            },
          ],
        },
      })),
      16,
    )
  }
  const editors = Promise.all(Array.from({ length: race.editors }, (_, at) => edit(at)))
  const [bought] = await Promise.all([buy(), ...Array.from({ length: race.writers }, (_, at) => write(at))])
  over = true
  await editors

  const lost: string[] = []
  let left = 0
  for (const productId of products) {
    const { body } = await shop.admin.get(`${shop.products}/${productId}`)
    for (const { id, name, pricing, inventory } of body.variants) {
      left += inventory.quantity
      const expected = last.get(`${productId} ${id} name`)
      if (expected !== undefined && name !== `${id} ${expected}`) lost.push(`${id}: ${name} instead of ${expected}`)
      for (const { marketId, compareAtPrice } of pricing.markets) {
        const wanted = last.get(`${productId} ${id} ${marketId}`)
        if (wanted !== undefined && compareAtPrice !== wanted)
          lost.push(`${id} ${marketId}: ${compareAtPrice} instead of ${wanted}`)
      }
    }
  }
  const { sold, refusals } = tally(bought)
  // Who was told to try again may have bought all the same: what was ordered counts.
  const { count: ordered } = await shop.db
    .selectFrom('orders.orders')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('businessId', '=', shop.id)
    .executeTakeFirstOrThrow()
  return {
    writes: last.size * race.writes,
    failures,
    lost,
    stale,
    sold,
    ordered,
    refusals,
    missingPieces: products.length * VARIANTS * STOCK - left - ordered,
    violations: await findViolations(shop.db),
  }
}
