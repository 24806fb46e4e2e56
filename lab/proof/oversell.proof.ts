import { raceCarts, raceForStock, raceKeys, racePromo } from '../../test/scenarios/buyers.ts'
import { startChild } from '../../test/support/child.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { seededRandom } from '../../twins/stripe/random.ts'
import type { Figure, Run } from '../report/figures.ts'

export const title = 'More buyers than goods: 64 clients, one API process and two'

const SEED = 20_260

/** Each race with one API process and with two on the same databases. What is sold costs nothing: no provider slows it down. */
export async function run({ quick, note }: Run) {
  const scale = quick ? 0.1 : 1
  const api = await startApi() // to prepare and to look, not to race
  const make = createMake(api)
  const children = [await startChild('api', api.databases.env), await startChild('api', api.databases.env)]
  const figures: Figure[] = []
  try {
    for (const count of [1, 2]) {
      const world = { make, urls: children.slice(0, count).map(({ url }) => url) }
      const name = (text: string) => `${count === 1 ? 'one process' : 'two processes'}: ${text}`
      const expect = (text: string, value: number, expected: number) =>
        figures.push({ name: name(text), value, unit: '', goal: String(expected), ok: value === expected })
      const clean = (text: string, race: { failed: number; askedToRetry: number; violations: string[] }) => {
        expect(`${text}, answers 5xx`, race.failed, 0)
        expect(`${text}, asked to retry`, race.askedToRetry, 0)
        expect(`${text}, rules broken`, race.violations.length, 0)
        for (const violation of race.violations) note(violation)
      }

      const stock = await raceForStock(world, { checkouts: 10_000 * scale, stock: 1_000 * scale })
      note(name(JSON.stringify({ ...stock, violations: stock.violations.length })))
      expect('one article, sold', stock.sold, 1_000 * scale)
      expect('one article, refused with OUT_OF_STOCK', stock.refusals['409 OUT_OF_STOCK'] ?? 0, 9_000 * scale)
      expect('one article, left', stock.left, 0)
      clean('one article', stock)
      const rate = Math.round((10_000 * scale) / stock.seconds)
      figures.push({ name: name('one article, checkouts answered'), value: rate, unit: '/s' })

      const carts = await raceCarts(world, { carts: 5_000 * scale, stock: 1_000 * scale, random: seededRandom(SEED) })
      note(name(JSON.stringify({ ...carts, violations: carts.violations.length })))
      figures.push({ name: name('carts, sold'), value: carts.sold, unit: '' })
      const outOfStock = carts.refusals['409 OUT_OF_STOCK'] ?? 0
      expect('carts, sold or refused with OUT_OF_STOCK', carts.sold + outOfStock, 5_000 * scale)
      expect('carts, articles whose stock is not what was sold', carts.wrong.length, 0)
      clean('carts', carts)

      const promo = await racePromo(world, { racers: 2_000 * scale, tries: 1, limits: { maxRedemptions: 100 * scale } })
      note(name(JSON.stringify({ ...promo, violations: promo.violations.length })))
      expect('promo code for 100, used', promo.redemptions, 100 * scale)
      expect('promo code for 100, sold', promo.sold, 100 * scale)
      clean('promo code for 100', promo)

      const each = await racePromo(world, { racers: 200 * scale, tries: 5, limits: { maxPerCustomer: 1 } })
      note(name(JSON.stringify({ ...each, violations: each.violations.length })))
      expect('once for each of 200 customers, used', each.redemptions, 200 * scale)
      expect('once for each of 200 customers, customers', each.winners, 200 * scale)
      clean('once for each of 200 customers', each)

      const keys = await raceKeys(world, { keys: 1_000 * scale, copies: 8 })
      note(name(JSON.stringify({ ...keys, violations: keys.violations.length })))
      expect('keys sent 8 times at once, orders', keys.orders, 1_000 * scale)
      expect('keys sent 8 times at once, told different things', keys.differentAnswers, 0)
      clean('keys sent 8 times at once', keys)
    }
  } finally {
    await Promise.all(children.map((child) => child.kill()))
    await api.close()
  }
  return { figures }
}
