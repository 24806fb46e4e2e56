import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { assertFits } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { type DemoDesk, openDemoDesk } from '../support/demo-desk.ts'
import { reusePage } from '../support/reused-page.ts'
import { enter as enterPage, look } from '../support/served-dashboard.ts'
import { until } from '../support/until.ts'

let desk: DemoDesk
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>

before(async () => {
  desk = await openDemoDesk()
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  await browser?.close()
  await desk?.close()
})

async function enter(looks: { width?: number; locale?: string } = {}) {
  const entered = looks.locale ? await enterPage(browser, looks) : await enterAgain(looks)
  await desk.signIn(entered.context)
  return entered
}

/** Counts what a person does: a chord, a key, a field filled in. */
function handsOf(page: Page) {
  let count = 0
  return {
    press: async (keys: string) => {
      count += 1
      await page.keyboard.press(keys)
    },
    type: async (text: string) => {
      count += 1
      await page.keyboard.type(text)
    },
    count: () => count,
  }
}

const refundsOf = async (id: string) => (await desk.owner.get(`${desk.business}/orders/${id}/refunds`)).body.items

test('a refund of one piece, by keyboard, in eight actions; a lost answer is paid once and said as it is', async () => {
  const order = await desk.buy('ingrid@sorensen.example')
  const { page, complaints } = await enter()
  await page.goto(desk.at('/customers'))
  await page.locator('.find').waitFor()
  let lost = 0
  await page.route('**/refunds', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    lost += 1
    if (lost > 2) return route.fallback()
    await route.fetch() // it was done; nobody hears of it
    await route.abort('connectionreset')
  })
  const hands = handsOf(page)
  await hands.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do' }).waitFor()
  await hands.type('ingrid@sor')
  await page.getByRole('option', { name: order.number }).waitFor()
  await hands.press('Enter')
  await page.getByRole('heading', { level: 1, name: order.number }).waitFor()
  await hands.press('r')
  await page.getByRole('checkbox', { name: /Watch Mug/ }).waitFor()
  await hands.press('Space')
  await page.getByRole('button', { name: 'Ask to refund $ 21.24' }).waitFor()
  await until('it is quoted', async () => (await page.locator('.sheet [aria-disabled=true]').count()) === 0)
  await hands.press('Control+Enter')
  assert.ok(hands.count() <= 8, `${hands.count()} actions`)

  await page.getByText('asked at').first().waitFor()
  await page.getByText('We ask again under the same key').waitFor()
  await page.getByText('Ours, at least').waitFor()
  await page.reload()
  await page.getByText('Processing…').first().waitFor()
  await until('the answer is there', async () => (await page.getByText('We ask again under').count()) === 0, {
    withinMs: 20_000,
  })
  const refunds = await refundsOf(order.id)
  assert.deepEqual(
    refunds.map(({ amount, status }: { amount: number; status: string }) => [amount, status]),
    [[2_124, 'PENDING']],
  )
  assert.ok(lost >= 3, 'it was asked again')
  await page.getByText('Kontor asks the payment provider until it answers').waitFor()
  await desk.carryOut()
  await page.reload()
  await page.getByText('went back to the customer').waitFor()
  assert.deepEqual(complaints, [])
})

test('why did I pay this? Three actions from anywhere, to the cent', async () => {
  const order = await desk.buy('why@sorensen.example')
  const { page, complaints } = await enter()
  await page.goto(desk.at('/customers'))
  await page.locator('.find').waitFor()
  const hands = handsOf(page)
  await hands.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do' }).waitFor()
  await hands.type('why@sor')
  await page.getByRole('option', { name: order.number }).waitFor()
  await hands.press('Enter')
  await page.getByText('Computed again: the same to the cent').waitFor()
  assert.equal(hands.count(), 3)
  const sums = await page.locator('.sums').innerText()
  for (const words of ['44.00 + 64.00', '10% of 108.00', '7.25% of 97.20']) assert.ok(sums.includes(words), sums)
  await page.keyboard.press('w')
  await page.getByText('So this line cost').first().waitFor()
  assert.match(await page.locator('.why-box').first().innerText(), /2 × 22\.00 = 44\.00\.[^]*−4\.40\.[^]*42\.47/)
  await look(page, 'order-why')
  assert.deepEqual(complaints, [])
})

test('what two people change of one order is merged; the order as it was is shown', async () => {
  const order = await desk.buy('two@sorensen.example')
  const { page, complaints } = await enter()
  await page.goto(desk.at(`/orders/${order.id}`))
  await page.getByRole('button', { name: 'Change addresses and note' }).click()
  await page.getByLabel('Street and number').fill('9 Quay Road')
  await desk.owner.put(`${desk.business}/orders/update`, { id: order.id, phone: '+45 20 12 34 56' })
  await page.reload() // the draft is still there, and is of the version before
  await page.getByText('1 unsaved change').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByText('Changes saved', { exact: true }).waitFor()
  const { body } = await desk.owner.get(`${desk.business}/orders/${order.id}`)
  assert.deepEqual([body.shippingAddress.street, body.phone], ['9 Quay Road', '+45 20 12 34 56'])

  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Ship', exact: true }).click()
  await page.getByLabel('Tracking number').fill('0034 0434')
  await page.getByRole('button', { name: 'Ship all, 3 pieces' }).click()
  await page.getByText('0034 0434').first().waitFor()
  await page.getByRole('link', { name: 'As it was at …' }).click()
  await page.getByRole('slider').press('Home')
  await page.getByText('As it was on').waitFor()
  assert.match(await page.locator('.head').innerText(), /Waiting\s+Not yet|Paid\s+To pack/) // paid in the same second
  assert.equal(await page.getByRole('button', { name: /^Refund/ }).getAttribute('aria-disabled'), 'true')
  assert.deepEqual(complaints, [])
})

test('a parcel is shipped once, though its answer is lost and the page is opened anew', async () => {
  const order = await desk.buy('once@sorensen.example')
  const { page } = await enter()
  await page.goto(desk.at(`/orders/${order.id}?sheet=ship`))
  let isCut = true
  await page.route('**/shipments', (route) =>
    isCut && route.request().method() === 'POST' ? route.abort() : route.fallback(),
  )
  await page.getByLabel('Tracking number').fill('0034 0435')
  await page.getByRole('button', { name: 'Ship all, 3 pieces' }).click()
  await page.getByText('We ask again under the same key').waitFor()
  const ship = page.locator('.head').getByRole('button', { name: /^Ship/ })
  assert.equal(await ship.getAttribute('aria-disabled'), 'true')
  await page.goto(desk.at(`/orders/${order.id}?sheet=ship`))
  await page.getByText('Everything has gone out.').first().waitFor()
  assert.equal(await page.getByLabel('Tracking number').count(), 0, 'nothing is left to ship')
  isCut = false
  await page.reload()
  await page.getByText('0034 0435').first().waitFor()
  const { body } = await desk.owner.get(`${desk.business}/orders/${order.id}/shipments`)
  assert.equal(body.items.length, 1)
})

test('a parcel that two people change keeps what each of them changed', async () => {
  const order = await desk.buy('parcel@sorensen.example')
  const [mugs] = order.lines
  const parcels = `${desk.business}/orders/${order.id}/shipments`
  const lines = [{ lineId: mugs.id, quantity: 2 }]
  const { body: parcel } = await desk.owner.post(parcels, { lines, trackingNumber: 'AAA', notify: false })
  const { page, complaints } = await enter()
  await page.goto(desk.at(`/orders/${order.id}?sheet=ship&shipment=${parcel.id}`))
  await page.getByLabel('Carrier').fill('UPS')
  const fewer = [{ lineId: mugs.id, quantity: 1 }]
  const changed = await desk.owner.put(`${parcels}/${parcel.id}`, { trackingNumber: 'BBB', lines: fewer })
  assert.equal(changed.status, 200, changed.text)
  await page.reload() // the draft is still there, and is of the parcel before
  await page.getByRole('button', { name: 'Save the parcel' }).click()
  await page.getByText('Shipment 1 updated').waitFor()
  const { body } = await desk.owner.get(`${parcels}/${parcel.id}`)
  assert.deepEqual([body.carrier, body.trackingNumber, body.lines], ['UPS', 'BBB', fewer])
  assert.deepEqual(complaints, [])
})

test('of orders that are shipped together the refused ones stay, each with its reason', async () => {
  const good = await desk.buy('good@sorensen.example')
  const ended = await desk.buy('ended@sorensen.example')
  const { page, complaints } = await enter()
  await page.goto(desk.at('/orders'))
  for (const { number } of [good, ended]) await page.getByLabel(`Select ${number}`).click()
  await page.getByRole('button', { name: 'Mark shipped' }).click()
  await page.getByLabel(`Tracking number of ${ended.number}`).fill('ZZZ')
  await desk.owner.put(`${desk.business}/orders/${ended.id}/status`, { status: 'CANCELLED' })
  await page.getByLabel('Tracking numbers').fill(`${good.number}\tAAA1`)
  await page.getByRole('button', { name: 'Mark 2 orders shipped' }).click()
  await page.getByText('1 order marked shipped.').waitFor()
  await page.getByText('1 order was refused.').waitFor()
  await page.locator('.ship-rows .problem').waitFor()
  assert.equal(await page.getByLabel(`Tracking number of ${ended.number}`).inputValue(), 'ZZZ')
  assert.equal(await page.getByLabel(`Tracking number of ${good.number}`).count(), 0)
  await page.keyboard.press('Escape')
  await page.getByText('1 selected').waitFor()
  assert.equal(new URL(page.url()).search, '')
  assert.deepEqual(complaints, [])
})

test('bulk shipping asks once before customers are emailed without a tracking number', async () => {
  const tracked = await desk.buy('tracked@sorensen.example')
  const untracked = await desk.buy('untracked@sorensen.example')
  const { page, complaints } = await enter()
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/orders/shipments')) sent++
  })
  await page.goto(desk.at('/orders'))
  for (const { number } of [tracked, untracked]) await page.getByLabel(`Select ${number}`).click()
  await page.getByRole('button', { name: 'Mark shipped' }).click()
  await page.getByLabel('Tracking numbers').fill(`${tracked.number}\tAAA1`)
  await page.getByRole('button', { name: 'Mark 2 orders shipped' }).click()
  const dialog = page.getByRole('dialog', { name: 'Ship without tracking numbers?' })
  await dialog.getByText(untracked.number).waitFor()
  assert.equal(await dialog.getByText(tracked.number).count(), 0)
  await look(page, 'bulk-ship-untracked-1440')
  await page.setViewportSize({ width: 390, height: 844 })
  await assertFits(page, 'bulk-ship-untracked-390')
  await page.setViewportSize({ width: 1_440, height: 900 })
  await dialog.getByRole('button', { name: 'Leave it' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(sent, 0)
  await page.getByRole('button', { name: 'Mark 2 orders shipped' }).click()
  await dialog.getByRole('button', { name: 'Mark 2 orders shipped' }).click()
  await page.getByText('2 orders marked shipped.').waitFor()
  assert.equal(sent, 1)
  assert.deepEqual(complaints, [])
})

test('bulk shipping without emails does not ask about tracking numbers', async () => {
  const order = await desk.buy('silent@sorensen.example')
  const { page, complaints } = await enter()
  await page.goto(desk.at('/orders'))
  await page.getByLabel(`Select ${order.number}`).click()
  await page.getByRole('button', { name: 'Mark shipped' }).click()
  await page.getByLabel('Mail each customer that it is on its way').uncheck()
  await page.getByRole('button', { name: 'Mark 1 order shipped' }).click()
  await page.getByText('1 order marked shipped.').waitFor()
  assert.deepEqual(complaints, [])
})

/** Changes the fields that the newest `order.updated` of an order names, as an earlier release recorded them. */
async function renameFields(orderId: string, fields: string[]) {
  await desk.owner.put(`${desk.business}/orders/update`, {
    id: orderId,
    tags: fields.map((field) => field.slice(0, 50)),
  })
  await desk.follow(desk.db)
  await sql`
    update cell.events set data = data || ${JSON.stringify({ fields })}
     where number = (select max(number) from cell.events where business_id = ${desk.businessId} and subject = ${orderId})
       and business_id = ${desk.businessId} and type = 'order.updated'`.execute(desk.db)
}

test('the timeline shows the reason of a refund, and no internal field names', async () => {
  const order = await desk.buy('reason@sorensen.example')
  const reason = { amount: 500, reason: 'Small chip' }
  assert.equal((await desk.owner.post(`${desk.business}/orders/${order.id}/refunds`, reason)).status, 201)
  await renameFields(order.id, ['trace', 'requestKey'])
  await renameFields(order.id, ['trace', 'shippingMethodId', 'tags'])
  const expected = {
    'en-GB': ['Reason: Small chip', 'changed: shipping method, tags'],
    'de-DE': ['Grund: Small chip', 'hat geändert: Versandart, Schlagwörter'],
  }
  for (const [locale, texts] of Object.entries(expected)) {
    const { page, context, complaints } = await enter({ locale })
    await page.goto(desk.at(`/orders/${order.id}`))
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      for (const text of texts) await page.locator('.timeline').getByText(text).waitFor()
      const timeline = await page.locator('.timeline').innerText()
      assert.doesNotMatch(timeline, /trace|requestKey|shippingMethodId|undefined/)
      assert.equal(timeline.match(/changed|geändert/g)?.length, 1)
      await assertFits(page, `order-timeline-${locale}-${width}`)
    }
    assert.deepEqual(complaints, [])
    await context.close()
  }
})

test('an order by hand: its draft survives a reload, its figures are those of the service', async () => {
  await desk.buy('hand@sorensen.example')
  const { page, complaints } = await enter()
  await page.goto(desk.at('/orders/new'))
  await page.getByRole('combobox', { name: 'Customer' }).fill('hand@')
  await page
    .getByRole('option', { name: /^(?!New customer).*(hand@|Ingrid)/ })
    .first()
    .click()
  await page.getByRole('combobox', { name: 'Find goods' }).fill('lantern')
  await page.locator('.found [role=option]').first().click()
  await page.getByLabel('Promo code').fill('WELCOME10')
  await page.getByText('Code WELCOME10').waitFor()
  await look(page, 'order-new')
  await page.reload()
  await page.getByText('Code WELCOME10').waitFor()
  const total = await page.locator('.sum-row .num').innerText()
  await page.keyboard.press('Control+Enter')
  await page.getByText('Entered by hand, added up again').waitFor()
  assert.equal(await page.locator('.sum-row .num').innerText(), total)
  assert.deepEqual(complaints, [])
})

test('somebody new gets an order by hand: what was typed to find them becomes their name, and is kept', async () => {
  const { page, complaints } = await enter()
  await page.goto(desk.at('/orders/new'))
  await page.getByRole('combobox', { name: 'Customer' }).fill('Henrike Aust')
  await page.getByRole('option', { name: 'New customer: Henrike Aust' }).click()
  await page.getByLabel('Email of the new customer').fill('henrike@')
  await page.getByRole('combobox', { name: 'Find goods' }).fill('lantern')
  await page.locator('.found [role=option]').first().click()
  await page.getByText('An address such as ada@example.com.').waitFor()
  await page.getByRole('button', { name: 'Somebody else' }).click()
  assert.equal(await page.getByRole('combobox', { name: 'Customer' }).inputValue(), 'Henrike Aust')
  await page.getByRole('option', { name: 'New customer: Henrike Aust' }).click()
  await page.getByLabel('Email of the new customer').fill('henrike@aust.example')
  await look(page, 'order-new-customer')
  await page.reload()
  assert.equal(await page.getByLabel('Name of the new customer').inputValue(), 'Henrike Aust')
  assert.equal(await page.getByLabel('Email', { exact: true }).inputValue(), 'henrike@aust.example')
  await page.locator('.sum-row .num').waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByText('Entered by hand, added up again').waitFor()
  const { body } = await desk.owner.get(`${desk.business}/orders/${new URL(page.url()).pathname.split('/').at(-1)}`)
  assert.deepEqual([body.contactEmail, body.shippingAddress], ['henrike@aust.example', null])
  assert.deepEqual(complaints, [])
})

test('the refund is a whole page on a phone, and nothing is wrong with either', async () => {
  const order = await desk.buy('phone@sorensen.example')
  const { page, complaints } = await enter()
  await page.goto(desk.at(`/orders/${order.id}`))
  for (const [name, width] of Object.entries({ desk: 1_440, phone: 390 })) {
    await page.setViewportSize({ width, height: width < 500 ? 844 : 900 })
    await page.getByText('Computed again').waitFor()
    await look(page, `order-${name}`)
    await page.getByRole('button', { name: 'Refund', exact: true }).click()
    await page.waitForURL(/sheet=refund/)
    await page.getByRole('checkbox', { name: /Watch Mug/ }).check()
    await page.getByRole('button', { name: 'Ask to refund $ 21.24' }).waitFor()
    await look(page, `order-refund-${name}`)
    await page.keyboard.press('Escape')
    await page.locator('.sheet').waitFor({ state: 'detached' })
  }
  assert.deepEqual(complaints, [])
})
