import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { FAULT_POINTS, type KillWorld, killAt, openKillWorld } from '../../scenarios/kill-orders.ts'

/** Only a shop that asks services comes by, and nothing is written yet: tests of callouts change prices there. */
const CONSULTED = 'checkout.consulted'

test('every fault point of orders and payments is known to the proof that kills there', () => {
  const files = globSync(['src/modules/{checkout,payments,orders}/**/*.ts', 'src/platform/http/idempotency.ts'])
  const inCode = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bfault\('([^']+)'\)/g)].map(([, name]) => name),
  )
  assert.ok(inCode.length > 20)
  assert.deepEqual(new Set([...FAULT_POINTS.map(({ name }) => name), CONSULTED]), new Set(inCode))
})

/** A few; `npm run proof -- kills` does them all. */
const SAMPLE = [
  ['checkout', 'checkout.after-commit'],
  ['webhook', 'webhook.stored'],
  ['webhook', 'settle.before-commit'],
  ['expiry', 'close-page.expired'],
  ['ship', 'shipment.mailed'],
  ['refund', 'refund.after-provider'],
]

describe('a process that is killed', () => {
  let world: KillWorld
  before(async () => {
    world = await openKillWorld()
  })
  after(() => world.close())

  for (const [flow, name] of SAMPLE) {
    test(`at ${name} (${flow}) loses nothing and doubles nothing`, async () => {
      const point = FAULT_POINTS.find((known) => known.name === name && known.during === flow)
      assert.ok(point)
      assert.deepEqual((await killAt(world, point, 'first')).problems, [])
    })
  }
})
