import assert from 'node:assert/strict'
import type { Browser, BrowserContext } from 'playwright-core'
import { enter, PASSWORD } from './served-dashboard.ts'

/**
 * Opens a page for all tests of a file, one after another. The returned function signs out, clears what the page stored, and
 * resets what a test can set. A new context costs a second of processor time for the first page, because it compiles every
 * script again; this page takes half as long. Use `enter` for a second person, another locale, or passkeys.
 */
export async function reusePage(browser: Browser, origin: string) {
  const { page, context, complaints } = await enter(browser)
  const devtools = await context.newCDPSession(page)
  return async ({ width = 1_440, height = width < 500 ? 844 : 900 }: { width?: number; height?: number } = {}) => {
    await context.setOffline(false)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.clearPermissions()
    await page.goto(`${origin}/v1`) // same process, none of our scripts
    await page.evaluate('sessionStorage.clear(); localStorage.clear()')
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' })
    await context.clearCookies()
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme: 'light' })
    complaints.length = 0
    return { page, context, complaints }
  }
}

/** Signs in a person who has the password and an authenticator app, without the form. */
export async function signInWithCode(
  context: BrowserContext,
  { url, email, code }: { url: string; email: string; code: string },
) {
  const headers = { origin: url }
  const password = { provider: 'EMAIL', email, password: PASSWORD }
  const first = await context.request.post(`${url}/admin/session`, { data: password, headers })
  assert.equal(first.status(), 403)
  const { challenge } = await first.json()
  const second = await context.request.post(`${url}/admin/session`, { data: { challenge, code }, headers })
  assert.equal(second.status(), 200, await second.text())
}
