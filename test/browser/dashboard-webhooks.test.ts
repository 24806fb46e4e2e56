import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { now } from '#platform/clock.ts'
import { newId } from '#vocabulary/ids.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import { assertFitsPhones } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { reusePage } from '../support/reused-page.ts'
import { type Dashboard, look, openDashboard } from '../support/served-dashboard.ts'
import { until } from '../support/until.ts'
import { happen, startTestWebhooks } from '../support/webhooks.ts'

const HOUR_MS = 3_600_000

let desk: Dashboard
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
let receiver: Receiver
before(async () => {
  desk = await openDashboard({ OUTGOING_LOOPBACK: 'on' })
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
  receiver = await startReceiver()
})
after(async () => {
  receiver?.close()
  await browser?.close()
  await desk?.close()
})

type Made = { id: string; url: string; secret: string }

/** A business, and somebody at its settings; `permissions`: not its admin, but somebody who has only these. */
async function sitDown({ permissions }: { permissions?: Permission[] } = {}) {
  const shop = await desk.make.shop()
  const { admin, path, id: businessId } = shop
  const person = permissions ? await desk.make.member(businessId, ...permissions) : admin
  const { page, context, complaints } = await enterAgain({ width: 1_280 })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await desk.doorOf(person)
  await desk.signIn(context, person.email ?? '')
  const open = async (place = '') => {
    await page.goto(`${desk.url}/admin/${businessId}/settings/webhooks${place}`)
    await page.locator('main h1').first().waitFor()
  }
  const fits = (name: string) => assertFitsPhones(page, name)
  /** The same where a phone arranges it in another way. */
  const narrow = async (name: string) => {
    await page.setViewportSize({ width: 360, height: 780 })
    await look(page, `${name}-360`)
    await fits(name)
  }
  const endpoints = `${path}/webhook-endpoints`
  const endpoint = async (types = ['order.*'], place = '/kontor') => {
    const { status, body, text } = await admin.post(endpoints, { url: `${receiver.url}${place}`, types })
    assert.equal(status, 201, text)
    return body as Made
  }
  const list = async () => (await admin.get(endpoints)).body.items
  return { ...shop, page, complaints, open, fits, narrow, endpoints, endpoint, list }
}

const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')

async function cellOf(businessId: string) {
  const { control, cells } = desk.api.services.databases
  const { cell } = await control
    .selectFrom('access.businesses')
    .select('cell')
    .where('id', '=', businessId)
    .executeTakeFirstOrThrow()
  return cells.get(cell) ?? assert.fail(`there is no ${cell}`)
}

/** As if it had not taken these: the newest last. */
async function fail(
  businessId: string,
  endpointId: string,
  rows: { type: string; status: string; answers: string[] }[],
) {
  const db = await cellOf(businessId)
  for (const [index, { type, status, answers }] of rows.entries()) {
    const number = index + 1
    const at = new Date(now().getTime() - HOUR_MS)
    const key = { businessId, endpointId, number }
    await db
      .insertInto('webhooks.deliveries')
      .values({
        ...key,
        eventId: newId('evt'),
        type,
        status,
        attempts: answers.length,
        begunAt: at,
        nextAt: status === 'PENDING' ? new Date(now().getTime() + HOUR_MS) : null,
        createdAt: at,
        updatedAt: at,
      })
      .execute()
    for (const answer of answers)
      await db
        .insertInto('webhooks.attempts')
        .values({ ...key, id: newId('att'), at, status: 500, problem: 'REFUSED', milliseconds: 184, answer })
        .execute()
  }
}

test('the empty page says what webhooks are, and leads developers to an example and to keys', async () => {
  const { page, open, fits, complaints } = await sitDown()
  await open()
  await page.getByRole('heading', { name: 'Nobody is told yet' }).waitFor()
  await page.getByText('verifyWebhook').first().waitFor()
  await look(page, 'webhooks-empty-1280')
  await fits('webhooks-empty')
  await page.getByRole('button', { name: 'Copy the example' }).click()
  assert.match(await copied(page), /verifyWebhook\(/)
  await page.getByRole('link', { name: 'Make an API key' }).click()
  await page.waitForURL(/\/admin\/profile\/keys\/new/)
  await page.getByRole('textbox', { name: 'Name' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('an endpoint is made by topic and kind, kept over a reload; its secret is shown once, and leaving without it asks', async () => {
  const { page, open, fits, narrow, list, complaints } = await sitDown()
  await open()
  await page.keyboard.press('n')
  await page.getByRole('button', { name: /^Create the endpoint.*Type an address first/ }).waitFor()
  await page.getByRole('textbox', { name: 'Address' }).fill('https://10.0.0.1/kontor')
  await page.getByLabel('Purpose').fill('Tells the warehouse')
  await page.getByRole('checkbox', { name: 'Orders', exact: true }).check()
  await page.getByRole('button', { name: /2 kinds\s*: Stock/ }).click()
  await page.getByLabel('Something is running low').check()
  await page.reload()
  assert.equal(await page.getByRole('textbox', { name: 'Address' }).inputValue(), 'https://10.0.0.1/kontor')
  assert.equal(await page.getByLabel('Something is running low').isChecked(), true)
  await look(page, 'webhooks-new-1280')
  await narrow('webhooks-new')
  await page.getByRole('button', { name: 'Create the endpoint' }).click()
  await page.getByText('The url must be an https address on a public host').waitFor()
  assert.equal(await page.getByLabel('Purpose').inputValue(), 'Tells the warehouse')
  await page.getByRole('textbox', { name: 'Address' }).fill(`${receiver.url}/erp`)
  await page.getByRole('button', { name: 'Create the endpoint' }).click()
  const secret = page.getByLabel('Secret', { exact: true })
  const value = await secret.inputValue()
  assert.match(value, /^whsec_.{20,}/)
  await look(page, 'webhooks-secret-1280')
  await fits('webhooks-secret')
  await page.getByRole('link', { name: 'Webhooks' }).first().click()
  const question = page.getByRole('dialog', { name: 'Leave without the secret?' })
  await question.getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('button', { name: 'Copy the secret' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await copied(page), value)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('heading', { level: 1, name: /127\.0\.0\.1.*\/erp/ }).waitFor()
  assert.equal((await page.content()).includes(value), false)
  const [made] = await list()
  assert.deepEqual([made.types, made.description], [['order.*', 'stock.low'], 'Tells the warehouse'])
  const stored = await page.evaluate<string>('JSON.stringify({ ...sessionStorage, ...localStorage })')
  assert.equal(stored.includes(value), false)
  assert.deepEqual(complaints, [])
})

test('the list says how each fares: healthy, failing since, switched off and why, behind by how many', async () => {
  const { page, open, narrow, endpoint, admin, endpoints, id: businessId, complaints } = await sitDown()
  const [healthy, failing, gone, off] = [
    await endpoint(['*'], '/healthy'),
    await endpoint(['order.paid', 'order.shipped', 'stock.*'], '/failing'),
    await endpoint(['product.*'], '/gone'),
    await endpoint(['subscription.*'], '/off'),
  ]
  const db = await cellOf(businessId)
  const positions = db.updateTable('webhooks.positions').where('businessId', '=', businessId)
  const since = new Date(now().getTime() - 3 * HOUR_MS)
  const pausedUntil = new Date(now().getTime() + HOUR_MS)
  await positions.set({ failingSince: since, failures: 4, pausedUntil }).where('endpointId', '=', failing.id).execute()
  await db
    .updateTable('webhooks.endpoints')
    .set({ isEnabled: false, disabledReason: 'GONE', disabledAt: since })
    .where((row) => row.and({ businessId, id: gone.id }))
    .execute()
  await admin.put(`${endpoints}/${off.id}`, { isEnabled: false })
  const last = (await admin.get(`${endpoints}/${healthy.id}`)).body
  await positions
    .set({ number: Math.max(0, last.lastNumber + last.behind) })
    .where('endpointId', '=', healthy.id)
    .execute()
  await open()
  const row = (place: string) => page.getByRole('row', { name: new RegExp(place) })
  await row('/healthy').getByText('Healthy', { exact: true }).waitFor()
  await row('/healthy').getByText('Everything').waitFor()
  await row('/failing')
    .getByText(/Failing since \d/)
    .waitFor()
  await row('/failing').getByText('Orders (2 of 15), Stock').waitFor()
  await row('/gone').getByText('Off: it answered 410, gone').waitFor()
  await row('/off').getByText('Switched off', { exact: true }).waitFor()
  await look(page, 'webhooks-list-1280')
  await narrow('webhooks-list')
  await open(`/${gone.id}`)
  await page.getByText('It said that it is gone for good (410)').waitFor()
  await look(page, 'webhooks-gone-1280')
  await page.getByRole('button', { name: 'Switch on' }).click()
  await page.getByText('It is told what happens from now on.').waitFor()
  await page.getByText('Healthy', { exact: true }).waitFor()
  assert.equal((await admin.get(`${endpoints}/${gone.id}`)).body.isEnabled, true)
  await open(`/${failing.id}`)
  await page.getByText('Tried again', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'More to do' }).click()
  await page.getByRole('menuitem', { name: 'Switch off' }).click()
  await page.getByText('It is told nothing any more.').waitFor()
  assert.equal((await admin.get(`${endpoints}/${failing.id}`)).body.disabledReason, 'PERSON')
  assert.deepEqual(complaints, [])
})

test('a test event shows its answer; deliveries open to their attempts, and what was given up is tried again', async () => {
  const { page, open, narrow, endpoint, admin, endpoints, id: businessId, complaints } = await sitDown()
  const { id } = await endpoint()
  await fail(businessId, id, [
    { type: 'order.created', status: 'DELIVERED', answers: ['busy'] },
    { type: 'order.paid', status: 'FAILED', answers: ['<b>Internal</b> error', 'Bad gateway'] },
    { type: 'order.shipped', status: 'PENDING', answers: [`{"error":"${'long '.repeat(60)}"}`] },
  ])
  await open(`/${id}`)
  receiver.answer((_received, response) => void response.writeHead(418).end('a teapot'))
  await page.getByRole('button', { name: 'Send a test event' }).waitFor() // from here on its key works
  await page.keyboard.press('p')
  const answer = page.getByRole('region', { name: 'Answer to the test event' })
  await answer.getByText('418').waitFor()
  await answer.getByText('a teapot').waitFor()
  await answer.getByText(/\d ms/).waitFor()
  assert.equal(receiver.received.at(-1)?.event.type, 'webhook_endpoint.ping')
  await page.getByRole('button', { name: /A parcel was sent/ }).click()
  await page.getByText('long long').first().waitFor()
  await look(page, 'webhooks-endpoint-1280')
  await narrow('webhooks-endpoint')
  await page.getByRole('button', { name: 'Close the answer' }).click()
  await page.getByRole('link', { name: 'Given up' }).click()
  await page.waitForURL(/status=FAILED/)
  const given = page.getByRole('button', { name: /An order was paid.*Given up/ })
  await given.click()
  await page.waitForURL(/open=2/)
  await page.getByText('<b>Internal</b> error').waitFor() // as text, never as a page
  assert.equal(await page.getByText('184 ms').first().isVisible(), true)
  assert.equal(await page.getByRole('button', { name: /A parcel was sent/ }).count(), 0)
  await page.getByRole('button', { name: 'Retry what was given up' }).click()
  await page.getByText('Retrying failed deliveries').waitFor()
  await page.getByText('Nothing was given up').waitFor()
  const pending = (await admin.get(`${endpoints}/${id}/deliveries?status=PENDING`)).body.items
  assert.deepEqual(
    pending.map(({ number }: { number: number }) => number),
    [3, 2],
  )
  assert.deepEqual(complaints, [])
})

test('events since a moment are sent again: what will happen is said first, and how far it is afterwards', async () => {
  const { page, open, fits, endpoint, admin, endpoints, id: businessId, complaints } = await sitDown()
  const { id } = await endpoint(['*'])
  await happen(desk.api, businessId, 5)
  const one = async () => (await admin.get(`${endpoints}/${id}`)).body
  await until('the events have their numbers', async () => {
    const { lastNumber, behind } = await one()
    return lastNumber + behind >= 6
  })
  const { lastNumber, behind } = await one()
  await (await cellOf(businessId))
    .updateTable('webhooks.positions')
    .set({ number: lastNumber + behind })
    .where((row) => row.and({ businessId, endpointId: id }))
    .execute()
  await open(`/${id}`)
  await page.getByRole('button', { name: 'Send events again' }).click()
  const sheet = page.getByRole('dialog', { name: 'Send events again' })
  const told = sheet.getByText(/(\d+) events happened in that time/)
  await told.waitFor()
  await look(page, 'webhooks-replay-1280')
  await fits('webhooks-replay')
  await sheet.getByLabel('Since when').fill('2030-01-01T00:00')
  await sheet.getByText('Nothing happened in that time: nothing would be sent.').waitFor()
  await sheet.getByRole('button', { name: /^Send them again.*Nothing happened/ }).waitFor()
  await page.reload() // what was typed is still there
  assert.equal(await sheet.getByLabel('Since when').inputValue(), '2030-01-01T00:00')
  await sheet.getByLabel('Since when').fill('2020-01-01T00:00')
  await told.waitFor()
  await sheet.getByRole('button', { name: 'Send them again' }).click()
  await sheet.waitFor({ state: 'detached' })
  await page.getByText(/0 of \d+ events looked at/).waitFor()
  await page.getByRole('progressbar', { name: 'Sending again' }).waitFor()
  await look(page, 'webhooks-replaying-1280')
  assert.equal((await one()).replay.after, 0)
  await page.getByRole('button', { name: /^Send events again.*already/ }).waitFor()
  await (await cellOf(businessId))
    .updateTable('webhooks.positions')
    .set({ replayAfter: null, replayNumber: null, replayBefore: null, replayStartedAt: null })
    .where((row) => row.and({ businessId, endpointId: id }))
    .execute()
  await page.getByRole('progressbar', { name: 'Sending again' }).waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
})

test('an endpoint is changed while somebody else changes it, gets another secret, and is deleted once asked', async () => {
  const { page, open, fits, endpoint, admin, endpoints, list, complaints } = await sitDown()
  const { id, secret } = await endpoint()
  await open(`/${id}?tab=settings`)
  await page.getByLabel('Purpose').fill('For the warehouse')
  await page.reload()
  await page.getByText('Purpose: For the warehouse').waitFor()
  assert.equal((await admin.put(`${endpoints}/${id}`, { types: ['order.paid'] })).status, 200)
  await look(page, 'webhooks-settings-1280')
  await fits('webhooks-settings')
  await page.keyboard.press('Control+s')
  await page.getByText('Changes saved', { exact: true }).waitFor()
  const [saved] = await list()
  assert.deepEqual([saved.description, saved.types], ['For the warehouse', ['order.paid']])
  await page.getByRole('button', { name: 'More to do' }).click()
  await page.getByRole('menuitem', { name: 'Make another secret' }).click()
  await page.getByLabel('The old secret works').selectOption('6')
  await look(page, 'webhooks-rotate-1280')
  await fits('webhooks-rotate')
  await page.getByRole('button', { name: 'Make another secret' }).click()
  const other = await page.getByLabel('Secret', { exact: true }).inputValue()
  assert.match(other, /^whsec_/)
  assert.notEqual(other, secret)
  await page.getByRole('button', { name: 'Copy the secret' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Old secret works until').waitFor()
  const { oldSecretUntil } = (await admin.get(`${endpoints}/${id}`)).body
  const hours = (oldSecretUntil - now().getTime() / 1_000) / 3_600
  assert.ok(hours > 5.9 && hours <= 6, String(hours))
  await page.getByRole('button', { name: 'More to do' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const question = page.getByRole('dialog')
  await question.getByText('its secret is gone for good').waitFor()
  await look(page, 'webhooks-delete-1280')
  await question.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('heading', { name: 'Nobody is told yet' }).waitFor()
  assert.deepEqual(await list(), [])
  assert.deepEqual(complaints, [])
})

test('whoever may not read orders passes none on: not by a new endpoint, and not by changing one', async () => {
  const { page, open, endpoint, complaints } = await sitDown({ permissions: ['SETTINGS_WRITE', 'PRODUCTS_WRITE'] })
  const { id } = await endpoint(['order.*'])
  await open('/new')
  assert.equal(await page.getByRole('checkbox', { name: /^Orders/ }).isDisabled(), true)
  assert.equal(await page.getByRole('checkbox', { name: /^Everything/ }).isDisabled(), true)
  assert.equal(await page.getByRole('checkbox', { name: 'Products', exact: true }).isDisabled(), false)
  await page.getByText('Needs ORDERS_READ').first().waitFor()
  await open(`/${id}?tab=settings`)
  await page.getByText('It is told of what you may not read (Orders)').first().waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Address' }).isDisabled(), true)
  await page.getByRole('link', { name: 'Deliveries' }).click()
  await page.getByRole('button', { name: /^Send events again.*may not read/ }).waitFor()
  assert.deepEqual(complaints, [])
})

test('with a worker that delivers: the page follows by itself what is sent, sent again, and refused for good', async () => {
  const worker = await startTestWebhooks(desk.api)
  const { page, open, endpoint, id: businessId, complaints } = await sitDown()
  try {
    receiver.answer((_received, response) => void response.writeHead(204).end())
    const { id } = await endpoint(['order.*'], '/live')
    await open(`/${id}`)
    await page.getByText('Everything arrived at once').waitFor()
    const numbers = () => receiver.received.filter(({ path }) => path === '/live').map(({ event }) => event.number)
    await happen(desk.api, businessId, 40)
    await until('all have arrived', () => numbers().length === 40)
    await page.getByText('event 41', { exact: true }).waitFor() // its own creation was the first
    await page.getByText('By nothing').waitFor()
    await page.getByRole('button', { name: 'Send events again' }).click()
    const sheet = page.getByRole('dialog', { name: 'Send events again' })
    await sheet.getByText('41 events happened in that time.').waitFor()
    await sheet.getByRole('button', { name: 'Send them again' }).click()
    await until('all have arrived once more', () => numbers().length === 80)
    assert.equal(new Set(numbers()).size, 40)
    receiver.answer((_received, response) => void response.writeHead(410).end('closed for good'))
    await happen(desk.api, businessId, 1)
    await page.getByText('Off: it answered 410, gone').waitFor()
    await page.getByText('switch it on, and send again what it missed').waitFor()
  } finally {
    await worker.stop()
  }
  assert.deepEqual(complaints, [])
})

test('everything is said in German, too', async () => {
  const { page, open, fits, endpoint, complaints } = await sitDown()
  await page.evaluate(`localStorage.setItem('kontor:language', 'de')`)
  const { id } = await endpoint(['order.*'])
  await open(`/${id}`)
  await page.getByText('Bisher wurde nichts abgelehnt').waitFor()
  await look(page, 'webhooks-endpoint-de-1280')
  await open('/new')
  await page.getByRole('button', { name: /Den Endpunkt anlegen/ }).waitFor()
  await fits('webhooks-new-de')
  assert.deepEqual(complaints, [])
})
