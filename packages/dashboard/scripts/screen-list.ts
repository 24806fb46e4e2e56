import type { Page } from 'playwright-core'
import { drawPicture } from '../../../test/support/pictures.ts'

/** What there is to look at, by the API: `change` is somebody else who changes the paid order. */
export type Scene = { page: Page; isPhone: boolean; change: (fields: object) => Promise<void> }

export type Screen = {
  name: string
  /**
   * `{business}`, `{slug}`, `{paid}` (an order), `{sent}` (a delivered one), `{customer}`, `{product}`, `{variant}`, `{category}`,
   * `{promo}`, `{collection}`, `{entry}`, `{newsletter}`, `{letter}` and `{send}` stand for ids of `npm run dev`.
   */
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

/** The same ones each time: the library has them once. */
async function uploadSome({ page }: Scene): Promise<void> {
  const shapes = [
    [1_600, 1_067],
    [800, 1_400],
    [3_000, 700],
    [900, 900],
  ] as const
  const files = shapes.map(async ([width, height], index) => ({
    name: ['harbour.jpg', 'lighthouse.jpg', 'coast.jpg', 'lantern.jpg'][index] ?? '',
    mimeType: 'image/jpeg',
    buffer: await drawPicture(index, width, height),
  }))
  await page.getByLabel('Files to upload').setInputFiles(await Promise.all(files))
  await page.getByText('4 files uploaded').waitFor()
}

async function openFile(scene: Scene): Promise<void> {
  await uploadSome(scene)
  await scene.page.getByRole('button', { name: 'Close the list of uploads' }).click()
  await scene.page.locator('[data-tile]', { hasText: 'harbour.jpg' }).click()
  await scene.page.getByRole('button', { name: /^Focal point/ }).press('Shift+ArrowLeft')
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
  else await page.getByText('1 pending').click()
}

async function requirePicture({ page }: Scene): Promise<void> {
  await page.getByRole('button', { name: /^Add a field/ }).click()
  await page.getByRole('menuitem', { name: 'Text', exact: true }).click()
  await page.getByLabel('Label').fill('Teaser')
  await page.getByLabel('Required before an entry is published').check()
  await page.getByText('would no longer fit').waitFor()
}

async function editGrid({ page }: Scene): Promise<void> {
  const cell = (row: number, column: number) => page.locator(`[data-row="${row}"] [data-column="${column}"]`)
  const put = async (row: number, column: number, text: string) => {
    await cell(row, column).click()
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
  await page.getByLabel('Description').fill('Stahl, zweimal emailliert. Eine Kerbe ist eine Narbe, kein Fehler.')
  await put(1, 1, '22.90')
  await put(2, 2, '249')
  await put(1, 3, '+ 24')
  await cell(3, 1).click()
  await page.keyboard.press('Delete')
  await cell(1, 2).click()
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

/** Holds the first category below the second one of the next branch. */
async function dragFirst({ page }: Scene): Promise<void> {
  const grip = await page.locator('.branch .grip').nth(1).boundingBox()
  const aim = await page.locator('.branch').nth(5).boundingBox()
  if (!grip || !aim) return
  await page.mouse.move(grip.x + 8, grip.y + 16)
  await page.mouse.down()
  await page.mouse.move(grip.x + 14, aim.y - 20, { steps: 4 })
  await page.mouse.move(grip.x + 14, aim.y + aim.height, { steps: 4 })
}

async function tryMug({ page }: Scene): Promise<void> {
  const goods = page.getByRole('combobox', { name: 'Find goods' })
  await goods.fill('watch mug')
  await page.locator('.found [role=option]').first().waitFor()
  await goods.press('Enter')
  await page.locator('.new-lines .sum-row').waitFor()
  await page.locator('.try').scrollIntoViewIfNeeded()
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

async function countSome({ page }: Scene): Promise<void> {
  await page.getByText('are known without a line').waitFor()
  for (const text of ['Watch Mug', 'Lantern']) {
    await page.getByLabel('SKU').fill(text)
    await page.keyboard.press('Enter')
    const which = page.locator('.which button').first()
    await Promise.race([which.click(), page.locator('.counts > li', { hasText: text }).waitFor()])
  }
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
  { name: 'insights', address: '/{business}/insights' },
  { name: 'insights-table', address: '/{business}/insights?as=table&time=12m' },
  { name: 'insights-products', address: '/{business}/insights?report=products' },
  { name: 'insights-customers', address: '/{business}/insights?report=customers' },
  { name: 'insights-codes', address: '/{business}/insights?report=promo-codes' },
  { name: 'insights-readers', address: '/{business}/insights?report=readers' },
  { name: 'insights-today', address: '/{business}/insights?time=today' },

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

  { name: 'bulk-edits', address: '/{business}/bulk-edits' },
  { name: 'bulk-edit-new', address: '/{business}/bulk-edits/new?query=mug' },
  { name: 'products', address: '/{business}/products' },
  { name: 'products-picked', address: '/{business}/products', act: (scene) => pick(scene, [1, 3, 4]) },
  { name: 'products-filter', address: '/{business}/products', act: byName('Filter') },
  { name: 'products-filtered', address: '/{business}/products?status=ACTIVE&inStock=true&priceFrom=2000&sort=-price' },
  { name: 'products-nothing', address: '/{business}/products?query=nobody' },
  { name: 'products-empty', address: '/{business}/products', instead: [/\/products(\/counts?)?\?/, NONE] },
  { name: 'product', address: '/{business}/products/{product}' },
  { name: 'product-edited', address: '/{business}/products/{product}?locale=de', act: editGrid },
  { name: 'product-history', address: '/{business}/products/{product}?tab=history' },
  { name: 'product-new', address: '/{business}/products/new', act: byName('Variants') },

  { name: 'stock', address: '/{business}/stock' },
  { name: 'stock-low', address: '/{business}/stock?show=low' },
  { name: 'stock-nothing', address: '/{business}/stock?query=nothing-like-it' },
  { name: 'stock-broken', address: '/{business}/stock', instead: [/\/stock\?/, BROKEN] },
  { name: 'stock-statement', address: '/{business}/stock/{product}/{variant}' },
  { name: 'stock-count', address: '/{business}/stock/count', act: countSome },

  { name: 'media', address: '/{business}/media', act: uploadSome },
  { name: 'media-empty', address: '/{business}/media', instead: [/\/media\?/, NONE] },
  { name: 'media-file', address: '/{business}/media', act: openFile },
  { name: 'media-picker', address: '/{business}/products/{product}', act: byName('Add pictures') },

  { name: 'customers', address: '/{business}/customers' },
  { name: 'customers-empty', address: '/{business}/customers', instead: [/\/customers\?/, NONE] },
  { name: 'customer', address: '/{business}/customers/{customer}' },

  { name: 'categories', address: '/{business}/categories' },
  {
    name: 'categories-menu',
    address: '/{business}/categories',
    act: ({ page }) => page.locator('.branch .acts button').nth(1).click(),
  },
  { name: 'categories-drag', address: '/{business}/categories', act: dragFirst },
  { name: 'categories-new', address: '/{business}/categories?do=new' },
  { name: 'categories-delete', address: '/{business}/categories?at={category}&do=delete' },
  { name: 'categories-empty', address: '/{business}/categories', instead: [/\/categories\/tree/, NONE] },
  { name: 'category', address: '/{business}/categories/{category}' },
  {
    name: 'category-edit',
    address: '/{business}/categories/{category}',
    act: ({ page }) => page.getByLabel('Name in German').fill('Kombüse'),
  },
  { name: 'promo-codes', address: '/{business}/promo-codes' },
  { name: 'promo-codes-empty', address: '/{business}/promo-codes', instead: [/\/promo-codes(\/counts)?\?/, NONE] },
  { name: 'promo', address: '/{business}/promo-codes/{promo}' },
  { name: 'promo-try', address: '/{business}/promo-codes/{promo}', act: tryMug },
  { name: 'promo-new', address: '/{business}/promo-codes/new' },
  { name: 'content', address: '/{business}/content' },
  { name: 'content-empty', address: '/{business}/content', instead: [/\/collections\?/, NONE] },
  { name: 'content-new', address: '/{business}/content/new' },
  { name: 'entries', address: '/{business}/content/{collection}' },
  { name: 'fields', address: '/{business}/content/{collection}/schema' },
  { name: 'fields-impact', address: '/{business}/content/{collection}/schema', act: requirePicture },
  { name: 'entry-new', address: '/{business}/content/{collection}/new' },
  { name: 'entry', address: '/{business}/content/{collection}/{entry}' },
  { name: 'entry-german', address: '/{business}/content/{collection}/{entry}?locale=de' },
  { name: 'entry-versions', address: '/{business}/content/{collection}/{entry}/versions' },

  { name: 'letters', address: '/{business}/letters' },
  { name: 'letters-empty', address: '/{business}/letters', instead: [/\/collections\?/, NONE] },
  { name: 'letters-welcome', address: '/{business}/letters?newsletter={newsletter}&set=WELCOME' },
  { name: 'letter', address: '/{business}/letters/{letter}' },
  { name: 'letter-as-phone', address: '/{business}/letters/{letter}?as=phone' },
  { name: 'letter-as-dark', address: '/{business}/letters/{letter}?as=dark' },
  { name: 'letter-as-text', address: '/{business}/letters/{letter}?as=text' },
  { name: 'send', address: '/{business}/letters/{letter}/sends/{send}' },
  { name: 'send-part', address: '/{business}/letters/{letter}/sends/{send}?show=sent' },
  { name: 'readers', address: '/{business}/letters/readers/{newsletter}' },
  { name: 'readers-add', address: '/{business}/letters/readers/{newsletter}?do=add' },
  { name: 'readers-import', address: '/{business}/letters/readers/{newsletter}?do=import' },
  { name: 'suppressions', address: '/{business}/letters/suppressions' },

  { name: 'settings', address: '/{business}/settings' },
  { name: 'settings-business', address: '/{business}/settings/business' },
  { name: 'settings-shop', address: '/{business}/settings/shop' },
  { name: 'settings-markets', address: '/{business}/settings/markets' },
  { name: 'settings-market', address: '/{business}/settings/markets/us' },
  { name: 'settings-market-new', address: '/{business}/settings/markets/new' },
  { name: 'settings-payments', address: '/{business}/settings/payments' },
  { name: 'settings-mails', address: '/{business}/settings/mails' },
  { name: 'settings-letters', address: '/{business}/settings/letters' },
  { name: 'settings-team', address: '/{business}/settings/team' },
  { name: 'settings-invite', address: '/{business}/settings/team?do=invite' },
  { name: 'settings-roles', address: '/{business}/settings/roles' },
  { name: 'settings-role-new', address: '/{business}/settings/roles/new' },
  { name: 'settings-security', address: '/{business}/settings/security' },
  { name: 'settings-sign-in', address: '/{business}/settings/sign-in' },
  { name: 'settings-webhooks', address: '/{business}/settings/webhooks' },
  { name: 'settings-webhook-new', address: '/{business}/settings/webhooks/new' },
  { name: 'settings-callouts', address: '/{business}/settings/callouts' },
  { name: 'settings-callout', address: '/{business}/settings/callouts/tax.calculate' },
  { name: 'settings-audit', address: '/{business}/settings/audit' },

  { name: 'profile', address: '/profile' },
  { name: 'profile-security', address: '/profile/security' },
  { name: 'profile-app', address: '/profile/security/app' },
  { name: 'profile-sessions', address: '/profile/sessions' },
  { name: 'profile-keys', address: '/profile/keys' },
  { name: 'profile-new-key', address: '/profile/keys/new' },

  { name: 'palette', address: '/{business}/orders', act: find },
  { name: 'keys', address: '/{business}/orders', act: ({ page }) => page.keyboard.press('?') },
  { name: 'not-found', address: '/{slug}/nowhere' },
  // The last: what was asked is told on whatever is opened next.
  { name: 'outbox', address: '/{business}/orders/{paid}', instead: [/\/comments/], act: commentWhileCut },
]
