import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { assertFits } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { type DemoDesk, openDemoDesk } from '../support/demo-desk.ts'
import { reusePage } from '../support/reused-page.ts'
import { look } from '../support/served-dashboard.ts'
import { until } from '../support/until.ts'

let desk: DemoDesk
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
before(async () => {
  desk = await openDemoDesk()
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  await browser?.close()
  await desk?.close()
})

async function open(place: string) {
  const { page, context, complaints } = await enterAgain()
  await desk.signIn(context)
  await page.goto(desk.at(place))
  return { page, context, complaints }
}

const pricesOf = async (query: string) => {
  const { body } = await desk.owner.get(`${desk.business}/products?${query}&limit=100`)
  type Variant = { pricing: { markets: { marketId: string; price: number }[] } }
  return body.items.flatMap(({ variants }: { variants: Variant[] }) =>
    variants.map(({ pricing }) => pricing.markets.find(({ marketId }) => marketId === 'us')?.price),
  ) as number[]
}

test('prices are raised by five per cent: tried, looked at, applied, and undone', async () => {
  const query = 'query=mug'
  const before = await pricesOf(query)
  assert.ok(before.length > 3, `${before.length} prices`)
  const { page, complaints } = await open(`/bulk-edits/new?${query}`)
  await page.getByRole('heading', { name: 'New bulk edit' }).waitFor()
  await page.getByText('of products with words: mug').waitFor()
  await look(page, 'bulk-edit-new')
  await page.setViewportSize({ width: 390, height: 844 })
  await assertFits(page, 'bulk-edit-new-390')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByLabel('Per cent').press('Enter')
  assert.match(page.url(), /bulk-edits\/new/, 'an empty line is not sent')
  await page.getByLabel('Per cent').fill('+5')
  await page.getByLabel('Ending of the price').fill('.90')
  await page.keyboard.press('Enter')

  await page.getByText('Dry run, nothing is written yet').waitFor()
  const rows = page.locator('table.dry tbody tr[data-index]')
  await rows.first().waitFor()
  assert.deepEqual(await pricesOf(query), before, 'nothing is written by trying')
  await look(page, 'bulk-edit-ready')
  await page.setViewportSize({ width: 390, height: 844 })
  await assertFits(page, 'bulk-edit-ready-390')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: /^Apply \d+ change/ }).click()
  await page.getByRole('button', { name: /^Undo \d+ change/ }).waitFor()
  const raised = await pricesOf(query)
  for (const [at, price] of raised.entries()) {
    assert.equal(price % 100, 90)
    assert.ok(Math.abs(price - (before[at] ?? 0) * 1.05) <= 50.5, `${before[at]} became ${price}`)
  }
  await look(page, 'bulk-edit-done')

  const { body } = await desk.owner.get(`${desk.business}/products?${query}&limit=1`)
  await desk.owner.put(`${desk.business}/products/${body.items[0].id}`, { name: 'Renamed in between' })
  await page.getByRole('button', { name: /^Undo \d+ change/ }).click()
  await page.getByRole('link', { name: 'Left alone 1' }).click()
  await page.getByText('Renamed in between').first().waitFor()
  await page.getByText('Left alone: changed since').first().waitFor()
  await page.getByText('Undone', { exact: true }).waitFor()
  await look(page, 'bulk-edit-undone')
  assert.deepEqual(complaints, [])
})

test('what to look at comes first, and a dry run can be thrown away', async () => {
  const { page, complaints } = await open('/bulk-edits/new')
  await page.getByText('of all products').waitFor()
  await page.getByLabel('Per cent').fill('-40')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: /^Look first/ }).click()
  await page.waitForURL(/show=warned/)
  await page.getByText('Down by more than 30 %').first().waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByText('Bulk edit discarded. No products changed.').waitFor()
  await page.waitForURL(/\/bulk-edits$/)
  assert.deepEqual(complaints, [])
})

test('selected products get a tag, and the address says which', async () => {
  const { body } = await desk.owner.get(`${desk.business}/products?limit=3`)
  const ids = body.items.map(({ id }: { id: string }) => id) as string[]
  const { page, complaints } = await open(`/bulk-edits/new?${ids.map((id) => `ids=${id}`).join('&')}`)
  await page.getByText('of 3 products').waitFor()
  await page.getByLabel('What').selectOption('tags')
  await page.getByLabel('Tag').fill('autumn')
  await page.getByRole('button', { name: /^Try it/ }).click()
  await page.getByRole('button', { name: 'Apply 3 changes' }).click()
  await page.getByText('3 products are changed').waitFor()
  await until('they have it', async () => {
    const { body } = await desk.owner.get(`${desk.business}/products?tag=autumn`)
    return body.items.length === 3
  })
  await page.getByRole('link', { name: 'Earlier edits' }).click()
  await page.getByRole('link', { name: 'Tag autumn added' }).waitFor()
  await look(page, 'bulk-edits')
  assert.deepEqual(complaints, [])
})
