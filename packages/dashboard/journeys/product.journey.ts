import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { until } from '../../../test/support/until.ts'
import { journey } from './journey.ts'
import type { Person } from './person.ts'

type Case = { name: string; posts: string[] }

const PICTURES = ['https://pictures.example/mug-navy.jpg', 'https://pictures.example/mug-cream.webp']
/** From a spreadsheet: twelve lines, dollars as they are written here and euros as they are written there. */
const PRICES = Array.from({ length: 12 }, (_, index) => `${20 + index}.50\t${18 + index},90`).join('\n')
const REST = { isRest: true }

let count = 0

/** All that is sent to the list of products. */
function watch(page: Page, about: Case): void {
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() !== 'GET' && /\/products(\/|$)/.test(pathname))
      about.posts.push(`${request.method()} ${pathname}`)
  })
}

const cell = ({ page }: Person, row: number, column: number) =>
  page.locator(`[data-row="${row}"] [data-column="${column}"]`)
const STOCK = 3

async function seesIt(person: Person, { name }: Case): Promise<void> {
  const { page } = person
  await page.waitForURL(/\/products\/prod_/)
  await person.sees(
    'the product',
    page.getByRole('heading', { level: 1, name }),
    page.getByText('12 variants, 2 markets'),
  )
}

export const product = journey<Case>({
  number: 2,
  name: 'a product, 12 variants (3 × 4), prices in two markets, stock, images by address',
  bars: { seconds: 60, actions: 25 },
  runs: 3,
  isTriedWithLosses: true,
  prepare: async () => {
    count += 1
    return { name: `Quay Mug ${count}`, posts: [] }
  },
  place: '/products',
  isReady: (page) => page.locator('tbody tr[data-index]').first().waitFor(),
  async byMouse(person, about) {
    const { page } = person
    watch(page, about)
    const field = (name: string) => page.getByLabel(name, { exact: true })
    await person.click(page.getByRole('button', { name: 'New product' }))
    await person.sees('an empty product', field('Name'))
    await person.type(about.name, REST)
    await person.click(page.getByRole('button', { name: 'Variants', exact: true }))
    await person.sees('the options', field('Option'))
    await person.type('Colour', REST)
    await person.click(field('Values, with commas'))
    await person.type('Navy, Cream, Red', REST)
    await person.click(field('Option 2'))
    await person.type('Size', REST)
    await person.click(field('Values of option 2'))
    await person.type('S, M, L, XL', REST)
    await person.click(page.getByRole('button', { name: 'Make 12 variants' }))
    await person.sees('the grid', cell(person, 11, 1))
    await person.paste(PRICES)
    await person.sees('the prices', cell(person, 11, 2).getByText('29.90'))
    await person.click(cell(person, 0, STOCK))
    await person.type('24', REST)
    await person.click(page.getByRole('button', { name: 'Fill down' }))
    await person.sees('the stock', cell(person, 11, STOCK).getByText('24'))
    await person.click(page.getByRole('button', { name: 'By address' }))
    await person.sees('where pictures go', field('Addresses, one a line'))
    await person.paste(PICTURES.join('\n'))
    await person.click(page.getByRole('button', { name: 'Add', exact: true }))
    await person.click(page.getByRole('button', { name: /^Save \d+/ }))
    await seesIt(person, about)
  },
  async byKeyboard(person, about) {
    const { page } = person
    watch(page, about)
    await person.press('c')
    await page.getByLabel('Name', { exact: true }).waitFor()
    await person.type(about.name, REST)
    await person.press('Control+m')
    await page.getByLabel('Option', { exact: true }).waitFor()
    await person.type('Colour', REST)
    await person.press('Tab', REST)
    await person.type('Navy, Cream, Red', REST)
    await person.press('Tab', REST)
    await person.press('Tab', REST)
    await person.type('Size', REST)
    await person.press('Tab', REST)
    await person.type('S, M, L, XL', REST)
    await person.press('Enter')
    await person.sees('the grid', cell(person, 11, 1))
    await person.paste(PRICES)
    await person.sees('the prices', cell(person, 11, 2).getByText('29.90'))
    await person.press('Control+ArrowUp')
    await person.press('ArrowRight', REST)
    await person.type('24', REST)
    await person.press('Control+Shift+ArrowDown')
    await person.press('Control+d', REST)
    await person.sees('the stock', cell(person, 11, STOCK).getByText('24'))
    await person.press('Control+i')
    await page.getByLabel('Addresses, one a line').waitFor()
    await person.paste(PICTURES.join('\n'))
    await person.press('Control+Enter')
    await page.getByRole('img', { name: 'Picture 2' }).waitFor()
    await person.press('Control+s')
    await seesIt(person, about)
  },
  /** All of it is there once, and one request made it. */
  async check(shop, { name, posts }) {
    assert.equal(new Set(posts).size, 1, posts.join())
    const found = async () =>
      (await shop.read(`/products?query=${encodeURIComponent(name)}&limit=100`)).items.filter(
        (one: { name: string }) => one.name === name,
      )
    await until('it is found', async () => (await found()).length > 0)
    const [made, ...others] = await found()
    assert.deepEqual(others, [])
    assert.deepEqual(
      made.gallery.map(({ url }: { url: string }) => url),
      PICTURES,
    )
    assert.equal(made.variants.length, 12)
    for (const [index, { attributes, pricing, inventory }] of made.variants.entries()) {
      assert.equal(attributes.length, 2)
      assert.equal(inventory.quantity, 24)
      const prices = Object.fromEntries(
        pricing.markets.map(({ marketId, price }: { marketId: string; price: number }) => [marketId, price]),
      )
      assert.deepEqual(prices, { us: 2_050 + 100 * index, eu: 1_890 + 100 * index })
    }
  },
})
