import type { Page } from 'playwright-core'

/** What there is to look at, by the API: `change` is somebody else who changes the paid order. */
export type Scene = { page: Page; isPhone: boolean; change: (fields: object) => Promise<void> }

export type Screen = {
  name: string
  /** `{business}`, `{slug}`, `{paid}` (an order), `{sent}` (a delivered one) and `{customer}` stand for ids of `npm run dev`. */
  address: string
  /** Before anybody has signed in. */
  isDoor?: boolean
  /** What of the service is answered otherwise: a path, and the answer; none is a line that is cut. */
  instead?: [path: RegExp, answer?: { status?: number; json: object }]
  /** What is done there before the picture is taken. */
  act?: (scene: Scene) => Promise<unknown>
}

const NONE = { json: { items: [], cursor: null, isExact: true } }
const BROKEN = {
  status: 503,
  json: { error: 'UNAVAILABLE', message: 'The service is busy. Try again in a moment.', details: [] },
}
const LISTED = /\/orders(\/counts?)?\?/

const byName =
  (name: string) =>
  ({ page }: Scene) =>
    page.getByRole('button', { name, exact: true }).first().click()

async function pick({ page, isPhone }: Scene, places?: number[]): Promise<void> {
  if (isPhone) await page.getByRole('button', { name: 'Select', exact: true }).click()
  const boxes = page.locator('tbody .check')
  for (const at of places ?? (await boxes.all()).keys()) await boxes.nth(at).click()
}

async function shipSome(scene: Scene): Promise<void> {
  await pick(scene)
  await scene.page.getByRole('button', { name: 'Mark shipped' }).click()
  await scene.page.getByLabel('Tracking numbers').fill('00340434161094042557\n00340434161094042558')
}

async function commentWhileCut({ page, isPhone }: Scene): Promise<void> {
  await page.getByPlaceholder('Comment for the team').fill('She wants it wrapped as a present.')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  if (isPhone) await page.getByRole('button', { name: 'Outbox' }).click()
  else await page.getByText('1 asked, not yet known').click()
}

async function openMerge({ page, change }: Scene): Promise<void> {
  await page.getByRole('button', { name: 'Change addresses and note' }).click()
  await page.getByLabel('Street and number').fill('9 Quay Road')
  await change({
    shippingAddress: {
      name: 'Ingrid Sørensen',
      street: '11 Pier Lane',
      city: 'Portland',
      state: 'ME',
      zip: '04101',
      country: 'US',
    },
  })
  await page.keyboard.press('Control+s')
  await page.getByRole('dialog').waitFor()
}

async function find({ page }: Scene): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('ingrid')
  await page.getByRole('option').first().waitFor()
}

const signInWrong = async ({ page }: Scene) => {
  await page.getByLabel('Email').fill('marit@harbour.example')
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.problem').waitFor()
}

/** Every screen, each with the states that matter. A new screen is added here. */
export const SCREENS: Screen[] = [
  { name: 'login', address: '/login', isDoor: true },
  { name: 'login-wrong', address: '/login', isDoor: true, act: signInWrong },
  { name: 'login-forgotten', address: '/login?forgotten=true', isDoor: true },
  { name: 'register', address: '/register', isDoor: true },
  { name: 'confirm', address: '/confirm?token=example', isDoor: true },
  { name: 'reset', address: '/reset-password?token=example', isDoor: true },
  { name: 'invitation', address: '/invitation?token=example', isDoor: true },
  { name: 'start', address: '/start' },

  { name: 'home', address: '/{business}' },
  { name: 'home-quiet', address: '/{business}', instead: [LISTED, NONE] },

  { name: 'orders', address: '/{business}/orders' },
  { name: 'orders-picked', address: '/{business}/orders', act: (scene) => pick(scene, [1, 3, 4]) },
  { name: 'orders-filter', address: '/{business}/orders', act: byName('Filter') },
  { name: 'orders-filtered', address: '/{business}/orders?paymentStatus=PAID&market=eu&from=2026-09-01' },
  { name: 'orders-nothing', address: '/{business}/orders?query=nobody' },
  { name: 'orders-empty', address: '/{business}/orders', instead: [LISTED, NONE] },
  { name: 'orders-broken', address: '/{business}/orders', instead: [LISTED, BROKEN] },
  { name: 'orders-ship', address: '/{business}/orders?status=PROCESSING', act: shipSome },

  { name: 'order', address: '/{business}/orders/{paid}' },
  { name: 'order-why', address: '/{business}/orders/{paid}?why=all' },
  {
    name: 'order-refund',
    address: '/{business}/orders/{paid}?sheet=refund',
    act: async ({ page }) => {
      await page.getByRole('checkbox').first().click()
      await page.getByRole('button', { name: /^Ask to refund \$/ }).waitFor()
    },
  },
  { name: 'order-ship', address: '/{business}/orders/{paid}?sheet=ship' },
  { name: 'order-return', address: '/{business}/orders/{sent}?sheet=return' },
  { name: 'order-sent', address: '/{business}/orders/{sent}' },
  {
    name: 'order-as-it-was',
    address: '/{business}/orders/{sent}',
    act: ({ page }) => page.getByRole('link', { name: 'As it was at …' }).click(),
  },
  { name: 'order-edit', address: '/{business}/orders/{paid}', act: byName('Change addresses and note') },
  { name: 'order-merge', address: '/{business}/orders/{paid}', act: openMerge },
  { name: 'order-broken', address: '/{business}/orders/{paid}', instead: [/\/orders\/ord_\w+$/, BROKEN] },
  { name: 'order-new', address: '/{business}/orders/new' },

  { name: 'customers', address: '/{business}/customers' },
  { name: 'customers-empty', address: '/{business}/customers', instead: [/\/customers\?/, NONE] },
  { name: 'customer', address: '/{business}/customers/{customer}' },

  { name: 'palette', address: '/{business}/orders', act: find },
  { name: 'keys', address: '/{business}/orders', act: ({ page }) => page.keyboard.press('?') },
  { name: 'not-found', address: '/{slug}/nowhere' },
  // The last: what was asked is told on whatever is opened next.
  { name: 'outbox', address: '/{business}/orders/{paid}', instead: [/\/comments/], act: commentWhileCut },
]
