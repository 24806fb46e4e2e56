import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { isNarrow, PHONE } from './desk.ts'
import { journey } from './journey.ts'
import type { Person } from './person.ts'
import type { Goods, Order, Shop } from './shop.ts'

type Case = { order: Order; words: string }

let goods: Goods[] | undefined
let count = 0

async function prepare(shop: Shop): Promise<Case> {
  goods ??= [{ ...(await shop.makeProduct('Pilot Flask', 4_100)), quantity: 1 }]
  const words = `runa${++count}@evening.example`
  return { order: await shop.buy({ name: 'Runa Eide', email: words }, { goods }), words }
}

const homeShows = (page: Page) => page.locator('.hero .figure').first()
const lists = (page: Page) => page.locator('tbody tr[data-index]')

/** Home says whether it sold; from there to the insights, to today, and to the orders behind the figure. */
async function byMouse(person: Person, { order }: Case): Promise<void> {
  const { page } = person
  await person.sees('home', homeShows(page))
  await isNarrow(page)
  await person.click(page.getByRole('link', { name: 'All insights' }))
  await person.sees('revenue', page.getByRole('link', { name: /^Net sales/ }))
  await isNarrow(page)
  await person.click(page.getByRole('link', { name: 'Today', exact: true }))
  await person.sees('today by the hour', page.locator('.insights .columns'))
  await person.click(page.getByRole('link', { name: 'Products' }).first())
  await person.sees('what sells', page.locator('.ranking tbody tr'))
  await isNarrow(page)
  await person.click(page.locator('.ranking').getByRole('link', { name: 'Pilot Flask' }).first())
  await person.sees('the orders behind it', lists(page).filter({ hasText: order.number }))
  await isNarrow(page)
}

/** With a keyboard: to the insights, to the newest column, and into its orders. */
async function byKeyboard(person: Person, { order }: Case): Promise<void> {
  const { page } = person
  await person.sees('home', homeShows(page))
  await isNarrow(page)
  await person.press('g')
  await person.press('a', { isRest: true })
  await person.sees('revenue', page.locator('.insights .columns'))
  await isNarrow(page)
  await person.press('j')
  await page.locator('.column:focus').waitFor()
  await person.press('Enter')
  await person.sees('the orders behind it', lists(page).filter({ hasText: order.number }))
  await isNarrow(page)
}

export const owner = journey<Case>({
  number: 13,
  name: 'the owner, on a phone of 360 px, on Sunday evening: did we sell, what, and which orders are these',
  bars: { seconds: 60, actions: 8 },
  runs: 5,
  prepare,
  open: (page) => page.setViewportSize(PHONE),
  place: '',
  isReady: (page) => page.locator('.hero .figure .value').first().waitFor(),
  byMouse,
  byKeyboard,
  async check(shop, { order }, page) {
    const { searchParams } = new URL(page.url())
    const asked = new URLSearchParams([...searchParams].filter(([name]) => name !== 'view'))
    const { items } = await shop.read(`/orders?${asked.toString()}&limit=100`)
    const found = items.map(({ id }: Order) => id)
    assert.ok(found.includes(order.id), 'the list has the order that was just paid')
    const shown = await lists(page).count()
    assert.ok(shown > 0 && shown <= found.length, `${shown} of ${found.length} orders are shown`)
  },
})
