import assert from 'node:assert/strict'
import { until } from '../../../test/support/until.ts'
import { findOrder } from './find-order.ts'
import { journey } from './journey.ts'
import type { Person } from './person.ts'
import type { Goods, Order, Shop } from './shop.ts'

type Case = { order: Order; words: string }

/** One for each run, so that each caller is found. */
const SURNAMES =
  'Aasen Bakke Dahl Eide Fossum Grande Haugen Iversen Johnsen Kvam Lunde Moen Nygaard Opdal Prestmo Ruud Solberg Tangen Ulven Vik Wold Ytre Aune Berge'.split(
    ' ',
  )

let goods: Goods[] | undefined
let count = 0

const makeGoods = async (shop: Shop): Promise<Goods[]> => [
  { ...(await shop.makeProduct('Deck Mug', 2_200)), quantity: 2 },
  { ...(await shop.makeProduct('Deck Lantern', 6_400)), quantity: 1 },
]

/** What the caller says: a part of the email address, of the number, of the name. */
async function prepare(shop: Shop): Promise<Case> {
  goods ??= await makeGoods(shop)
  count += 1
  const surname = SURNAMES[count % SURNAMES.length] ?? ''
  const name = `Ingrid ${surname}`
  const email = `ingrid.${surname.toLowerCase()}@home.example`
  const order = await shop.buy({ name, email }, { goods })
  const parts = [email.slice(0, email.indexOf('@')), order.number, surname]
  return { order, words: parts[count % parts.length] ?? email }
}

const mug = ({ page }: Person) => page.getByRole('checkbox', { name: /Deck Mug/ })
/** 22.00 and its tax. */
const REFUND = 2_360
const ask = ({ page }: Person) =>
  page.getByRole('button', { name: 'Ask to refund $ 23.60' }).and(page.locator(':not([aria-disabled=true])'))

async function seesIt(person: Person): Promise<void> {
  const { page } = person
  await person.sees(
    'that it is asked for',
    page
      .locator('.asked, .timeline')
      .getByText(/asked|Refund/)
      .first(),
  )
  await page.locator('.sheet').waitFor({ state: 'detached' })
}

export const refund = journey<Case>({
  number: 3,
  name: 'a customer calls: find the order by a part of email, number or name; refund one line in part',
  bars: { seconds: 20, actions: 8 },
  runs: 5,
  isTriedWithLosses: true,
  prepare,
  place: '/customers',
  isReady: (page) => page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor(),
  async byMouse(person, about) {
    const { page } = person
    await findOrder(person, about)
    await person.sees('the order', page.getByRole('heading', { level: 1, name: about.order.number }))
    await person.click(page.getByRole('button', { name: 'Refund', exact: true }))
    await person.sees('the refund', mug(person))
    await person.click(mug(person))
    await person.sees('what it comes to', ask(person))
    await person.click(ask(person))
    await seesIt(person)
  },
  async byKeyboard(person, about) {
    const { page } = person
    await findOrder(person, about)
    await person.sees('the order', page.getByRole('heading', { level: 1, name: about.order.number }))
    await person.press('r')
    await person.sees('the refund', mug(person))
    await person.press('Space')
    await person.sees('what it comes to', ask(person))
    await person.press('Control+Enter')
    await seesIt(person)
  },
  /** Once, of the right sum, and the provider has paid it back once. */
  async check(shop, { order }) {
    const refunds = async () =>
      (await shop.read(`/orders/${order.id}/refunds`)).items as { amount: number; status: string }[]
    await until('the money went back', async () => (await refunds()).some(({ status }) => status === 'SUCCEEDED'), {
      withinMs: 60_000,
      everyMs: 200,
    })
    assert.deepEqual(
      (await refunds()).map(({ amount }) => amount),
      [REFUND],
    )
    const { refundedAmount } = await shop.read(`/orders/${order.id}`)
    assert.equal(refundedAmount, REFUND)
  },
})
