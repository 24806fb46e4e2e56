import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { recordStatements } from '../../support/explain.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

test('businesses with large settings drive each other out of memory, before there is too much of them', async () => {
  const guest = await used.make.guest()
  const businesses = []
  for (let count = 0; count < 30; count++) businesses.push(await used.make.business())
  const { control } = used.api.services.databases
  // Larger than settings may be today: about 1 MB as JSON, three times as much in memory.
  const markets = Array.from({ length: 100 }, (_, index) => ({
    id: `m${index}`,
    name: 'n'.repeat(10_000),
    currency: 'USD',
    taxBps: 0,
    taxShipping: false,
    shippingMethods: [],
    paymentMethods: [],
  }))
  await sql`update access.businesses set markets = ${JSON.stringify(markets)} where id = any (${businesses.map(({ id }) => id)})`.execute(
    control,
  )
  const isRead = async ({ path }: { path: string }) => {
    const statements = await recordStatements(() => guest.get(`${path}/products`))
    return statements.some(({ text }) => text.includes('"access"."businesses"'))
  }
  for (const business of businesses) assert.equal(await isRead(business), true)
  const [first, last] = [businesses[0], businesses.at(-1)]
  assert.ok(first && last)
  assert.equal(await isRead(last), false, 'the last one is still known')
  assert.equal(await isRead(first), true, 'the first one had to go')
})
