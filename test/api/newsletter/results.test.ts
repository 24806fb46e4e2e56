import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { nowMs } from '#platform/clock.ts'
import { assertError } from '../../support/assert-error.ts'
import { holdClock } from '../../support/clock.ts'
import { BODY, text } from '../../support/content.ts'
import { openNewsletter } from '../../support/newsletter-api.ts'
import { faultsIn, openPaidShop } from '../../support/paid-shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe', 'mail'], worker: 'newsletter', own: true })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => clock.release())

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const DAY = 86_400
const NO_ORDERS = { count: 0, byClick: 0, byPromoCode: 0, promoCodes: [], sums: [], newest: [] }

let count = 0

/** A letter of a shop, with a link and a promo code, that three readers got ten minutes ago. */
async function sent(fields: object = { countClicks: true }) {
  const paid = await openPaidShop(used)
  const { shop, product } = paid
  const letters = await openNewsletter(used.make, {
    business: shop,
    blocks: [{ id: 'title', type: 'TEXT' }, BODY],
    ...fields,
  })
  const domain = `results${++count}.example`
  await letters.fill(3, domain)
  const entry = await letters.entry([
    text('title', 'Boats'),
    text('body', '<p><a href="https://shop.example/boats">Boats</a> with SPRING-25, only in spring.</p>'),
  ])
  const sending = await letters.send(entry)
  await used.sendWorker.run(letters.db)
  clock.advance(600)

  const mailTo = (name: string) => {
    const mail = used.mailServer.mails.findLast(({ to }) => to?.[0]?.address === `${name}@${domain}`)
    assert.ok(mail)
    return [...(mail.html ?? '').matchAll(/(?:href|src)="([^"]*)"/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&').replace(used.api.config.publicUrl, used.api.url),
    )
  }
  const visit = async (url: string | undefined, method = 'GET', body?: string) => {
    assert.ok(url)
    const headers: Record<string, string> = { 'user-agent': BROWSER }
    if (body !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded'
    const answer = await fetch(url, { method, headers, redirect: 'manual', ...(body !== undefined && { body }) })
    return { status: answer.status, text: await answer.text() }
  }
  const click = (name: string) => visit(mailTo(name).find((href) => href.includes('/newsletters/go/')))
  const leaveUrl = (name: string) => mailTo(name).find((href) => href.includes('/newsletters/unsubscribe'))
  const results = async () => {
    const { status, body, text } = await letters.owner.get(`${sending.path}/results`)
    assert.equal(status, 200, text)
    return body
  }
  /** An order by hand over 10.00, PAID unless told. */
  const order = async (name: string, body: object = {}, market = 'us') => {
    const unitPrice = market === 'us' ? 1_000 : 900
    const made = await letters.owner.post(`${shop.path}/orders`, {
      customerId: (await used.make.guest()).id,
      contactEmail: `${name}@${domain}`,
      market,
      lines: [{ productId: product.id, variantId: 'one', quantity: 1, unitPrice, totalPrice: unitPrice }],
      subtotal: unitPrice,
      tax: 0,
      shipping: 0,
      total: unitPrice,
      paymentStatus: [{ status: 'PAID' }],
      ...body,
    })
    assert.equal(made.status, 201, made.text)
    return made.body.id as string
  }
  return { ...letters, ...paid, sending, entry, domain, mailTo, visit, click, leaveUrl, results, order }
}

describe('the results of a send', () => {
  test('count readers, clicks, and who left by the letter', async () => {
    const { results, click, visit, leaveUrl, unsubscribe, tokenOf, domain } = await sent()
    assert.deepEqual(await results(), {
      reached: 3,
      clicks: {
        isCounted: true,
        readers: 0,
        total: 0,
        links: [{ url: 'https://shop.example/boats', clicks: 0, readers: 0 }],
      },
      opens: { isCounted: false, readers: 0 },
      unsubscribed: 0,
      orders: NO_ORDERS,
    })
    await click('reader1')
    await click('reader1')
    await click('reader2')
    const page = await visit(leaveUrl('reader2'))
    const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    assert.equal((await results()).unsubscribed, 0, 'looking is not leaving')
    for (let times = 0; times < 2; times++)
      assert.equal((await visit(used.api.url + action, 'POST', `token=${encodeURIComponent(token)}`)).status, 200)
    assert.equal((await results()).unsubscribed, 1, 'each reader once')
    assert.equal((await visit(leaveUrl('reader1'), 'POST', 'List-Unsubscribe=One-Click')).status, 200)
    assert.equal((await unsubscribe(await tokenOf(`reader3@${domain}`))).status, 200)
    const { reached, clicks, unsubscribed } = await results()
    assert.deepEqual([reached, clicks.readers, clicks.total, unsubscribed], [3, 2, 3, 2], 'reader3 left elsewhere')
  })

  test('name no letter that the reader did not get', async () => {
    const first = await sent()
    const other = await sent()
    const url = first.leaveUrl('reader1')?.replace(first.sending.id, other.sending.id)
    assert.equal((await first.visit(url, 'POST', '')).status, 200)
    assert.equal(await first.state(`reader1@${first.domain}`), 'CANCELLED', 'leaving works anyway')
    assert.deepEqual([(await first.results()).unsubscribed, (await other.results()).unsubscribed], [0, 0])
  })

  test('count paid orders of readers within seven days of a click, with what they brought', async () => {
    const { results, click, order, owner, path } = await sent()
    await order('reader1')
    clock.advance(60)
    await click('reader1')
    clock.advance(2 * DAY)
    const mine = await order('READER1')
    await order('reader2')
    await order('reader1', { paymentStatus: [{ status: 'PENDING' }] })
    const euros = await order('reader1', {}, 'de')
    const back = await order('reader1', { paymentStatus: [{ status: 'PAID' }, { status: 'REFUNDED' }] })
    clock.advance(5 * DAY + 1)
    await order('reader1')
    const { orders } = await results()
    assert.deepEqual(orders, {
      count: 3,
      byClick: 3,
      byPromoCode: 0,
      promoCodes: [],
      sums: [
        { currency: 'EUR', orders: 1, amount: 900 },
        { currency: 'USD', orders: 2, amount: 1_000 },
      ],
      newest: [back, euros, mine],
    })
    const listed = await owner.get(`${path}/orders?${orders.newest.map((id: string) => `id=${id}`).join('&')}`)
    assert.equal(listed.body.items.length, 3, 'the list of orders shows them')
    clock.advance(60)
    await click('reader1')
    clock.advance(DAY)
    await order('reader1')
    assert.equal((await results()).orders.count, 4, 'a later click counts, too')
  })

  test('know a reader by their account as well', async () => {
    const { results, visit, order, subscribed, send, entry, db, owner } = await sent()
    const shopper = await used.make.user()
    await subscribed(shopper, { email: 'account@results.example' })
    const again = await send(entry, { resend: true })
    await used.sendWorker.run(db)
    clock.advance(600)
    const mail = await used.mailServer.mailTo('account@results.example')
    const href = /href="([^"]*\/newsletters\/go\/[^"]*)"/.exec(mail.html ?? '')?.[1] ?? ''
    await visit(href.replace(used.api.config.publicUrl, used.api.url))
    clock.advance(60)
    await order('elsewhere', { customerId: shopper.id })
    assert.equal((await results()).orders.count, 0, 'it was a click in the other send')
    const { body } = await owner.get(`${again.path}/results`)
    assert.deepEqual([body.orders.count, body.orders.byClick], [1, 1])
  })

  test('count orders with a promo code that the letter names, each once', async () => {
    const { results, click, shop, buy, db, domain, sending } = await sent()
    for (const code of ['spring-25', 'SPRING', 'OTHER']) {
      const made = await shop.admin.post(`${shop.path}/promo-codes`, { code, type: 'PERCENT', value: 1_000 })
      assert.equal(made.status, 201, made.text)
    }
    await click('reader1')
    clock.advance(60)
    const pay = async (body: { promoCode: string; email?: string }) => {
      const bought = await buy(body)
      used.twin.pay(bought.pageId)
      await used.waitUntilIdle(db)
      assert.equal(await bought.state(), 'PROCESSING/PAID')
      return bought
    }
    await pay({ promoCode: 'Spring-25' })
    await pay({ promoCode: 'SPRING-25', email: `reader1@${domain}` })
    await pay({ promoCode: 'SPRING' })
    await pay({ promoCode: 'OTHER' })
    const unpaid = await buy({ promoCode: 'SPRING-25' })
    const { orders } = await results()
    assert.deepEqual([orders.count, orders.byClick, orders.byPromoCode, orders.promoCodes], [2, 1, 2, ['SPRING-25']])
    assert.deepEqual(orders.sums, [{ currency: 'USD', orders: 2, amount: 2 * 990 }])
    assert.ok(!orders.newest.includes(unpaid.id))
    const before = { startedAt: new Date(nowMs() - 9 * DAY * 1000), finishedAt: new Date(nowMs() - 8 * DAY * 1000) }
    await db.updateTable('newsletter.sends').set(before).where('id', '=', sending.id).execute()
    const later = (await results()).orders
    assert.deepEqual([later.count, later.byClick, later.byPromoCode], [1, 1, 0], 'after seven days only a click counts')
  })

  test('are there from the beginning, for those who may read subscribers', async () => {
    const { owner, id, entry, send, sending, path } = await sent({})
    const planned = await send(entry, { resend: true, scheduledAt: Math.floor(Date.now() / 1000) + 90 * DAY })
    const { body } = await owner.get(`${planned.path}/results`)
    assert.deepEqual(body, {
      reached: 0,
      clicks: { isCounted: false, readers: 0, total: 0, links: [] },
      opens: { isCounted: false, readers: 0 },
      unsubscribed: 0,
      orders: NO_ORDERS,
    })
    const reader = await used.make.member(id, 'SUBSCRIBERS_READ')
    assert.equal((await reader.get(`${sending.path}/results`)).status, 200)
    const sender = await used.make.member(id, 'NEWSLETTER_SEND')
    assertError(await sender.get(`${sending.path}/results`), 403, 'FORBIDDEN')
    assertError(await reader.get(`${entry.path}/sends/snd_other/results`), 404, 'NOT_FOUND')
    const other = await used.make.business()
    const elsewhere = sending.path.replace(path, other.path)
    assertError(await other.admin.get(`${elsewhere}/results`), 404, 'NOT_FOUND')
  })
})

describe('the list of all sends', () => {
  test('has those of all letters, newest first, page by page', async () => {
    const { owner, path, send, entry, letter, collection, sending, db } = await openTwo()
    const second = await send(letter)
    await used.sendWorker.run(db)
    const third = await send(entry, { resend: true })
    const ids = (answer: { body: { items: { id: string }[] } }) => answer.body.items.map(({ id }) => id)
    const all = await owner.get(`${path}/sends`)
    assert.deepEqual(ids(all), [third.id, second.id, sending.id])
    assert.deepEqual(all.body.items[2], await sending.get(), 'each as it is read by itself')
    const first = await owner.get(`${path}/sends?limit=2`)
    assert.deepEqual(ids(first), [third.id, second.id])
    assert.deepEqual(ids(await owner.get(`${path}/sends?limit=2&cursor=${first.body.cursor}`)), [sending.id])
    assert.deepEqual(ids(await owner.get(`${path}/sends?entryId=${letter.id}`)), [second.id])
    assert.deepEqual(ids(await owner.get(`${path}/sends?entryId=${letter.id}&entryId=${entry.id}`)), ids(all))
    assert.deepEqual(ids(await owner.get(`${path}/sends?collectionId=${collection.id}`)), [third.id, sending.id])
  })

  test('is for those who may send, and of one business', async () => {
    const { id, path } = await sent()
    const reader = await used.make.member(id, 'SUBSCRIBERS_READ')
    assertError(await reader.get(`${path}/sends`), 403, 'FORBIDDEN')
    const other = await used.make.business()
    assert.deepEqual((await other.admin.get(`${other.path}/sends`)).body.items, [])
  })

  /** Two newsletters of one business, each with a letter. */
  async function openTwo() {
    const first = await sent()
    const second = await openNewsletter(used.make, { business: first.shop })
    return { ...first, letter: await second.entry() }
  }
})
