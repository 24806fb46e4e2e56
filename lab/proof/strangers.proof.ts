import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { fillCatalog } from '../../test/scenarios/fill-catalog.ts'
import type { OpenLoad, OpenReport } from '../../test/scenarios/open-load-child.ts'
import { startChild } from '../../test/support/child.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { median, none, percentile, type Run } from '../report/figures.ts'

export const title = 'Five hundred strangers who filter without end, beside people who buy'

const STRANGERS = 500
const BUYING_A_SECOND = 20
const ROUNDS = 3

/** Checkouts at a steady rate, alone and beside strangers of whom each asks for something new as soon as it is answered, or a second after it was told to wait; in turn. */
export async function run({ quick, note }: Run) {
  const api = await startApi() // prepares; the one that bears the load is a process of its own
  const make = createMake(api)
  const shop = await make.shop({ cell: 'main' })
  const products = quick ? 20_000 : 200_000
  await fillCatalog(shop.db, { businessId: shop.id, products, businesses: 20, productsEach: 10 }, note)
  await shop.admin.put(shop.path, { storefront: { isPublic: true } })
  const free = await make.product(shop, {
    variants: [
      {
        id: 'one',
        pricing: { markets: [{ marketId: 'us', price: 0 }] },
        inventory: { tracked: true, quantity: 1_000_000 },
      },
    ],
  })
  const buying: string[] = []
  for (let count = 0; count < 64; count++) {
    const { token } = await make.guest()
    const body = JSON.stringify({
      market: 'us',
      items: [{ productId: free.id, variantId: 'one', quantity: 1 }],
    })
    buying.push(
      `POST ${shop.path}/orders/checkout HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }
  const asking = Array.from({ length: 20_000 }, (_, at) => `GET ${addressOf(shop.id, at)} HTTP/1.1\r\nhost: x\r\n\r\n`)

  const measured = await startChild('api', { ...api.databases.env, DATABASE_POOL_SIZE: '8', LOAD_SHEDDING: 'on' })
  const load = () => fork(path.join(import.meta.dirname, '../../test/scenarios/open-load-child.ts'))
  const [buyers, strangers] = [load(), load()]
  async function bear(who: typeof buyers, what: Omit<OpenLoad, 'url'>): Promise<OpenReport> {
    who.send({ url: measured.url, ...what })
    const [report] = (await once(who, 'message')) as [OpenReport]
    return report
  }
  const ms = quick ? 5_000 : 20_000
  const buy = () => bear(buyers, { requests: buying, connections: 64, rate: BUYING_A_SECOND, ms })
  const ask = () => bear(strangers, { requests: asking, connections: STRANGERS, ms: ms + 1_000, isPatient: true })
  const p99 = ({ done }: OpenReport) =>
    percentile(
      done.map(([, took]) => took),
      99,
    )
  await buy()

  const rounds: { alone: OpenReport; beside: OpenReport; asked: OpenReport }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await buy()
    const [beside, asked] = await Promise.all([buy(), ask()])
    rounds.push({ alone, beside, asked })
    note(
      `checkouts: p99 ${p99(beside).toFixed(0)} instead of ${p99(alone).toFixed(0)} ms; strangers: ${(asked.done.length / asked.seconds).toFixed(0)}/s, p99 ${p99(asked).toFixed(0)} ms, ${asked.refused} refused; odd ${JSON.stringify({ ...asked.odd, ...beside.odd })}`,
    )
  }
  for (const each of [buyers, strangers]) each.disconnect()
  await measured.kill()
  await api.close()
  const without = median(rounds.map(({ alone }) => p99(alone)))
  const beside = median(rounds.map((each) => p99(each.beside)))
  const refused = rounds.reduce((sum, each) => sum + each.beside.refused + each.beside.unasked, 0)
  const odd = rounds.flatMap((each) => [...Object.values(each.asked.odd), ...Object.values(each.beside.odd)])
  const answered = median(rounds.map(({ asked }) => asked.done.length / asked.seconds))
  return {
    figures: [
      { name: 'products of the shop', value: products, unit: '' },
      { name: 'checkouts a second', value: BUYING_A_SECOND, unit: '' },
      { name: 'checkouts alone, p99', value: without, unit: 'ms' },
      {
        name: 'checkouts beside strangers, p99',
        value: beside,
        unit: 'ms',
        goal: '≤ 2 × alone',
        ok: beside <= 2 * without,
      },
      none('checkouts refused', refused),
      { name: 'strangers answered', value: answered, unit: '/s' },
      { name: 'strangers answered, p99', value: median(rounds.map(({ asked }) => p99(asked))), unit: 'ms' },
      none(
        'neither answered nor refused properly',
        odd.reduce((sum, count) => sum + count, 0),
      ),
    ],
  }
}

/** No two of them are alike: no cache and no batch helps. */
function addressOf(business: string, at: number): string {
  const window = `/v1/storefront/${business}/products`
  const from = 500 + ((at * 37) % 90_000)
  const range = `market=us&priceFrom=${from}&priceTo=${from + 2_000 + at}`
  const colour = `attribute.Colour=${['blue', 'green', 'white', 'olive', 'plum'][at % 5]}`
  const kinds = [
    `${window}?${range}&sort=price`,
    `${window}?${range}&${colour}&sort=name`,
    `${window}?${range}&attribute.Workshop=w${at % 5_000}&sort=-price`,
    `${window}?${range}&tag=common${at % 100}&inStock=true&sort=price`,
    `${window}/facets?facets=attribute.Colour,attribute.Size,price&${range}&${colour}`,
  ]
  return kinds[at % kinds.length] as string
}
