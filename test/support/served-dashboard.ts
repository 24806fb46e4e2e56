import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import pino from 'pino'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { accountJobs } from '#modules/accounts/index.ts'
import { hashPassword } from '#modules/accounts/sign-in/passwords.ts'
import { catalogJobs } from '#modules/catalog/index.ts'
import { orderJobs } from '#modules/orders/index.ts'
import type { Db } from '#platform/database/database.ts'
import type { AnyJob } from '#platform/jobs/define.ts'
import { startLoop } from '#platform/jobs/loop.ts'
import { ensureDashboard, signInUrl } from '../../dev/dashboard.ts'
import { freePort } from '../../dev/ports.ts'
import { follow } from './customers.ts'
import { startMailServer } from './mail-server.ts'
import { PASSWORD } from './people.ts'
import type { TestDatabases } from './start-api.ts'
import { startTestWorker } from './start-worker.ts'
import { startWorld } from './world.ts'

export { PASSWORD } from './people.ts'

/** As often as the worker does it. */
const FOLLOW_MS = 500
const AXE = path.join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js')

export type Dashboard = Awaited<ReturnType<typeof openDashboard>>

/**
 * The dashboard as it is built, served by the API as a developer has it, with worker, mail and payment twin. `settings` are
 * more of its environment; passkeys want the host `localhost`, as they work for names only. `databases` of somebody who drops
 * them, too.
 */
export async function openDashboard(
  settings: Record<string, string> = {},
  host = '127.0.0.1',
  databases?: TestDatabases,
) {
  const [mailServer] = await Promise.all([startMailServer(), ensureDashboard()])
  const port = await freePort(27_000 + (process.pid % 1_900)) // others look for one at the same moment
  const url = `http://${host}:${port}`
  const env = { ...mailServer.env, NODE_ENV: 'development', ...settings }
  const service = await startWorld({
    providers: ['stripe'],
    publicUrl: url,
    port,
    env,
    ...(databases && { databases }),
  })
  const { api } = service
  // By the clock nothing runs here.
  const ofCatalog = catalogJobs.map(({ cron: _cron, ...job }) => job)
  const jobs: AnyJob[] = [...accountJobs, ...orderJobs, ...ofCatalog]
  const worker = startTestWorker({ ...api.databases.env, ...service.env, PUBLIC_URL: url }, jobs)
  const { control, cells } = api.services.databases
  const log = pino({ level: 'silent' })
  const loops = [...cells].map(([name, cell]) => startLoop(name, FOLLOW_MS, () => follow(api, cell), log))

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
    /** Signs in somebody who has the password, without the form. */
    async signIn(context: BrowserContext, email: string, origin = url) {
      const data = { provider: 'EMAIL', email, password: PASSWORD }
      const answer = await context.request.post(`${origin}/admin/session`, { data, headers: { origin: url } })
      assert.equal(answer.status(), 200)
    },
    async close() {
      await Promise.all(loops.map((loop) => loop.stop()))
      // Each of them, whatever fails: what is left open keeps the process alive for ever.
      const stopped = await Promise.allSettled([worker.stop()])
      const closed = await Promise.allSettled([service.close(), mailServer.close()])
      for (const one of [...stopped, ...closed]) if (one.status === 'rejected') throw one.reason
    },
  }
}

/** That the service refuses something, or that a test cuts the line, is no complaint. */
const EXPECTED = /^Failed to load resource: (net::|.*status of (401|404|409|412|422|503))/

type Looks = { width?: number; height?: number; locale?: string; dark?: boolean }

/** Somebody new, with what the page complained of. */
export async function enter(browser: Browser, options: Looks = {}) {
  const { width = 1_440, height = width < 500 ? 844 : 900, locale = 'en-GB', dark = false } = options
  const context = await browser.newContext({
    viewport: { width, height },
    locale,
    reducedMotion: 'reduce',
    colorScheme: dark ? 'dark' : 'light',
  })
  context.setDefaultTimeout(30_000) // a busy machine is slow, not wrong
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text())) complaints.push(message.text())
  })
  return { page, context, complaints }
}

const ALL_RULES = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }
/** Those whose result depends on the theme. */
const COLOR_RULES = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }
/** Rows of a table are alike, so axe checks the first three. */
const FURTHER_ROWS = ['tbody tr:nth-child(n+4)']
/** The main navigation, which is the same on every page: checked once per theme and width in each test process. */
const NAVIGATION = ['.side']
const checkedNavigation = new Set<string>()

type AxeOptions = { runOnly?: object; exclude?: readonly string[][] }

/** Fails if axe finds a violation in the current theme. */
export async function lookWithAxe(page: Page, name: string, options: AxeOptions = {}): Promise<void> {
  const { runOnly = ALL_RULES, exclude = [] } = options
  if (!(await page.evaluate('Boolean(globalThis.axe)'))) await page.evaluate(readFileSync(AXE, 'utf8'))
  const broken = await page.evaluate(`axe
    .run({ exclude: ${JSON.stringify(exclude)} }, { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ' ' + html)))`)
  assert.deepEqual(broken, [], name)
}

/** Fails if axe finds a violation in either theme, or if the page scrolls sideways. `SCREENSHOTS` names a folder for pictures. */
export async function look(page: Page, name: string): Promise<void> {
  await page.locator('[aria-busy=true], .bone').first().waitFor({ state: 'detached' })
  const folder = process.env.SCREENSHOTS
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    if (folder) await page.screenshot({ path: path.join(folder, `${name}-${theme}.png`), fullPage: true })
    const navigation = `${theme} ${page.viewportSize()?.width}`
    const exclude = checkedNavigation.has(navigation) ? [FURTHER_ROWS, NAVIGATION] : [FURTHER_ROWS]
    await lookWithAxe(page, `${name}, ${theme}`, { runOnly: theme === 'light' ? ALL_RULES : COLOR_RULES, exclude })
    checkedNavigation.add(navigation)
  }
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  assert.equal(overflow, 0, `${name} can be scrolled sideways`)
}
