import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { approveOrigin } from '#modules/accounts/sign-in/origins.ts'
import { now } from '#platform/clock.ts'
import { transaction } from '#platform/database/transaction.ts'
import { createClient } from '../../support/client.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { waitUntilIdle } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { item, market, NOTHING_SAID, openShop, stateOf } from '../../support/shop.ts'
import { startApi } from '../../support/start-api.ts'
import { type StartedWorld, startWorld, useWorld } from '../../support/world.ts'

let used: StartedWorld<'stripe'>
let mailServer: Awaited<ReturnType<typeof startMailServer>>
before(async () => {
  mailServer = await startMailServer()
  used = await startWorld({
    providers: ['stripe'],
    env: { ...mailServer.env, ALLOWED_ORIGINS: 'https://operator.example' },
  })
})
after(async () => {
  await used.close()
  await mailServer.close()
})
const bare = useWorld() // an API without a payment provider

async function open() {
  const shop = await openShop(used.make)
  const guest = await used.make.guest()
  return {
    ...shop,
    guest,
    pay: (body: object, headers?: Record<string, string>) => shop.checkout(guest, body, headers),
  }
}
const pageOf = (orderId: string) =>
  used.twin.sessions().filter(({ client_reference_id }) => client_reference_id === `order:${orderId}`)

const NUMBER = /^[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{4}$/

test('a checkout makes an order, takes its stock and answers where to pay', async () => {
  const { guest, pay, product, order, id, configure, ledger } = await open()
  const mug = await product({ name: 'Mug' })
  await configure({ markets: [market({ shippingMethods: [{ id: 'post', name: 'Post', price: 490 }] })] })
  const answer = await pay({
    businessId: id,
    paymentMethod: 'CREDIT_CARD',
    shippingMethodId: 'post',
    items: [item(mug, 2)],
    blocks: [{ id: 'note', type: 'TEXT', value: 'Ring twice' }],
  })

  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.body).sort(), ['checkoutUrl', 'orderId'])
  assert.equal(answer.headers.get('idempotency-replayed'), null)
  const { orderId, checkoutUrl } = answer.body
  const made = await order(orderId)
  const { number, createdAt, statuses, paymentStatus, ...rest } = made
  assert.match(orderId, /^ord_[0-9a-z]{26}$/)
  assert.match(number, NUMBER)
  assert.deepEqual(rest, {
    id: orderId,
    businessId: id,
    customerId: guest.id,
    market: 'us',
    currency: 'USD',
    lines: [
      {
        id: made.lines[0].id,
        type: 'PRODUCT_VARIANT',
        ...item(mug, 2),
        unitPrice: 1_000,
        totalPrice: 2_000,
        discount: 0,
        taxClass: 'standard',
        taxBps: 1_000,
        tax: 200,
        name: 'Mug, One size',
        sku: mug.body.variants[0].sku,
      },
    ],
    subtotal: 2_000,
    tax: 200,
    taxIncluded: 0,
    shippingTax: 0,
    taxes: [{ taxBps: 1_000, taxClasses: ['standard'], base: 2_000, amount: 200, included: false }],
    ...NOTHING_SAID,
    shipping: 490,
    discount: 0,
    total: 2_690,
    promoCode: null,
    shippingMethodId: 'post',
    paymentMethod: 'CREDIT_CARD',
    blocks: [{ id: 'note', type: 'TEXT', value: 'Ring twice' }],
    contactEmail: null,
    expiresAt: createdAt + 3_600,
    updatedAt: createdAt,
  })
  for (const history of [statuses, paymentStatus]) {
    assert.equal(history.length, 1)
    const { id: entryId, ...entry } = history[0]
    assert.match(entryId, /^sts_/)
    assert.deepEqual(entry, { status: 'PENDING', changedBy: 'SYSTEM', timestamp: createdAt })
  }
  const [page, ...more] = pageOf(orderId)
  assert.deepEqual(more, [])
  assert.deepEqual(
    [
      page?.url,
      page?.amount_total,
      page?.currency,
      page?.expires_at,
      page?.metadata?.businessId,
      page?.payment_method_types,
    ],
    [checkoutUrl, 2_690, 'usd', made.expiresAt, id, ['card']],
  )
  assert.equal(await mug.stock(), 98)
  assert.deepEqual((await ledger(mug)).at(-1), { delta: -2, kind: 'ORDER', reference: orderId })
})

test('a paid order is PROCESSING and PAID, and two mails go out', async () => {
  const { buy, product, order, configure } = await open()
  const [contactEmail, name] = [`owner-${process.pid}@example.com`, 'Harbour Goods']
  await configure({ contactEmail, name })
  const user = await used.make.user()
  const { orderId, pageId } = await buy(user, { items: [item(await product())] })
  used.twin.pay(pageId)
  await used.twin.settled()
  const confirmation = await mailServer.mailTo(user.email ?? '')
  const news = await mailServer.mailTo(contactEmail)
  const paid = await order(orderId)

  assert.equal(stateOf(paid), 'PROCESSING/PAID')
  assert.equal(paid.expiresAt, null)
  assert.ok(confirmation.subject?.includes(paid.number) && news.subject?.includes(paid.number))
  assert.deepEqual(
    [confirmation.from, confirmation.replyTo?.map(({ address }) => address), news.from?.name],
    [{ name, address: 'hello@kontor.example' }, [contactEmail], 'Kontor'],
    'the customer is written to by the shop, the shop by the service',
  )
})

test('an order that costs nothing is COMPLETED at once, with its mails and without a page', async () => {
  const { checkout, priced, promo, order, configure } = await open()
  const contactEmail = `free-${process.pid}@example.com`
  await configure({ contactEmail })
  const [gift, mug] = [await priced(0), await priced(1_000)]
  const { used: uses } = await promo({ code: 'ALL', value: 10_000 })
  const user = await used.make.user()
  for (const [round, body] of [{ items: [item(gift, 3)] }, { items: [item(mug, 2)], promoCode: 'all' }].entries()) {
    const answer = await checkout(user, body)
    assert.equal(answer.status, 200, answer.text)
    const { orderId } = answer.body
    assert.deepEqual(answer.body, { orderId, status: 'COMPLETED' })
    const made = await order(orderId)
    assert.deepEqual([stateOf(made), made.total, made.expiresAt], ['PROCESSING/PAID', 0, null])
    assert.deepEqual(pageOf(orderId), [])
    assert.ok((await mailServer.mailTo(user.email ?? '', round + 1)).subject?.includes(made.number))
    assert.ok((await mailServer.mailTo(contactEmail, round + 1)).subject?.includes(made.number))
  }
  assert.deepEqual([await gift.stock(), await mug.stock(), await uses()], [97, 98, 1])
})

test('an address that nobody has proven gets five confirmations a day of orders that cost nothing; accounts get all of theirs', async () => {
  const { checkout, priced, pay, db } = await open()
  const gift = await priced(0)
  const items = [item(gift)]
  const [stranger, other] = [`stranger-${process.pid}@example.com`, `other-${process.pid}@example.com`]
  const block = (value: string) => [{ id: 'email', type: 'TEXT', value }]
  const user = await used.make.user()
  for (let count = 0; count < 8; count++) {
    const spelled = count % 2 ? stranger : stranger.toUpperCase()
    const typed = count % 3 ? { blocks: block(spelled) } : { email: spelled }
    const guest = await used.make.guest()
    assert.equal((await checkout(guest, { items, ...typed })).body.status, 'COMPLETED', 'the order is fine')
    assert.equal((await checkout(user, { items })).body.status, 'COMPLETED')
  }
  await pay({ items, blocks: block(other) })
  await waitUntilIdle(used, db)

  const mailsTo = (email: string) =>
    mailServer.mails.filter(({ to }) => to?.[0]?.address?.toLowerCase() === email).length
  assert.deepEqual([stranger, other, user.email ?? ''].map(mailsTo), [5, 1, 8])

  const { orderId } = (await pay({ items: [item(await priced(1_000))], blocks: block(stranger) })).body
  used.twin.pay(pageOf(orderId)[0]?.id ?? '')
  await waitUntilIdle(used, db)
  assert.equal(mailsTo(stranger), 6, 'money has come: it is told')
})

test('a business gets fifty mails a day about new orders that cost nothing, and all about those that are paid', async () => {
  const { checkout, priced, buy, product, configure, db } = await open()
  const contactEmail = `flooded-${process.pid}@example.com`
  await configure({ contactEmail })
  const items = [item(await priced(0))]
  const guest = await used.make.guest()
  for (let count = 0; count < 52; count++) assert.equal((await checkout(guest, { items })).status, 200)
  const { pageId } = await buy(await used.make.user(), { items: [item(await product())] })
  used.twin.pay(pageId)
  await used.twin.settled()
  await waitUntilIdle(used, db)
  assert.equal(mailServer.mails.filter(({ to }) => to?.[0]?.address === contactEmail).length, 51)
})

test('the contact is the account’s address, else the block `email`, else nobody', async () => {
  const { checkout, product, order, guest } = await open()
  const mug = await product()
  const contact = async (caller: Parameters<typeof checkout>[0], blocks?: object[]) => {
    const answer = await checkout(caller, { items: [item(mug)], ...(blocks && { blocks }) })
    assert.equal(answer.status, 200, answer.text)
    const { contactEmail } = await order(answer.body.orderId)
    return [contactEmail, pageOf(answer.body.orderId)[0]?.customer_email]
  }
  const email = (value: unknown, type = 'TEXT') => [{ id: 'email', type, value }]
  const user = await used.make.user()
  assert.deepEqual(await contact(user, email('other@example.com')), [user.email, user.email])
  assert.deepEqual(await contact(guest, email('Shopper@Example.com')), ['Shopper@Example.com', 'Shopper@Example.com'])
  assert.deepEqual(await contact(guest, email(' shopper@example.com ')), ['shopper@example.com', 'shopper@example.com'])
  const none = [null, null]
  assert.deepEqual(await contact(guest), none)
  assert.deepEqual(await contact(guest, [{ id: 'mail', type: 'TEXT', value: 'a@example.com' }]), none)
  const strange = [
    'nobody',
    'a@b',
    'a b@example.com',
    'a@example.com, b@example.com',
    '',
    { en: 'a@example.com' },
    'a..b@example.com',
    '@example.com',
    'a@example..com',
    'ä@example.com',
    `${'x'.repeat(250)}@example.com`,
  ]
  for (const value of strange) assert.deepEqual(await contact(guest, email(value)), none, JSON.stringify(value))
})

test('an address typed on the payment page becomes the contact of an order without one', async () => {
  const { buy, guest, product, order } = await open()
  const { orderId, pageId } = await buy(guest, { items: [item(await product())] })
  used.twin.pay(pageId, { email: 'typed@example.com' })
  await used.twin.settled()
  await mailServer.mailTo('typed@example.com')
  assert.equal((await order(orderId)).contactEmail, 'typed@example.com')
})

test('blocks are checked by their types, and kept', async () => {
  const { pay, product, order } = await open()
  const items = [item(await product())]
  const wrong: [object[], string][] = [
    [[{ id: 'a', type: 'NUMBER', value: 'x' }], 'blocks.0.value INVALID'],
    [
      [
        { id: 'a', type: 'TEXT', value: 'x' },
        { id: 'a', type: 'TEXT', value: 'y' },
      ],
      'blocks.1.id DUPLICATE',
    ],
    [[{ id: 'a', type: 'POEM', value: 'x' }], 'blocks.0.type INVALID'],
    [[{ id: 'a', value: 'x' }], 'blocks.0.type REQUIRED'],
    [[{ id: 'a', type: 'TEXT', required: true }], 'blocks.0.value REQUIRED'],
  ]
  for (const [blocks, complaint] of wrong) {
    assert.equal(refusal(await pay({ items, blocks })), `422 VALIDATION_FAILED ${complaint}`)
  }
  const blocks = [
    { id: 'street', type: 'TEXT', value: 'Kai 1' },
    { id: 'floor', type: 'NUMBER', value: 3 },
    { id: 'gift', type: 'BOOLEAN', value: true },
    { id: 'place', type: 'GEO_LOCATION', value: { latitude: 53.5, longitude: 10 } },
  ]
  const { body } = await pay({ items, blocks })
  assert.deepEqual((await order(body.orderId)).blocks, blocks)
})

test('the shopper comes back to origins of the business or of the operator only', async () => {
  const { pay, product, configure, listAll } = await open()
  await configure({ allowedOrigins: ['https://shop.example'] })
  await transaction(used.api.services.databases.control, (tx) => approveOrigin(tx, 'https://approved.example'))
  const items = [item(await product())]
  const foreign = [
    'https://evil.example/thanks',
    'https://shop.example.evil.example/',
    'https://shop.example@evil.example/',
    'http://shop.example/',
    'https://shop.example:444/',
    'https://SHOP.example\\@evil.example/',
    'https://evil.example/#https://shop.example',
  ]
  for (const field of ['returnUrl', 'cancelUrl']) {
    for (const url of foreign) {
      const answer = await pay({ items, [field]: url })
      assert.equal(answer.status, 422, url)
      assert.equal(answer.body.details[0].field, field)
    }
    assert.equal(
      refusal(await pay({ items, [field]: foreign[0] })),
      `422 VALIDATION_FAILED ${field} INVALID_REDIRECT_URI`,
    )
    for (const url of ['javascript:alert(1)', 'data:text/html,x', '/thanks', 'shop.example', '', 5, null]) {
      const answer = await pay({ items, [field]: url })
      assert.deepEqual([answer.status, answer.body.details[0].field], [422, field], String(url))
    }
  }
  assert.deepEqual(await listAll(), [], 'nothing was ordered')

  for (const origin of [
    'https://shop.example',
    'https://operator.example',
    'https://approved.example',
    'http://localhost:3000',
  ]) {
    const { body, text } = await pay({ items, returnUrl: `${origin}/thanks?x=1#top`, cancelUrl: `${origin}/cart` })
    const [page] = pageOf(body.orderId)
    assert.equal(page?.success_url, `${origin}/thanks?x=1&orderId=${body.orderId}#top`, text)
    assert.equal(page?.cancel_url, `${origin}/cart?orderId=${body.orderId}`)
  }
})

test('without addresses the shopper comes back to a page of ours that is there', async () => {
  const { buy, guest, product, order } = await open()
  const { orderId } = await buy(guest, { items: [item(await product())] })
  const [page] = pageOf(orderId)
  const { number } = await order(orderId)
  for (const url of [page?.success_url, page?.cancel_url]) {
    const { pathname, search, origin } = new URL(url ?? '')
    assert.equal(origin, 'http://localhost:3000')
    const shown = await fetch(`${used.api.url}${pathname}${search}`)
    assert.equal(shown.status, 200)
    assert.ok((await shown.text()).includes(number))
  }
})

test('what the caller says about prices, customer or status is not looked at', async () => {
  const { pay, product, order, guest } = await open()
  const mug = await product()
  const { body } = await pay({
    items: [{ ...item(mug), unitPrice: 1, totalPrice: 1, price: 1, name: 'x' }],
    subtotal: 1,
    total: 1,
    tax: 0,
    discount: 999,
    currency: 'EUR',
    customerId: 'usr_other',
    contactEmail: 'x@example.com',
    paymentStatus: [{ status: 'PAID' }],
    statuses: [{ status: 'DELIVERED' }],
  })
  const made = await order(body.orderId)
  assert.deepEqual(
    [made.subtotal, made.discount, made.total, made.currency, made.customerId, made.contactEmail, stateOf(made)],
    [1_000, 0, 1_100, 'USD', guest.id, null, 'PENDING/PENDING'],
  )
})

test('what a quote refuses, a checkout refuses too, and nothing is left of it', async () => {
  const { pay, product, promo, admin, listAll, configure } = await open()
  const mug = await product()
  const draft = await product({ statuses: [{ status: 'DRAFT' }] })
  const unpriced = await product({ variants: [{ id: 'one' }] })
  const { used: uses } = await promo({ code: 'BIG', minSubtotal: 5_000 })
  const items = [item(mug)]
  const many = (count: number) => Array.from({ length: count }, () => item(mug))
  const cases: [object, string][] = [
    [{ items, market: 'mars' }, 'market NOT_FOUND'],
    [{ items, market: undefined }, 'market REQUIRED'],
    [{ items, paymentMethod: 'CARD_PROVIDER' }, 'paymentMethod INVALID'],
    [{}, 'items REQUIRED'],
    [{ lines: items }, 'items REQUIRED'],
    [{ items: many(101) }, 'items TOO_MANY'],
    [{ items: [item(mug, 0)] }, 'items.0.quantity TOO_SMALL'],
    [{ items: [item(mug, 10_001)] }, 'items.0.quantity TOO_LARGE'],
    [{ items: [item(mug, 1.5)] }, 'items.0.quantity INVALID'],
    [{ items: [item(mug, 9_999), item(mug, 2)] }, 'items.1.quantity TOO_LARGE'],
    [{ items: [item(draft)] }, 'items.0.variantId NOT_FOUND'],
    [{ items: [item(mug), item(mug, 1, 'two')] }, 'items.1.variantId NOT_FOUND'],
    [{ items: [item(unpriced)] }, 'items.0.variantId NO_PRICE'],
    [{ items, promoCode: 'NONE' }, 'promoCode NOT_FOUND'],
    [{ items, promoCode: 'BIG' }, 'promoCode PROMO_NOT_APPLICABLE'],
    [{ items, businessId: 'biz_other' }, 'businessId INVALID'],
  ]
  for (const [body, complaint] of cases) {
    assert.equal(refusal(await pay(body)), `422 VALIDATION_FAILED ${complaint}`, JSON.stringify(body).slice(0, 200))
  }
  await configure({ markets: [market({ shippingMethods: [{ id: 'post', name: 'Post', price: 1 }] })] })
  assert.equal(refusal(await pay({ items })), '422 VALIDATION_FAILED shippingMethodId REQUIRED')
  await admin.delete(mug.path)
  assert.equal(
    refusal(await pay({ items, shippingMethodId: 'post' })),
    '422 VALIDATION_FAILED items.0.variantId NOT_FOUND',
  )
  assert.deepEqual([await listAll(), await uses()], [[], 0])
})

test('a checkout needs a token, which may be a guest’s, and a business that there is', async () => {
  const { checkout, product, admin, customers, guest } = await open()
  const items = [item(await product())]
  assert.equal(refusal(await checkout(used.make.anonymous(), { items })), '401 UNAUTHENTICATED')
  const user = await used.make.user()
  const key = await used.make.apiKey(user.id)
  for (const caller of [guest, user, admin, key]) assert.equal((await checkout(caller, { items })).status, 200)
  assert.deepEqual(await customers(used.api.services.databases.control), [guest.id, user.id, admin.id].sort())
  const lost = await guest.post('/v1/businesses/biz_none/orders/checkout', { market: 'us', items })
  assert.equal(refusal(lost), '404 NOT_FOUND')
})

test('equal lines take their stock together, and each variant its own', async () => {
  const { pay, product, order, ledger } = await open()
  const [mug, cup] = [await product(), await product()]
  const { body } = await pay({ items: [item(mug, 1), item(cup, 2), item(mug, 3)] })
  assert.deepEqual([await mug.stock(), await cup.stock()], [96, 98])
  assert.equal((await order(body.orderId)).lines.length, 2)
  assert.deepEqual((await ledger(mug)).slice(1), [{ delta: -4, kind: 'ORDER', reference: body.orderId }])
})

test('what is not there cannot be bought, all of the cart or nothing', async () => {
  const { pay, product, priced, promo, listAll, ledger } = await open()
  const [mug, rare, gone] = [
    await product(),
    await priced(500, { tracked: true, quantity: 3 }),
    await priced(500, { tracked: true, quantity: 0 }),
  ]
  const { used: uses } = await promo()
  const calls = used.twin.requests.length
  const short = await pay({ items: [item(mug), item(rare, 4)], promoCode: 'TEN' })
  assert.equal(refusal(short), '409 CONFLICT items.1.quantity OUT_OF_STOCK')
  assert.match(short.body.message, /3/)
  assert.equal(refusal(await pay({ items: [item(gone)] })), '409 CONFLICT items.0.quantity OUT_OF_STOCK')
  const merged = await pay({ items: [item(mug), item(rare, 2), item(rare, 2)] })
  assert.equal(refusal(merged), '409 CONFLICT items.1.quantity OUT_OF_STOCK')
  assert.deepEqual([await mug.stock(), await rare.stock(), await uses()], [100, 3, 0])
  assert.deepEqual([(await ledger(mug)).length, await listAll(), used.twin.requests.length], [1, [], calls])

  assert.equal((await pay({ items: [item(rare, 3)] })).status, 200)
  assert.equal(refusal(await pay({ items: [item(rare, 1)] })), '409 CONFLICT items.0.quantity OUT_OF_STOCK')
  assert.equal(await rare.stock(), 0)
})

test('of what is not tracked there is always enough, and no stock is taken', async () => {
  const { pay, priced, ledger } = await open()
  const endless = await priced(10, { tracked: false, quantity: 0 })
  const before = await ledger(endless)
  assert.equal((await pay({ items: [item(endless, 10_000)] })).status, 200)
  assert.deepEqual(await ledger(endless), before)
})

test('fifty at once buy the last ten, one each, and forty get nothing', async () => {
  const { pay, priced, listAll, ledger } = await open()
  const rare = await priced(500, { tracked: true, quantity: 10 })
  const answers = await Promise.all(Array.from({ length: 50 }, () => pay({ items: [item(rare)] })))
  const counted = Map.groupBy(answers, refusal)

  assert.equal(counted.get('200')?.length, 10, [...counted.keys()].join())
  assert.equal(counted.get('409 CONFLICT items.0.quantity OUT_OF_STOCK')?.length, 40)
  assert.deepEqual([await rare.stock(), (await listAll()).length, (await ledger(rare)).length], [0, 10, 11])
})

test('a card pays 0.50 to 999,999.99, and nothing outside of that is ordered', async () => {
  const { pay, priced, listAll, configure } = await open()
  await configure({ markets: [market({ taxBps: 0 })] })
  const at = async (price: number) => refusal(await pay({ items: [item(await priced(price))] }))
  const refused = '422 VALIDATION_FAILED items AMOUNT_OUT_OF_RANGE'
  assert.deepEqual([await at(1), await at(49), await at(100_000_000)], [refused, refused, refused])
  const beyond = await at(Number.MAX_SAFE_INTEGER)
  assert.equal(beyond, refused)
  const twice = await pay({ items: [item(await priced(Number.MAX_SAFE_INTEGER), 2)] })
  assert.match(refusal(twice), /^422 VALIDATION_FAILED \S+ AMOUNT_OUT_OF_RANGE$/)
  assert.deepEqual(await listAll(), [])
  assert.deepEqual([await at(50), await at(99_999_999)], ['200', '200'])
})

test('without a provider a payable checkout is 503 before anything is written; a free one works', async () => {
  const shop = await openShop(bare.make)
  const guest = await bare.make.guest()
  const [mug, gift] = [await shop.product(), await shop.priced(0)]
  const { used: uses } = await shop.promo({ code: 'ALL', value: 10_000 })
  await shop.promo({ code: 'HALF', value: 5_000 })

  const answer = await shop.checkout(guest, { items: [item(mug)], promoCode: 'HALF' }, { 'idempotency-key': 'a' })
  assert.equal(refusal(answer), '503 PROVIDER_NOT_CONFIGURED')
  assert.match(answer.body.message, /payment/)
  assert.deepEqual([await shop.listAll(), await mug.stock()], [[], 100])
  for (const body of [{ items: [item(gift)] }, { items: [item(mug)], promoCode: 'ALL' }]) {
    const free = await shop.checkout(guest, body)
    assert.equal(free.body.status, 'COMPLETED', free.text)
  }
  assert.deepEqual([await mug.stock(), await uses(), (await shop.listAll()).length], [99, 1, 2])
})

test('where the platform’s account is not shared, a business needs one of its own', async () => {
  const { guest, path, product, priced, listAll } = await open()
  const node = await startApi({ databases: used.api.databases, env: { ...used.env, STRIPE_SHARED_ACCOUNT: 'false' } })
  try {
    const there = createClient(node.url, { authorization: `Bearer ${guest.token}` })
    const [mug, gift] = [await product(), await priced(0)]
    const pay = (items: object[]) => there.post(`${path}/orders/checkout`, { market: 'us', items })
    assert.equal(refusal(await pay([item(mug)])), '503 PROVIDER_NOT_CONFIGURED')
    assert.deepEqual([await listAll(), await mug.stock()], [[], 100])
    assert.equal((await pay([item(gift)])).body.status, 'COMPLETED')
  } finally {
    await node.close()
  }
})

test('a promo code is counted, kept with the order, and ends when it is used up', async () => {
  const { pay, product, promo, order, listAll } = await open()
  const mug = await product()
  const { used: uses, code } = await promo({ maxRedemptions: 2 })
  for (const promoCode of ['ten', 'Ten']) {
    const { body } = await pay({ items: [item(mug)], promoCode })
    const made = await order(body.orderId)
    assert.deepEqual([made.promoCode, made.discount, made.tax, made.total], [code, 100, 90, 990])
  }
  assert.equal(refusal(await pay({ items: [item(mug)], promoCode: 'TEN' })), '409 CONFLICT promoCode PROMO_EXHAUSTED')
  assert.deepEqual([await uses(), await mug.stock(), (await listAll()).length], [2, 98, 2])
})

test('of thirty at once with a code for five, five get it', async () => {
  const { pay, product, promo } = await open()
  const mug = await product()
  const { used: uses } = await promo({ maxRedemptions: 5 })
  const attempts = Array.from({ length: 30 }, () => pay({ items: [item(mug)], promoCode: 'TEN' }))
  const answers = (await Promise.all(attempts)).map(refusal).sort()
  assert.deepEqual(answers, [...Array(5).fill('200'), ...Array(25).fill('409 CONFLICT promoCode PROMO_EXHAUSTED')])
  assert.deepEqual([await uses(), await mug.stock()], [5, 95])
})

test('a limit for each customer goes by the email address, whatever its case', async () => {
  const { checkout, product, promo } = await open()
  await promo({ maxPerCustomer: 1 })
  const mug = await product()
  const email = `Customer${process.pid}@example.com`
  const [user, guest, other] = [await used.make.user(), await used.make.guest(), await used.make.guest()]
  const buy = async (caller: Parameters<typeof checkout>[0], value?: string) => {
    const blocks = value === undefined ? [] : [{ id: 'email', type: 'TEXT', value }]
    return refusal(await checkout(caller, { items: [item(mug)], promoCode: 'TEN', blocks }))
  }
  const exhausted = '409 CONFLICT promoCode PROMO_EXHAUSTED'
  assert.deepEqual([await buy(user), await buy(user), await buy(user, email)], ['200', exhausted, exhausted])
  assert.deepEqual([await buy(guest, email), await buy(other, email.toUpperCase())], ['200', exhausted])
  assert.equal(await buy(other, user.email?.toUpperCase()), exhausted, 'a guest with the account’s address')
})

test('a limit for each customer goes by a confirmed phone, and needs something to go by', async () => {
  const { checkout, product, promo } = await open()
  const { used: uses } = await promo({ maxPerCustomer: 1 })
  const mug = await product()
  const [named, unnamed] = [await used.make.guest(), await used.make.guest()]
  const number = `+49151${String(process.pid).padStart(8, '0')}`
  const { control } = used.api.services.databases
  await control.insertInto('accounts.verifiedPhones').values({ number, userId: named.id, verifiedAt: now() }).execute()
  await control
    .updateTable('accounts.users')
    .set({ phoneNumbers: [number] })
    .where('id', '=', unnamed.id)
    .execute()
  const buy = async (caller: Parameters<typeof checkout>[0]) =>
    refusal(await checkout(caller, { items: [item(mug)], promoCode: 'TEN' }))

  assert.deepEqual([await buy(named), await buy(named)], ['200', '409 CONFLICT promoCode PROMO_EXHAUSTED'])
  assert.equal(
    await buy(unnamed),
    '422 VALIDATION_FAILED promoCode PROMO_NOT_APPLICABLE',
    'a number that is not confirmed',
  )
  assert.equal((await checkout(unnamed, { items: [item(mug)] })).status, 200)
  assert.equal(await uses(), 1)
})

test('each cell has its own orders', async () => {
  for (const cell of ['main', 'second']) {
    const { buy, product, id } = await openShop(used.make, { cell })
    const { orderId } = await buy(await used.make.guest(), { items: [item(await product())] })
    for (const [name, db] of used.api.services.databases.cells) {
      const rows = await db.selectFrom('orders.orders').select('id').where('businessId', '=', id).execute()
      assert.deepEqual(rows, name === cell ? [{ id: orderId }] : [])
    }
  }
})
