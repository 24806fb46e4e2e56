// npm run screens: every screen of the built dashboard as a picture, light, dark and on a phone, in .results/screens. It
// wants `npm run dev` running with demo data; words name some screens only.
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { preview } from 'vite'
import { SCREENS, type Screen } from './screen-list.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const OUT = path.resolve(ROOT, '../../.results/screens')
const LOOKS = {
  light: { viewport: { width: 1_440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1_440, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true },
} as const

const env = parseEnv(readFileSync(path.resolve(ROOT, '../../.kontor/dev.env'), 'utf8'))
const words = process.argv.slice(2)
const wanted = SCREENS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
mkdirSync(OUT, { recursive: true })

const server = await preview({ root: ROOT, logLevel: 'error', preview: { port: 0 } })
const url = server.resolvedUrls?.local[0]?.replace(/\/admin\/$/, '') ?? ''
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
let failed = 0
try {
  for (const look of Object.keys(LOOKS) as (keyof typeof LOOKS)[]) await show(browser, look)
} finally {
  await browser.close()
  await server.close()
}
process.exit(failed > 0 ? 1 : 0)

async function show(browser: Browser, look: keyof typeof LOOKS): Promise<void> {
  const context = await browser.newContext({ ...LOOKS[look], locale: 'en-GB', reducedMotion: 'reduce' })
  const page = await context.newPage()
  for (const screen of wanted.filter(({ isDoor }) => isDoor)) await take(page, screen, look)
  await signIn(page)
  for (const screen of wanted.filter(({ isDoor }) => !isDoor)) await take(page, screen, look)
  await context.close()
}

async function signIn(page: Page): Promise<void> {
  await page.goto(`${url}/admin/`)
  await page.getByLabel('Email').fill(env.KONTOR_ADMIN_EMAIL ?? '')
  await page.getByLabel('Password').fill(env.KONTOR_ADMIN_PASSWORD ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.shell').waitFor()
}

async function take(page: Page, { name, address, act }: Screen, look: string): Promise<void> {
  try {
    await page.goto(url + address.replace('{business}', env.KONTOR_BUSINESS_ID ?? ''))
    await page.locator('h1').first().waitFor()
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
    await page.evaluate('document.fonts.ready')
    await act?.(page, look === 'phone')
    await page.waitForTimeout(300)
    await page.screenshot({ path: path.join(OUT, `${name}-${look}.png`) })
    console.log(`${name}-${look}.png`)
  } catch (error) {
    failed++
    console.error(`${name} (${look}): ${(error as Error).message}`)
  }
}
