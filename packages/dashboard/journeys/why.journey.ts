import assert from 'node:assert/strict'
import { findOrder } from './find-order.ts'
import { journey } from './journey.ts'
import type { Person } from './person.ts'
import type { Goods, Order, Shop } from './shop.ts'

/** 2 × 22.00 + 13.94, less 10 %, plus shipping and 7.25 % tax. */
const ASKED = 6_188

type Case = { order: Order; words: string }

let goods: Goods[] | undefined
let count = 0

const makeGoods = async (shop: Shop): Promise<Goods[]> => [
  { ...(await shop.makeProduct('Quay Mug', 2_200)), quantity: 2 },
  { ...(await shop.makeProduct('Tin of Beeswax', 1_394)), quantity: 1 },
]

async function prepare(shop: Shop): Promise<Case> {
  goods ??= await makeGoods(shop)
  const words = `solveig${++count}`
  const buyer = { name: 'Solveig Aas', email: `${words}@fjord.example` }
  const order = await shop.buy(buyer, { goods, promoCode: 'WELCOME10' })
  assert.equal(order.total, ASKED)
  return { order, words }
}

const sees = ({ page, sees }: Person) =>
  sees('the steps', page.getByText('Computed again: the same to the cent'), page.locator('.sum-row'))

async function findOut(person: Person, about: Case): Promise<void> {
  await findOrder(person, about)
  await sees(person)
}

export const why = journey<Case>({
  number: 7,
  name: '“why did I pay 61.88?”',
  bars: { seconds: 10, actions: 3 },
  runs: 5,
  prepare,
  place: '/customers',
  isReady: (page) => page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor(),
  byMouse: findOut,
  byKeyboard: findOut,
  async check(shop, { order }, page) {
    const rows = await page.locator('.sums tr').evaluateAll((all) =>
      (all as unknown as { className: string; querySelector: (what: string) => { textContent: string } }[]).map(
        (row) => ({
          isTotal: row.className === 'sum-row',
          cents: Math.round(
            Number(
              row
                .querySelector('td.num')
                .textContent.replaceAll('−', '-')
                .replaceAll(/[^\d.-]/g, ''),
            ) * 100,
          ),
        }),
      ),
    )
    const total = rows.find(({ isTotal }) => isTotal)?.cents
    const steps = rows.filter(({ isTotal }) => !isTotal).map(({ cents }) => cents)
    assert.equal(total, ASKED)
    assert.deepEqual(steps, [order.subtotal, -order.discount, order.shipping, order.tax])
    assert.equal(
      steps.reduce((sum, cents) => sum + cents, 0),
      ASKED,
    )
    const words = await page.locator('.sums').innerText()
    for (const said of ['44.00 + 13.94', '10% of 57.94', '7.25% of 52.15']) assert.ok(words.includes(said), words)
    const { addsUp } = await shop.read(`/orders/${order.id}/explain`)
    assert.equal(addsUp, true)
  },
})
