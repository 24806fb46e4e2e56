import assert from 'node:assert/strict'
import { test } from 'node:test'
import { racePrices } from '../../scenarios/price-writers.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

test('writers of single prices, editors with old copies and buyers lose nothing to each other', async () => {
  const race = await racePrices(
    { make: used.make, urls: [used.api.url] },
    { writers: 50, writes: 2, checkouts: 60, editors: 3 },
  )
  assert.deepEqual([race.failures, race.lost, race.violations, race.missingPieces], [[], [], [], 0])
  assert.equal(race.sold, 60)
  assert.ok(race.stale.refused > 0, 'a copy was old')
})

const PRODUCTS = 60
const MOVING = 16

type Listed = { id: string; name: string; variants: { pricing: { markets: { price: number }[] } }[] }

test('pages are complete and name nothing twice while sixteen writers change prices', async () => {
  const shop = await used.make.shop()
  await shop.admin.put(shop.path, { storefront: { isPublic: true } })
  const ids: string[] = []
  for (let number = 0; number < PRODUCTS; number++) {
    const pricing = { markets: [{ marketId: 'us', price: 1_000 + number }] }
    const name = `Product ${String(number).padStart(3, '0')}`
    ids.push((await used.make.product(shop, { name, variants: [{ id: 'one', pricing }] })).id)
  }
  const moving = new Set(ids.filter((_, number) => number % 3 === 0).slice(0, MOVING))
  const resting = ids.filter((id) => !moving.has(id))
  let over = false
  const writers = Array.from(moving, async (id, at) => {
    for (let round = 0; !over; round++) {
      const price = 1_000 + ((at * 7 + round * 23) % PRODUCTS)
      const { status, text } = await shop.admin.put(`${shop.products}/${id}/variants/one/prices/us`, { price })
      assert.equal(status, 200, text)
    }
  })
  const stranger = used.make.anonymous()
  async function readAll(query: string): Promise<Listed[]> {
    const seen: Listed[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body, status, text } = await stranger.get(
        `/v1/storefront/${shop.id}/products?market=us&limit=7&cursor=${cursor}&${query}`,
      )
      assert.equal(status, 200, text)
      seen.push(...body.items)
      cursor = body.cursor
    }
    return seen
  }
  try {
    for (let round = 0; round < 3; round++) {
      const byName = await readAll('sort=name')
      assert.deepEqual(
        byName.map(({ id }) => id),
        ids,
      )
      assert.deepEqual(
        (await readAll('sort=-createdAt')).map(({ id }) => id),
        ids.toReversed(),
      )
      const byPrice = (await readAll('sort=price')).map(({ id }) => id)
      assert.deepEqual(
        byPrice.filter((id) => !moving.has(id)),
        resting,
        'what does not move is there once, in its order',
      )
    }
  } finally {
    over = true
    await Promise.all(writers)
  }
})
