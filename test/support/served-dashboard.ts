import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { accountJobs } from '#modules/accounts/index.ts'
import { hashPassword } from '#modules/accounts/sign-in/passwords.ts'
import type { Db } from '#platform/database/database.ts'
import { ensureDashboard, signInUrl } from '../../dev/dashboard.ts'
import { freePort } from '../../dev/ports.ts'
import { follow } from './customers.ts'
import { startMailServer } from './mail-server.ts'
import { startPaymentsApi } from './payments-api.ts'
import { startTestWorker } from './start-worker.ts'

export const PASSWORD = 'harbour lantern teapot'
const AXE = path.join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js')

export type Dashboard = Awaited<ReturnType<typeof openDashboard>>

/** The dashboard as it is built, served by the API as a developer has it, with worker, mail and payment twin. */
export async function openDashboard() {
  const [, mailServer, port] = await Promise.all([ensureDashboard(), startMailServer(), freePort(27_000)])
  const url = `http://127.0.0.1:${port}`
  const env = { ...mailServer.env, NODE_ENV: 'development' }
  const service = await startPaymentsApi({ publicUrl: url, port, env })
  const { api } = service
  const worker = startTestWorker({ ...api.databases.env, ...service.env, PUBLIC_URL: url }, accountJobs)
  const { control } = api.services.databases

  return {
    ...service,
    url,
    mailServer,
    /** What the worker does all the time, once, now: events get their numbers, customers their sums. */
    follow: (db: Db) => follow(api, db),
    /** An address that signs this person in. */
    async doorOf({ id, email = '' }: { id: string; email?: string | undefined }) {
      const passwordHash = await hashPassword(PASSWORD)
      await control.updateTable('accounts.users').set({ passwordHash }).where('id', '=', id).execute()
      return signInUrl(url, { email, password: PASSWORD })
    },
    async close() {
      await worker.stop()
      await service.close()
      await mailServer.close()
    },
  }
}

/** Somebody new, with what the page complained of. That the service refuses something is no complaint. */
export async function enter(browser: Browser, options: { width?: number; locale?: string } = {}) {
  const { width = 1_440, locale = 'en-GB' } = options
  const viewport = { width, height: width < 500 ? 844 : 900 }
  const context = await browser.newContext({ viewport, locale, reducedMotion: 'reduce' })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const isExpected = /status of (401|404|422|503)/.test(message.text())
    if (message.type() === 'error' && !isExpected) complaints.push(message.text())
  })
  return { page, context, complaints }
}

/** `SCREENSHOTS` names a folder to look at afterwards. */
export async function look(page: Page, name: string): Promise<void> {
  await page.locator('[aria-busy=true], .bone').first().waitFor({ state: 'detached' })
  const folder = process.env.SCREENSHOTS
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    if (folder) await page.screenshot({ path: path.join(folder, `${name}-${theme}.png`) })
    await page.evaluate(readFileSync(AXE, 'utf8'))
    const broken = await page.evaluate(`axe
      .run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ' ' + html)))`)
    assert.deepEqual(broken, [], `${name}, ${theme}`)
  }
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  assert.equal(overflow, 0, `${name} can be scrolled sideways`)
}
