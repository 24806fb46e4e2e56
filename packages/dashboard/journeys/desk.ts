import assert from 'node:assert/strict'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { observe } from './meter.ts'
import type { Service } from './service.ts'

const DESK = { width: 1_440, height: 900 }
const PATIENCE_MS = 20_000

/** A browser of somebody who works here, signed in or not. */
export async function openContext(browser: Browser, service: Service, isSignedIn = true): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: DESK, locale: 'en-GB', reducedMotion: 'reduce' })
  context.setDefaultTimeout(PATIENCE_MS)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url })
  await observe(context)
  if (isSignedIn) await signIn(context, service)
  return context
}

/** Without the form. Each context by itself: a refresh token works once. */
export async function signIn(context: BrowserContext, { url, email, password }: Service): Promise<void> {
  const data = { provider: 'EMAIL', email, password }
  const answer = await context.request.post(`${url}/admin/session`, { data, headers: { origin: url } })
  assert.equal(answer.status(), 200, await answer.text())
}

export const addressOf = ({ url, slug }: Service, place: string) => `${url}/admin/${slug}${place}`

/** What was waited for is there, and drawn. */
export async function settle(page: Page): Promise<void> {
  await page.locator('[aria-busy=true], .bone').first().waitFor({ state: 'detached' })
  await page.evaluate('document.fonts.ready.then(() => new Promise(requestAnimationFrame)).then(() => {})')
}

/** A phone in one hand, and what is shown fits it. */
export const PHONE = { width: 360, height: 740 }
export const isNarrow = async (page: Page): Promise<void> =>
  assert.equal(
    await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    0,
    'it can be scrolled sideways',
  )
