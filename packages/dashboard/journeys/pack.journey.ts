import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { pagesOf } from '../../../test/support/pdf.ts'
import { until } from '../../../test/support/until.ts'
import { journey } from './journey.ts'
import type { Person } from './person.ts'
import type { Goods, Order, Shop } from './shop.ts'

const COUNT = 20
const A4_WIDTH = 595
const NAMES =
  'Amund Berit Corin Dagny Einar Frida Guro Halvor Inga Jarl Kari Leif Marit Nora Odd Petra Runa Signe Tor Ulrik'.split(
    ' ',
  )

type Case = { orders: Order[]; pasted: string; slips: Buffer | undefined }

let goods: Goods[] | undefined
let batch = 0

async function prepare(shop: Shop): Promise<Case> {
  goods ??= [{ ...(await shop.makeProduct('Sailmaker’s Twine', 1_250)), quantity: 2 }]
  batch += 1
  const people = Array.from({ length: COUNT }, (_, index) => {
    const first = NAMES[index % NAMES.length] ?? ''
    return { name: `${first} Lund`, email: `${first.toLowerCase()}${batch}@lund.example` }
  })
  const orders = await shop.buyMany(people, { goods })
  // The carrier's list, in an order of its own.
  const pasted = orders
    .toReversed()
    .map(({ number }) => `${number}\t${trackingOf(number)}`)
    .join('\n')
  return { orders, pasted, slips: undefined }
}

const trackingOf = (number: string) => `0034${number.replace('-', '')}7`

/** The slips open beside; they are printed, and closed. */
async function prints(person: Person, about: Case, ask: () => Promise<void>): Promise<void> {
  const { page } = person
  const opened = page.waitForEvent('popup')
  const slips = Promise.withResolvers<Buffer>()
  await page.route('**/packing-slips?**', async (route) => {
    const response = await route.fetch()
    slips.resolve(await response.body())
    await route.fulfill({ response })
  })
  await ask()
  about.slips = await slips.promise
  person.outside(3) // print, confirm, close
  await (await opened).close()
}

const shipped = (person: Person) =>
  person.sees('that they are shipped', person.page.getByText(`${COUNT} orders marked shipped.`))
const toPack = (page: Page) => page.getByRole('link', { name: `${COUNT} orders to pack` })
const list = ({ page, sees }: Person) =>
  sees('what is to pack', page.getByText(`${COUNT} orders`, { exact: true }), page.locator('tbody tr[data-index]'))
const selected = ({ page, sees }: Person) => sees('that all are selected', page.getByText(`${COUNT} selected`))
const sheet = ({ page, sees }: Person) => sees('the sheet', page.getByLabel('Tracking numbers'))
const matched = (person: Person, { orders }: Case) =>
  person.sees(
    'the numbers',
    ...orders.slice(0, 1).map(({ number }) => person.page.getByLabel(`Tracking number of ${number}`)),
  )

export const pack = journey<Case>({
  number: 4,
  name: 'pack 20 paid orders: select, print slips, mark shipped with numbers pasted',
  bars: { seconds: 45, actions: 10 },
  runs: 3,
  prepare,
  place: '',
  isReady: (page: Page) => toPack(page).waitFor(),
  async byMouse(person, about) {
    const { page } = person
    await person.click(toPack(page))
    await list(person)
    await person.click(page.getByLabel('Select all'))
    await selected(person)
    await prints(person, about, () => person.click(page.getByRole('button', { name: 'Print slips' })))
    await person.click(page.getByRole('button', { name: 'Mark shipped' }))
    await sheet(person)
    await person.paste(about.pasted)
    await matched(person, about)
    await person.click(page.getByRole('button', { name: `Mark ${COUNT} orders shipped` }))
    await shipped(person)
  },
  async byKeyboard(person, about) {
    await person.press('g')
    await person.press('t')
    await list(person)
    await person.press('a')
    await selected(person)
    await prints(person, about, () => person.press('p'))
    await person.press('s')
    await sheet(person)
    await person.paste(about.pasted)
    await matched(person, about)
    await person.press('Control+Enter')
    await shipped(person)
  },
  async check(shop, { orders, slips }) {
    const parcels = async (id: string) =>
      (await shop.read(`/orders/${id}/shipments`)).items as { trackingNumber: string }[]
    for (const { id, number } of orders) {
      await until(`${number} is shipped`, async () => (await parcels(id)).length > 0, { withinMs: 5_000 })
      assert.deepEqual(
        (await parcels(id)).map(({ trackingNumber }) => trackingNumber),
        [trackingOf(number)],
      )
    }
    const pages = pagesOf(slips ?? Buffer.alloc(0))
    assert.equal(pages.length, COUNT, 'a page for each order')
    assert.ok(
      pages.every(({ width }) => Math.floor(width) === A4_WIDTH),
      'on A4',
    )
    for (const { number } of orders)
      assert.ok(
        pages.some(({ texts }) => texts.join(' ').includes(number)),
        number,
      )
  },
})
