import type { Page } from 'playwright-core'

/** Every service call is carried out; of some, the answer never arrives. The same ones in every run with this seed. */
export async function loseAnswers(page: Page, share: number, seed: number): Promise<{ lost: () => number }> {
  let state = seed
  let lost = 0
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
  await page.route(/\/v1\//, async (route) => {
    if (route.request().url().endsWith('/events/stream') || random() >= share) return route.continue()
    lost += 1
    await route.fetch().catch(() => {})
    return route.abort('connectionreset').catch(() => {}) // the page may have gone on without it
  })
  return { lost: () => lost }
}
