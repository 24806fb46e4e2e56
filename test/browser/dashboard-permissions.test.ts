import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page, Request, Response } from 'playwright-core'
import { PERMISSIONS, type Permission } from '#vocabulary/permissions.ts'
import { launchBrowser } from '../support/browser.ts'
import { type DemoDesk, openDemoDesk } from '../support/demo-desk.ts'
import { claimOf } from '../support/media.ts'
import { reusePage } from '../support/reused-page.ts'
import { until } from '../support/until.ts'

const QUIET_MS = 300
const POLL_MS = 75
const HOME = '/admin/harbour-goods'
const folder = mkdtempSync(path.join(tmpdir(), 'kontor-permissions-'))

let desk: DemoDesk
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
/** What stands in an address in the place of a name. */
let ids: Record<string, string>
before(async () => {
  desk = await openDemoDesk({ withJournal: true, env: { MEDIA_STORAGE: `folder:${folder}` } })
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
  const order = await desk.buy('alone@example.com')
  const changes = [{ field: 'tags', op: 'add', value: 'tried' }]
  const edit = await desk.owner.post(`${desk.business}/bulk-edits`, {
    list: 'products',
    select: { filters: {} },
    changes,
  })
  const file = await desk.owner.send('POST', `${desk.business}/products/imports?dryRun=true`, {
    headers: { 'content-type': 'application/x-ndjson' },
    raw: '{"name":"Tried"}',
  })
  const upload = claimOf({ bytes: Buffer.from('tried'), mimeType: 'text/plain' })
  const tried = await desk.owner.post(`${desk.business}/media`, upload)
  const [{ productId, variantId }] = order.lines
  const newsletter = await desk.owner.post(`${desk.business}/collections`, {
    name: 'Harbour Post',
    type: 'NEWSLETTER',
    blocks: [{ id: 'title', type: 'TEXT' }],
    statuses: [{ status: 'PUBLISHED' }],
  })
  const letter = await desk.owner.post(`${desk.business}/entries`, {
    collectionId: newsletter.body.id,
    blocks: [{ id: 'title', type: 'TEXT', value: 'The lamps are lit' }],
    statuses: [{ status: 'PUBLISHED' }],
  })
  const send = await desk.owner.post(`${desk.business}/entries/${letter.body.id}/send`, { scheduledAt: 4_000_000_000 })
  const endpoint = await desk.owner.post(`${desk.business}/webhook-endpoints`, {
    url: 'https://erp.example.com/kontor',
    types: ['order.*'],
  })
  const firstOf = async (list: string) => (await desk.owner.get(`${desk.business}/${list}?limit=1`)).body.items[0].id
  ids = {
    business: 'harbour-goods',
    order: order.id,
    customer: order.customerId,
    product: productId,
    variant: variantId,
    edit: edit.body.id,
    import: file.body.id,
    file: tried.body.id,
    newsletter: newsletter.body.id,
    collection: newsletter.body.id,
    entry: letter.body.id,
    send: send.body.id,
    category: await firstOf('categories'),
    promo: await firstOf('promo-codes'),
    role: await firstOf('roles'),
    market: 'us',
    endpoint: endpoint.body.id,
    point: 'tax.calculate',
  }
})
after(async () => {
  await browser?.close()
  await desk?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Requests that are under way, but for the stream, which never ends; and what was refused. */
function watch(page: Page) {
  let open = 0
  let since = performance.now()
  const isCounted = (url: string) => !url.endsWith('/events/stream')
  const refused: string[] = []
  const end = (url: string) => {
    if (!isCounted(url)) return
    open--
    since = performance.now()
  }
  const onRequest = (request: Request) => {
    if (isCounted(request.url())) open++
  }
  const onEnd = (request: Request) => end(request.url())
  const onResponse = (answer: Response) => {
    if (answer.status() === 403) refused.push(`${answer.request().method()} ${new URL(answer.url()).pathname}`)
  }
  page.on('request', onRequest).on('requestfinished', onEnd).on('requestfailed', onEnd).on('response', onResponse)
  return {
    refused,
    stop: () =>
      page
        .off('request', onRequest)
        .off('requestfinished', onEnd)
        .off('requestfailed', onEnd)
        .off('response', onResponse),
    calm: () =>
      until(
        'the page has all that it asked for',
        async () => {
          const isReading = await page.locator('[aria-busy=true], .bone').count()
          return open === 0 && isReading === 0 && performance.now() - since > QUIET_MS
        },
        { everyMs: POLL_MS },
      ),
  }
}

/** Every address inside of a business that the router knows. */
async function screensOf(page: Page): Promise<string[]> {
  const paths = await page.evaluate<string[]>('Object.keys(__TSR_ROUTER__.routesByPath)')
  const screens = paths
    .filter((path) => path.startsWith('/$business'))
    .map((path) =>
      path.replace(/\/$/, '').replaceAll(/\$(\w+)/g, (_, name: string) => {
        assert.ok(ids[name], `this test knows no $${name} to open ${path} with`)
        return ids[name]
      }),
    )
  const sheets = ['ship', 'refund', 'return'].map((sheet) => `/${ids.business}/orders/${ids.order}?sheet=${sheet}`)
  const parts = [`/${ids.business}/products/${ids.product}?tab=history`]
  return [...new Set(screens), ...sheets, ...parts]
}

const go = (page: Page, place: string) => page.evaluate(`__TSR_ROUTER__.history.push(${JSON.stringify(place)})`)

/** The part of the business that an address inside of it belongs to. */
const sectionOf = (place: string) => place.split(/[/?]/)[3] ?? ''

/** Their roles open everything there is, and next to nothing. */
const SEE_ALL: readonly Permission[] = ['ADMIN', 'PROMOS_WRITE']

for (const permission of PERMISSIONS) {
  test(`${permission} alone: every screen opens, nothing is asked that would be refused`, async () => {
    const person = await desk.make.member(desk.businessId, permission)
    const { page, complaints } = await enterAgain()
    const { refused, calm, stop } = watch(page)
    await page.goto(await desk.doorOf(person))
    await page.waitForURL(/\/admin\/harbour-goods/)
    await calm()
    const screens = await screensOf(page)
    assert.ok(screens.length > 6, screens.join())

    const found = await page.locator('.side .nav a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    const links = found.filter((link) => link !== null)
    const isListed = (place: string) => links.some((link) => link !== HOME && place.startsWith(link))
    const isHome = (place: string) => place === HOME
    const places = new Set([...screens.map((screen) => `/admin${screen}`), ...links])
    const sections = new Set<string>()
    for (const place of places) {
      const isOpen = isListed(place) || isHome(place)
      // A closed section closes all its screens: one of them shows it, except to those who see all.
      if (!isOpen && !SEE_ALL.includes(permission) && sections.has(sectionOf(place))) continue
      sections.add(sectionOf(place))
      await go(page, place)
      await page.locator('main h1').first().waitFor()
      await calm()
      assert.deepEqual(refused, [], place)
      const isShown = (await page.getByRole('heading', { name: 'Your role does not show this' }).count()) === 0
      assert.equal(isShown, isOpen, `${place}: in the navigation, or not for this person`)
      assert.equal(await page.locator('main .problem').count(), 0, `${place} has a problem`)
      const mute = page.locator('main [aria-disabled=true]:not([title])')
      assert.deepEqual(await mute.allTextContents(), [], `${place}: cannot be pressed, and does not say why`)
    }
    if (permission === 'ORDERS_READ') await seeReasons(page, calm)
    assert.deepEqual(complaints, [])
    stop()
  })
}

/** Whoever may only read orders is told of each action what it needs. */
async function seeReasons(page: Page, calm: () => Promise<unknown>) {
  const needs = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}.*Needs ORDERS_WRITE`) })
  await go(page, '/admin/harbour-goods/orders')
  await calm()
  await needs('New order').waitFor()
  await go(page, `/admin/harbour-goods/orders/${ids.order}`)
  await calm()
  for (const name of ['Ship', 'Refund', 'Add', 'Change', 'Add a tag']) await needs(name).first().waitFor()
}
