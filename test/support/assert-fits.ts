import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/**
 * Fails if the page scrolls sideways once it has loaded. Use it instead of `look` where another test checks the accessibility of
 * the same components: axe takes a second of processor time per page.
 */
export async function assertFits(page: Page, name: string): Promise<void> {
  await page.locator('[aria-busy=true], .bone').first().waitFor({ state: 'detached' })
  await assertNoOverflow(page, name)
}

/** Fails if the page scrolls sideways on a narrow phone. Ends at desktop width. */
export async function assertFitsPhones(page: Page, name: string): Promise<void> {
  for (const width of [360, 320]) {
    await page.setViewportSize({ width, height: 700 })
    await assertNoOverflow(page, `${name} at ${width}`)
  }
  await page.setViewportSize({ width: 1_280, height: 900 })
}

async function assertNoOverflow(page: Page, name: string): Promise<void> {
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  assert.equal(overflow, 0, `${name} can be scrolled sideways`)
}
