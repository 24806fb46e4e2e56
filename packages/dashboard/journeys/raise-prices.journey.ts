import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { journey } from './journey.ts'
import type { Person } from './person.ts'
import type { Shop } from './shop.ts'

const PRODUCTS = 125
const VARIANTS = 4
const MOST_TO_UNDO = 3

type Case = { tag: string; before: number[] }

let batch = 0
/** Where the person is when it begins: in the list, with what is to be changed filtered, and `Bulk edit` pressed. */
let place = ''

async function prepare(shop: Shop): Promise<Case> {
  batch += 1
  const tag = `raise-${batch}`
  const lines = Array.from({ length: PRODUCTS }, (_, at) => ({
    name: `Chandlery ${batch} ${at}`,
    tags: [tag],
    statuses: [{ status: 'ACTIVE' }],
    variants: Array.from({ length: VARIANTS }, (_, size) => ({
      id: `size-${size}`,
      name: `Size ${size}`,
      sku: `CH-${batch}-${at}-${size}`,
      pricing: { markets: [{ marketId: 'us', price: 700 + at * 37 + size * 11 }] },
    })),
  }))
  for (const line of lines) await shop.write('POST', '/products', line)
  place = `/bulk-edits/new?tag=${tag}`
  return { tag, before: await pricesOf(shop, tag) }
}

async function pricesOf(shop: Shop, tag: string): Promise<number[]> {
  const prices: number[] = []
  for (let cursor = ''; ; ) {
    const page = await shop.read(`/products?tag=${tag}&limit=100&cursor=${cursor}`)
    for (const { variants } of page.items)
      for (const { pricing } of variants) prices.push(pricing.markets[0].price as number)
    if (page.cursor === null) return prices
    cursor = page.cursor
  }
}

const dryRun = ({ page, sees }: Person) =>
  sees(
    'every change',
    page.getByText('Dry run, nothing is written yet'),
    page.getByText(`${PRODUCTS} products will change`),
    page.locator('table.dry tbody tr[data-index]'),
  )
/** Down to the last one: nothing is left out. */
const seesLast = async ({ page }: Person) => {
  const last = page.locator(`table.dry tr[aria-rowindex="${PRODUCTS * VARIANTS + 1}"]`)
  while ((await last.count()) === 0) {
    await page.mouse.wheel(0, 4_000)
    await page.waitForTimeout(30)
  }
}
const applied = ({ page, sees }: Person) =>
  sees('that it is applied', page.getByText(`${PRODUCTS} products are changed`))
const undone = ({ page, sees }: Person) =>
  sees('that it is undone', page.getByText(`${PRODUCTS} products are as they were`))

export const raisePrices = journey<Case>({
  number: 5,
  name: 'raise prices of 500 variants by 5 %, rounded to .90, see every change, apply, undo',
  bars: { seconds: 40, actions: 12 },
  runs: 3,
  prepare,
  get place() {
    return place
  },
  isReady: (page: Page) => page.getByLabel('Per cent').waitFor(),
  async byMouse(person) {
    const { page } = person
    await person.type('5')
    await person.click(page.getByLabel('Ending of the price'))
    await person.type('.90')
    await person.click(page.getByRole('button', { name: 'Try it' }))
    await dryRun(person)
    await seesLast(person)
    await person.click(page.getByRole('button', { name: `Apply ${PRODUCTS} changes` }))
    await applied(person)
    const before = person.actions()
    await person.click(page.getByRole('button', { name: `Undo ${PRODUCTS} changes` }))
    await undone(person)
    assert.ok(person.actions() - before <= MOST_TO_UNDO)
  },
  async byKeyboard(person) {
    await person.type('5')
    await person.press('Tab')
    await person.type('.90')
    await person.press('Enter')
    await dryRun(person)
    await seesLast(person)
    await person.press('Control+Enter')
    await applied(person)
    const before = person.actions()
    await person.press('u')
    await undone(person)
    assert.ok(person.actions() - before <= MOST_TO_UNDO)
  },
  async check(shop, { tag, before }) {
    assert.equal(before.length, PRODUCTS * VARIANTS)
    assert.deepEqual(await pricesOf(shop, tag), before, 'all prices are as they were')
    const [edit] = (await shop.read('/bulk-edits?limit=1')).items
    assert.deepEqual([edit.status, edit.applied, edit.undone, edit.kept], ['UNDONE', PRODUCTS, PRODUCTS, 0])
    const items: { changes: { before: number; after: number }[] }[] = []
    for (let cursor = ''; ; ) {
      const page = await shop.read(`/bulk-edits/${edit.id}/items?limit=100&cursor=${cursor}`)
      items.push(...page.items)
      if (page.cursor === null) break
      cursor = page.cursor
    }
    for (const { before, after } of items.flatMap(({ changes }) => changes)) {
      assert.equal(after % 100, 90)
      assert.ok(Math.abs(after - before * 1.05) <= 50.5, `${before} became ${after}`)
    }
  },
})
