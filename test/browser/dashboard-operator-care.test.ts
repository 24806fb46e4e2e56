import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { addOperator } from '#modules/accounts/index.ts'
import { makeArchive } from '#modules/operator/export-business.ts'
import { transaction } from '#platform/database/transaction.ts'
import { writeArchive } from '../../src/apps/portable/export-business.ts'
import { launchBrowser } from '../support/browser.ts'
import { addTotp, codeOf } from '../support/factors.ts'
import { reusePage, signInWithCode } from '../support/reused-page.ts'
import { type Dashboard, look, openDashboard } from '../support/served-dashboard.ts'
import { startTestWorker } from '../support/start-worker.ts'

// What an operator does to cells and to whole businesses. The rest of the console: dashboard-operator.test.ts.

/** Before the second factor is set up the console is refused; that is tried elsewhere. */
const unexpected = (complaints: string[]) => complaints.filter((line) => !/status of 403/.test(line))
const DESK = { width: 1_280 }
const PHONE = { width: 360, height: 740 }

let desk: Dashboard
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
const folder = mkdtempSync(path.join(tmpdir(), 'kontor-care-'))
const storage = { MEDIA_STORAGE: `folder:${path.join(folder, 'store')}` }
before(async () => {
  desk = await openDashboard(storage, 'localhost')
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  await browser?.close()
  await desk?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** An operator who is in, and has just proven it. */
async function enterOperator(place: string) {
  const { admin } = await desk.make.business({ name: 'Own' })
  await desk.doorOf(admin)
  await transaction(desk.api.services.databases.control, (tx) => addOperator(tx, admin.id))
  const { secret } = await addTotp(admin)
  const entered = await enterAgain(DESK)
  await signInWithCode(entered.context, { url: desk.url, email: admin.email ?? '', code: codeOf(secret) })
  await entered.page.goto(`${desk.url}/admin/operator${place}`)
  return entered
}

/** At a desk; on a phone it can be read without scrolling sideways. */
async function lookAndFit(page: Page, name: string): Promise<void> {
  await look(page, `${name}-1280`)
  await page.setViewportSize(PHONE)
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  assert.equal(overflow, 0, `${name} can be scrolled sideways at ${PHONE.width}`)
  await page.setViewportSize({ ...DESK, height: 900 })
}

/** At a desk and on a phone. */
async function lookAtBoth(page: Page, name: string): Promise<void> {
  await look(page, `${name}-1280`)
  await page.setViewportSize(PHONE)
  await look(page, `${name}-360`)
  await page.setViewportSize({ ...DESK, height: 900 })
}

test('a cell is changed after its operator has read what follows; whoever lives in it is not forgotten', async () => {
  for (const name of ['Nordlicht Kaffee', 'Harbour Goods']) await desk.make.business({ name, cell: 'second' })
  const { page, complaints } = await enterOperator('/cells')
  const second = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'second' }) })
  await second.getByText('Open', { exact: false }).first().waitFor()
  await lookAtBoth(page, 'operator-cells')

  await second.getByRole('link', { name: 'Change' }).click()
  const sheet = page.getByRole('dialog', { name: 'Cell second' })
  await sheet.getByText('about 50%').waitFor()
  await sheet.getByRole('textbox', { name: 'Weight' }).fill('300')
  await sheet.getByText('about 75%').waitFor()
  await sheet.getByRole('radio', { name: /^Draining/ }).check()
  await sheet.getByText('2 businesses are served as before.').waitFor()
  await lookAndFit(page, 'operator-cell-draining')
  await sheet.getByRole('button', { name: 'Change second' }).click()
  await page.getByText('Cell second updated').waitFor()
  await second.getByText('Draining').waitFor()

  await second.getByRole('link', { name: 'Change' }).click()
  await sheet.getByRole('radio', { name: /^Off/ }).check()
  await sheet.getByText('2 businesses get 503 within seconds', { exact: false }).waitFor()
  const off = sheet.getByRole('button', { name: /^Switch second off/ })
  assert.equal(await off.getAttribute('aria-disabled'), 'true')
  await sheet.getByRole('checkbox').check()
  await lookAtBoth(page, 'operator-cell-off')
  await off.click()
  await page.getByText('Cell second is switched off.').waitFor()
  await second.getByText('Switched off').waitFor()
  await lookAndFit(page, 'operator-cells-off')

  await second.getByRole('link', { name: 'Change' }).click()
  await sheet.getByRole('radio', { name: /^Open/ }).check()
  await sheet.getByText('2 businesses are served again within seconds.').waitFor()
  await sheet.getByRole('button', { name: 'Change second' }).click()
  await page.getByText('Cell second is switched off.').waitFor({ state: 'detached' })
  await page.goto(`${desk.url}/admin/operator/audit`)
  await page.getByText('set the cell second to “Open”').waitFor()
  assert.deepEqual(unexpected(complaints), [])
})

test('a business is exported, fetched, deleted by its name, and kept after all', async () => {
  const { id, slug } = await desk.make.business({ name: 'Fjell & Faden', cell: 'main' })
  const { page, complaints } = await enterOperator(`/businesses/${id}`)
  await page.getByRole('button', { name: 'Make an archive' }).click()
  await page.getByText('Waits for a worker').waitFor()
  await lookAtBoth(page, 'operator-business-export')
  const worker = startTestWorker({ ...desk.api.databases.env, ...storage, PUBLIC_URL: desk.url }, [
    makeArchive(writeArchive),
  ])
  try {
    await page.getByRole('button', { name: 'Fetch' }).waitFor()
  } finally {
    await worker.stop()
  }
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Fetch' }).click(),
  ])
  assert.match(download.suggestedFilename(), new RegExp(`^${slug}-.*\\.tar$`))
  assert.ok(statSync(await download.path()).size > 1_000)
  await page.getByText('fetched an archive of the business').waitFor()

  await page.getByRole('link', { name: 'Delete' }).click()
  const sheet = page.getByRole('dialog', { name: 'Delete Fjell & Faden' })
  const remove = sheet.getByRole('button', { name: /^Delete Fjell & Faden/ })
  await sheet.getByRole('textbox').fill('another-one')
  assert.equal(await remove.getAttribute('aria-disabled'), 'true')
  await sheet.getByRole('textbox').fill(slug)
  await lookAtBoth(page, 'operator-delete')
  await remove.click()
  await page.getByText('It is going to be deleted.').waitFor()
  await lookAndFit(page, 'operator-deleting')
  await page.goto(`${desk.url}/admin/operator?show=deleting`)
  await page.getByRole('link', { name: 'Fjell & Faden' }).first().waitFor()
  await lookAndFit(page, 'operator-list-deleting')

  await page.goto(`${desk.url}/admin/operator/businesses/${id}`)
  await page.getByRole('button', { name: 'Keep the business' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep the business' }).click()
  await page.getByText('Fjell & Faden stays.').waitFor()
  await page.getByRole('link', { name: 'Suspend' }).waitFor()
  assert.deepEqual(unexpected(complaints), [])
})
