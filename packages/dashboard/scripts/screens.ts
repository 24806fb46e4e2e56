// npm run screens: every screen of the dashboard as a picture, light, dark and on a phone, in .results/screens. It looks at the
// `npm run dev` that is running, with demo data, and buys something there; words name some screens or looks only, and figures
// are other widths: of a phone below 700, of a desk above.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { openFolder } from '../../../dev/folder.ts'
import { readSettings } from '../../../dev/settings.ts'
import { launchBrowser } from '../../../test/support/browser.ts'
import { openShop, type Shop } from '../journeys/shop.ts'
import { SCREENS, type Scene, type Screen } from './screen-list.ts'

const OUT = path.resolve(import.meta.dirname, '../../../.results/screens')
const given = process.argv.slice(2)
const widths = given.filter((word) => /^\d+$/.test(word)).map(Number)
const desk = { width: widths.find((width) => width >= 700) ?? 1_440, height: 900 }
const phone = { width: widths.find((width) => width < 700) ?? 390, height: 844 }
const LOOKS = {
  light: { viewport: desk, colorScheme: 'light' },
  dark: { viewport: desk, colorScheme: 'dark' },
  phone: { viewport: phone, colorScheme: 'light', hasTouch: true },
  night: { viewport: phone, colorScheme: 'dark', hasTouch: true },
} as const

const env = readSettings(openFolder())
const url = env.KONTOR_URL ?? ''
const businessId = env.KONTOR_BUSINESS_ID ?? ''
const email = env.KONTOR_ADMIN_EMAIL ?? ''
const password = env.KONTOR_ADMIN_PASSWORD ?? ''
const isLook = (word: string): word is keyof typeof LOOKS => word in LOOKS
const looks = given.filter(isLook)
const words = given.filter((word) => !isLook(word) && !/^\d+$/.test(word))
const wanted = SCREENS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
mkdirSync(OUT, { recursive: true })

const shop = await openShop({ url, businessId, apiKey: env.KONTOR_API_KEY ?? '' })
const places = await findPlaces(shop)
const browser = await launchBrowser()
let failed = 0
try {
  for (const look of Object.keys(LOOKS).filter(isLook))
    if (looks.length === 0 || looks.includes(look)) await show(browser, look)
} finally {
  await browser.close()
}
process.exit(failed > 0 ? 1 : 0)

/** An order that was just paid, one that has arrived, whoever bought most, a category, a promo code, an entry, a letter that was sent. */
async function findPlaces({ read, buy }: Shop): Promise<Record<string, string>> {
  const { items: products } = await read('/products?query=mug&limit=2')
  const goods = products.map(({ id, variants }: { id: string; variants: { id: string }[] }, index: number) => ({
    productId: id,
    variantId: variants[0]?.id ?? '',
    quantity: 2 - index,
  }))
  const buyer = { name: 'Ingrid Sørensen', email: 'ingrid.sorensen@harbour.example' }
  const { id: paid } = await buy(buyer, { goods, promoCode: 'WELCOME10' })
  const { items: sent } = await read('/orders?status=DELIVERED&limit=1')
  const { items: customers } = await read('/customers?sort=-spent&currency=USD&limit=1')
  const { items: categories } = await read('/categories?parentId=&limit=1')
  const { items: promos } = await read('/promo-codes?code=CREW25')
  const { items: collections } = await read('/collections?slug=journal')
  const { items: entries } = await read(`/entries?collectionId=${collections[0].id}&limit=1`)
  const { slug } = await read('')
  const { productId: product, variantId: variant } = goods[0]
  const content = { collection: collections[0].id, entry: entries[0].id }
  const records = { customer: customers[0].id, category: categories[0].id, promo: promos[0].id, ...content }
  return { business: businessId, slug, paid, sent: sent[0].id, product, variant, ...records, ...(await findLetter()) }
}

/** The newest letter of the demo. If nobody has it yet, it is sent: all mail stays in the inbox of this machine. */
async function findLetter(): Promise<Record<string, string>> {
  const { items: collections } = await shop.read('/collections?slug=harbour-letter')
  const newsletter = collections[0].id
  const { items: letters } = await shop.read(`/entries?collectionId=${newsletter}&limit=1`)
  const letter = letters[0].id
  const { items: sends } = await shop.read(`/entries/${letter}/sends`)
  const send = sends[0] ?? (await shop.write('POST', `/entries/${letter}/send`, {}))
  return { newsletter, letter, send: send.id }
}

async function show(browser: Browser, look: keyof typeof LOOKS): Promise<void> {
  const context = await browser.newContext({ ...LOOKS[look], locale: 'en-GB', reducedMotion: 'reduce' })
  context.setDefaultTimeout(20_000)
  for (const screen of wanted) {
    const isSignedIn = (await context.cookies()).length > 0
    if (!screen.isDoor && !isSignedIn) {
      const data = { provider: 'EMAIL', email, password }
      const answer = await context.request.post(`${url}/admin/session`, { data, headers: { origin: url } })
      assert.equal(answer.status(), 200, await answer.text())
    }
    const page = await context.newPage()
    await take(page, screen, look)
    await page.close()
  }
  await context.close()
}

async function take(page: Page, { name, address, instead, act }: Screen, look: keyof typeof LOOKS): Promise<void> {
  const place = address.replaceAll(/\{(\w+)\}/g, (_, word: string) => places[word] ?? word)
  const change: Scene['change'] = async (fields) => {
    await shop.write('PUT', '/orders/update', { id: places.paid, ...fields })
  }
  try {
    if (instead) {
      const [called, answer] = instead
      await page.route(
        (asked) => asked.pathname.startsWith('/v1/') && called.test(asked.pathname + asked.search),
        (route) => (answer ? route.fulfill(answer) : route.abort()),
      )
    }
    await page.goto(`${url}/admin${place}`)
    await settle(page)
    await act?.({ page, isPhone: 'hasTouch' in LOOKS[look], change })
    await settle(page)
    await page.waitForTimeout(400) // what follows a key, a moment later
    await page.screenshot({ path: path.join(OUT, `${name}-${look}.png`) })
    console.log(`${name}-${look}.png`)
  } catch (error) {
    failed++
    console.error(`${name} (${look}): ${(error as Error).message}`)
  }
}

async function settle(page: Page): Promise<void> {
  await page.locator('h1, h2').first().waitFor()
  await page.locator('[aria-busy=true], .bone').first().waitFor({ state: 'detached' })
  await page.evaluate('document.fonts.ready.then(() => {})')
}
