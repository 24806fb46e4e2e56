import type { Page } from 'playwright-core'

export type Screen = {
  name: string
  /** `{business}` stands for the business of `npm run dev`. */
  address: string
  /** Before anybody has signed in. */
  isDoor?: boolean
  /** What is done there before the picture is taken. */
  act?: (page: Page, isPhone: boolean) => Promise<void>
}

async function pickThree(page: Page, isPhone: boolean): Promise<void> {
  if (isPhone) await page.getByRole('button', { name: 'Select', exact: true }).click()
  const boxes = page.locator('tbody .check')
  for (const at of [1, 3, 4]) await boxes.nth(at).click()
}

const openFirst = async (page: Page): Promise<void> => {
  await page.locator('tbody tr a:visible').first().click()
  await page.waitForURL(/\/(orders|customers)\/\w+/)
  await page.locator('.timeline, .record').first().waitFor()
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
}

/** Every screen, each with the states that matter. A new screen is added here. */
export const SCREENS: Screen[] = [
  { name: 'login', address: '/admin/login', isDoor: true },
  { name: 'login-forgotten', address: '/admin/login?forgotten=true', isDoor: true },
  { name: 'start', address: '/admin/start' },
  { name: 'home', address: '/admin/{business}' },
  { name: 'orders', address: '/admin/{business}/orders' },
  { name: 'orders-picked', address: '/admin/{business}/orders', act: pickThree },
  { name: 'orders-filtered', address: '/admin/{business}/orders?paymentStatus=PAID&market=eu&from=2026-09-01' },
  { name: 'orders-nothing', address: '/admin/{business}/orders?query=nobody' },
  {
    name: 'orders-filter',
    address: '/admin/{business}/orders',
    act: (page) => page.getByRole('button', { name: 'Filter', exact: true }).click(),
  },
  {
    name: 'orders-ship',
    address: '/admin/{business}/orders?status=PROCESSING',
    act: async (page, isPhone) => {
      if (isPhone) await page.getByRole('button', { name: 'Select', exact: true }).click()
      for (const box of await page.locator('tbody .check').all()) await box.click()
      await page.getByRole('button', { name: 'Mark shipped' }).click()
      await page.getByLabel('Tracking numbers').fill('00340434161094042557\n00340434161094042558')
    },
  },
  { name: 'order', address: '/admin/{business}/orders?status=PROCESSING', act: openFirst },
  {
    name: 'order-why',
    address: '/admin/{business}/orders?status=PROCESSING',
    act: async (page) => {
      await openFirst(page)
      await page.keyboard.press('w')
      await page.waitForTimeout(700)
    },
  },
  { name: 'order-new', address: '/admin/{business}/orders/new' },
  { name: 'customers', address: '/admin/{business}/customers' },
  { name: 'customer', address: '/admin/{business}/customers', act: openFirst },
  {
    name: 'palette',
    address: '/admin/{business}/orders',
    act: async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('lan')
      await page.waitForTimeout(700)
    },
  },
  { name: 'keys', address: '/admin/{business}/orders', act: (page) => page.keyboard.press('?') },
  { name: 'not-found', address: '/admin/{business}/nowhere' },
]
