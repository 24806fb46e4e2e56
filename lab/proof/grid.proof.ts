import type { Page } from 'playwright-core'
import { launchBrowser } from '../../test/support/browser.ts'
import { enter, openDashboard } from '../../test/support/served-dashboard.ts'
import { percentile, type Run } from '../report/figures.ts'

export const title = 'Is a grid of 1,000 variants in 4 markets as quick as a short one?'

const OPEN_MS = 1_000
const KEY_MS = 50
const PASTE_MS = 500
const MOST_ROWS = 60
const MARKETS = { us: 'USD', eu: 'EUR', uk: 'GBP', se: 'SEK' }

/** One product of that size, opened, walked and typed through, and pasted into as a whole. */
export async function run({ quick, note }: Run) {
  const count = 1_000
  const turns = quick ? 3 : 7
  const [desk, browser] = await Promise.all([openDashboard(), launchBrowser()])
  try {
    const shop = await desk.make.shop()
    const terms = { taxBps: 0, taxShipping: false, shippingMethods: [], paymentMethods: ['CREDIT_CARD'] }
    const markets = Object.entries(MARKETS).map(([id, currency]) => ({ id, name: id, currency, ...terms }))
    await shop.admin.put(shop.path, { markets })
    const { body } = await shop.admin.post(shop.products, { name: 'Many', variants: variantsOf(count, markets) })
    const { page, context, complaints } = await enter(browser)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: desk.url })
    await page.goto(await desk.doorOf(shop.admin))
    await page.waitForURL(/\/admin\/business/)
    const list = `/admin/${shop.slug}/products`

    const opened = []
    for (let turn = 0; turn < turns; turn++) opened.push(await open(page, desk.url + list, `${list}/${body.id}`))
    await page.locator('[data-row="0"] [data-column="1"]').click()
    const arrows = await press(page, ['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowLeft'], 20)
    const idle = await press(page, ['Shift'], 40)
    const typed = await press(page, ['7', '8', 'Enter'], 20)
    const pasted = []
    for (let turn = 0; turn < turns; turn++) pasted.push(await paste(page, count, turn))
    const edited = await page.locator('.savebar').textContent()
    note(`opened: ${said(opened)}; arrows p95 ${percentile(arrows, 95).toFixed(0)} ms; pasted: ${said(pasted)}`)
    const after = await press(page, ['9', '1', 'Enter'], 20)
    const rows = await page.locator('[data-row]').count()
    const most = (name: string, value: number, unit: string, limit: number) => ({
      name,
      value,
      unit,
      goal: `≤ ${limit}`,
      ok: value <= limit,
    })
    return {
      figures: [
        { name: 'cells with a price', value: count * markets.length, unit: '' },
        most('opened from the list, median', percentile(opened, 50), 'ms', OPEN_MS),
        { name: 'a key that does nothing to the next paint, p95', value: percentile(idle, 95), unit: 'ms' },
        most('an arrow to its paint, p95', percentile(arrows, 95), 'ms', KEY_MS),
        most('a key to its paint, p95', percentile(typed, 95), 'ms', KEY_MS),
        most('a paste of 4,000 cells to its paint, median', percentile(pasted, 50), 'ms', PASTE_MS),
        most('a key to its paint with 4,000 cells edited, p95', percentile(after, 95), 'ms', KEY_MS),
        most('rows in the page, at most', rows, '', MOST_ROWS),
        {
          name: 'cells that the save bar counts after the paste',
          value: Number(/Save (\d+)/.exec(edited ?? '')?.[1]),
          unit: '',
          ok: Number(/Save (\d+)/.exec(edited ?? '')?.[1]) >= count * markets.length,
        },
        most('complaints of the page', complaints.length, '', 0),
      ],
    }
  } finally {
    await browser.close()
    await desk.close()
  }
}

const said = (values: readonly number[]) => `${values.map((value) => value.toFixed(0)).join(', ')} ms`

const variantsOf = (count: number, markets: readonly { id: string }[]) =>
  Array.from({ length: count }, (_, index) => ({
    id: `variant-${index}`,
    name: `Colour ${index % 40}, Size ${Math.floor(index / 40)}`,
    sku: `SKU-${String(index).padStart(6, '0')}`,
    attributes: [
      { name: 'Colour', value: `Colour ${index % 40}` },
      { name: 'Size', value: `Size ${Math.floor(index / 40)}` },
    ],
    pricing: { markets: markets.map(({ id }) => ({ marketId: id, price: 10_000 + index })) },
    inventory: { quantity: index, lowStockThreshold: 5 },
  }))

/** From the list, by its address, until the first row of the grid is drawn. The product is not in the cache. */
async function open(page: Page, list: string, place: string): Promise<number> {
  await page.goto(list)
  await page.locator('tbody tr[data-index]').first().waitFor()
  // The code of the page is fetched when somebody points at a row.
  await page.locator('[data-row-link]').first().hover()
  await page.waitForTimeout(500)
  return page.evaluate<number>(`(async () => {
    const start = performance.now()
    __TSR_ROUTER__.history.push(${JSON.stringify(place)})
    while (!document.querySelector('[data-row="0"]')) await new Promise((resolve) => requestAnimationFrame(resolve))
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    return performance.now() - start
  })()`)
}

/** Each key by itself, from the moment that the browser has it until the frame after it is drawn. */
async function press(page: Page, keys: readonly string[], times: number): Promise<number[]> {
  await page.evaluate(`(() => {
    globalThis.painted = []
    globalThis.listening ??= (addEventListener('keydown', (event) => {
      const since = event.timeStamp
      requestAnimationFrame(() => setTimeout(() => painted.push(performance.now() - since)))
    }, true), true)
  })()`)
  for (let turn = 0; turn < times; turn++)
    for (const key of keys) {
      await page.keyboard.press(key)
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))')
    }
  return page.evaluate<number[]>('painted')
}

/** As many lines as there are variants, in all markets. */
async function paste(page: Page, count: number, turn: number): Promise<number> {
  const lines = Array.from({ length: count }, (_, index) =>
    Array.from({ length: 4 }, (_unused, market) => (11 + turn + market + index / 100).toFixed(2)).join('\t'),
  )
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(lines.join('\n'))})`)
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('ArrowRight')
  await page.evaluate(`(() => {
    globalThis.pasted = new Promise((resolve) => addEventListener('paste', (event) => {
      const since = event.timeStamp
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - since)))
    }, { capture: true, once: true }))
  })()`)
  await page.keyboard.press('Control+v')
  return page.evaluate<number>('pasted')
}
