import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, test } from 'node:test'
import { verify } from '../../../src/apps/verify.ts'
import { type Asked, RATES, taxes, useReceiver, VALID } from '../../support/callout-receiver.ts'
import { OWN, openCalloutShop } from '../../support/callout-shop.ts'
import { createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { item } from '../../support/shop.ts'
import { startApi } from '../../support/start-api.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'], own: true, env: { OUTGOING_LOOPBACK: 'on' } })
const receiver = useReceiver()

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
  receiver.forget()
})
afterEach(async () => {
  clock.release()
  for (const cell of used.api.services.databases.cells.values())
    for (const { check, violations } of await verify(cell)) assert.deepEqual(violations, [], check)
})

type Says = (asked: Asked, response: ServerResponse) => unknown
const raw =
  (status: number, text: string, headers: Record<string, string> = {}): Says =>
  (_asked, response) =>
    void response.writeHead(status, headers).end(text)

/** What no service may do, whatever it is asked. */
const BAD_MANNERS: Record<string, Says> = {
  'hangs up': (_asked, response) => void response.destroy(),
  'says nothing': () => undefined,
  'never ends': (_asked, response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(drip))
  },
  'speaks another protocol': (_asked, response) =>
    void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'),
  'is broken': raw(500, '{}'),
  'knows nothing': raw(404, '{}'),
  'has nothing to say': raw(204, ''),
  'creates something': raw(201, JSON.stringify(VALID)),
  'redirects to itself': (_asked, response) => void response.writeHead(307, { location: receiver.url }).end(),
  'redirects to a private address': raw(302, '', { location: 'http://169.254.169.254/latest/meta-data' }),
  'speaks HTML': raw(200, '<html>Welcome</html>'),
  'says null': raw(200, 'null'),
  'says a list': raw(200, '[]'),
  'says nothing in JSON': raw(200, '{}'),
  'is deep': raw(200, '['.repeat(500_000)),
  'sends a gigabyte': (_asked, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000000000' })
    const piece = Buffer.alloc(64 * 1024, ' ')
    const push = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', push)
    push()
  },
}

type TaxLine = { id: string; taxBps: number; tax: number }
const onLines =
  (change: (lines: TaxLine[]) => unknown[]): Says =>
  (asked) => {
    const honest = taxes(asked)
    return { ...honest, lines: change(honest.lines) }
  }
const onFirst = (changes: object): Says => onLines(([first, ...rest]) => [{ ...first, ...changes }, ...rest])
const onGroup =
  (changes: object): Says =>
  (asked) => {
    const honest = taxes(asked)
    return { ...honest, taxes: [{ ...honest.taxes[0], ...changes }] }
  }
const onRate =
  (changes: object): Says =>
  () => ({ rates: [{ ...RATES.rates[0], ...changes }] })

const LIES: Record<string, Record<string, Says>> = {
  'tax.calculate': {
    'a negative tax': onFirst({ tax: -1 }),
    'half a cent': onFirst({ tax: 0.5 }),
    'a text': onFirst({ tax: '200' }),
    'a huge tax': onFirst({ tax: 9_007_199_254_740_991 }),
    'no number': onFirst({ tax: null }),
    'a tax above its base': onFirst({ tax: 1_001 }),
    'a rate above 100 %': onFirst({ taxBps: 10_001 }),
    'a currency': (asked) => ({ ...taxes(asked), currency: 'EUR' }),
    'a currency of a line': onFirst({ currency: 'EUR' }),
    'a missing line': onLines(([, ...rest]) => rest),
    'a doubled line': onLines((lines) => [...lines, ...lines.slice(0, 1)]),
    'a line twice instead of two': onLines(([first]) => [first, first]),
    'an unknown line': onFirst({ id: '7' }),
    'tax of shipping above shipping': (asked) => ({ ...taxes(asked), shippingTax: 501 }),
    'a negative tax of shipping': (asked) => ({ ...taxes(asked), shippingTax: -1 }),
    'taxes that do not add up': onGroup({ amount: 1 }),
    'no taxes': (asked) => ({ ...taxes(asked), taxes: [] }),
    'taxes inside prices that are without': onGroup({ included: true }),
    'a base above the cart': onGroup({ base: 1_000_000 }),
    'a tax class that is none': onGroup({ taxClasses: ['Größe'] }),
  },
  'shipping.rates': {
    'a negative price': onRate({ price: -1 }),
    'half a cent': onRate({ price: 0.5 }),
    'a huge price': onRate({ price: 9_007_199_254_740_991 }),
    'an endless price': raw(200, '{"rates":[{"id":"a","name":"A","price":1e999}]}'),
    'a currency': onRate({ currency: 'EUR' }),
    'no name': onRate({ name: '' }),
    'a name with a NUL': onRate({ name: 'a\u0000b' }),
    'a name with half a character': onRate({ name: 'a\ud800b' }),
    'an id with spaces': onRate({ id: 'slow boat' }),
    'a rate twice': () => ({ rates: [RATES.rates[0], RATES.rates[0]] }),
    '51 rates': () => ({ rates: Array.from({ length: 51 }, (_, id) => ({ id: `r${id}`, name: 'R', price: 1 })) }),
  },
  'cart.validate': {
    'valid with problems': () => ({ isValid: true, problems: [{ lineId: null, code: 'A', message: 'B' }] }),
    'not valid without a reason': () => ({ isValid: false, problems: [] }),
    'valid as a text': () => ({ isValid: 'true', problems: [] }),
    'a problem of an unknown line': () => ({ isValid: false, problems: [{ lineId: '9', code: 'A', message: 'B' }] }),
    'a problem without words': () => ({ isValid: false, problems: [{ lineId: null, code: 'A', message: '' }] }),
    'an essay': () => ({ isValid: false, problems: [{ lineId: null, code: 'A', message: 'B'.repeat(501) }] }),
    'something more': () => ({ ...VALID, discount: 100 }),
  },
}

const POINTS = ['tax.calculate', 'shipping.rates', 'cart.validate'] as const

for (const point of POINTS) {
  test(`${point}: whatever a service does wrong fails the checkout, or our own settings count`, async () => {
    const shop = await openCalloutShop(used.make, receiver.url)
    const goods = [await shop.priced(1_000, { tracked: false }), await shop.priced(500, { tracked: false })]
    const items = goods.map((one) => item(one))
    const ours = (await shop.quote(shop.guest, { items, shippingMethodId: 'own' })).body
    const cases = Object.entries({ ...BAD_MANNERS, ...LIES[point] })
    for (const [index, [name, says]] of cases.entries()) {
      receiver.answers.set(point, says)
      clock.advance(11) // the breaker is another matter
      const body = {
        items,
        shippingMethodId: 'own',
        shippingAddress: { country: 'DE', street: `${index}` },
      }

      await shop.attach(point, { onFailure: 'FAIL', timeoutMs: 150 })
      const guest = await used.make.guest()
      for (const answer of [await shop.quote(guest, body), await shop.checkout(guest, body)]) {
        assert.equal(answer.status, 503, `${name}: ${answer.text}`)
        assert.equal(answer.body.error, 'CALLOUT_FAILED')
        assert.deepEqual(
          answer.body.details.map(({ field, error }: { field: string; error: string }) => [field, error]),
          [[point, 'CALLOUT_FAILED']],
        )
        assert.match(answer.body.message, new RegExp(point))
        assert.equal(answer.headers.get('retry-after'), '5')
      }

      clock.advance(11)
      await shop.attach(point, { onFailure: 'FALLBACK' })
      const quoted = await shop.quote(guest, body)
      assert.equal(quoted.status, 200, `${name}: ${quoted.text}`)
      const { fallbacks, shippingRates, ...figures } = quoted.body
      assert.deepEqual(figures, ours, name)
      assert.deepEqual(fallbacks, [point])
      if (point === 'shipping.rates') assert.deepEqual(shippingRates, [{ id: 'own', name: 'Own van', price: 500 }])
      receiver.answers.clear() // it is back
      const bought = await shop.checkout(guest, body)
      assert.equal(bought.status, 200, `${name}: ${bought.text}`)
      const placed = await shop.order(bought.body.orderId)
      assert.deepEqual(
        [placed.total, placed.fallbacks],
        [ours.total, [point]],
        `${name}: what was quoted is what is sold`,
      )
      const own = await guest.get(`${shop.orders}/${bought.body.orderId}`)
      assert.equal('fallbacks' in own.body, false, 'customers do not see it')
      assert.equal((await shop.admin.get(`${shop.orders}/${bought.body.orderId}/explain`)).body.addsUp, true)
    }
    assert.equal(cases.length > 20, true)
  })
}

test('a service where nobody is fails like any other', async () => {
  const shop = await openCalloutShop(used.make, receiver.url)
  const items = [item(await shop.priced(1_000))]
  for (const url of ['http://127.0.0.1:9/', 'http://nobody.invalid/']) {
    await shop.attach('tax.calculate', { url })
    const { status, body } = await shop.quote(shop.guest, { items, shippingMethodId: 'own' })
    assert.deepEqual([status, body.error], [503, 'CALLOUT_FAILED'], url)
  }
})

test('a private address is never asked, though it was one that is allowed when it was set', async () => {
  const shop = await openCalloutShop(used.make, receiver.url)
  await shop.attach('tax.calculate')
  const body = { businessId: shop.id, market: 'us', items: [item(await shop.priced(1_000))], shippingMethodId: 'own' }
  const strict = await startApi({ databases: used.api.databases, env: { ...used.env, OUTGOING_LOOPBACK: 'off' } })
  try {
    const as = ({ token }: { token: string }) => createClient(strict.url, { authorization: `Bearer ${token}` })
    assert.equal((await as(shop.guest).post('/v1/payments/quote', body)).status, 503)
    const tried = await as(shop.admin).post(`${shop.at('tax.calculate')}/test`, {})
    assert.deepEqual(
      [tried.status, tried.body.isUsable, tried.body.problems[0].message],
      [200, false, 'The address leads to a private network, or to an unusual port.'],
    )
    assert.equal((await as(shop.admin).put(shop.at('tax.calculate'), { url: receiver.url })).status, 422)
    assert.equal(receiver.asked.length, 0)
  } finally {
    await strict.close()
  }
})

test('where prices include tax, a tax above what is left of them is refused', async () => {
  const shop = await openCalloutShop(used.make, receiver.url, [{ ...OWN, pricesIncludeTax: true }])
  await shop.attach('tax.calculate')
  const items = [item(await shop.priced(1_000))]
  const says = (tax: number) => ({
    lines: [{ id: '1', taxBps: 10_000, tax }],
    shippingTax: 0,
    taxes: [{ taxBps: 10_000, base: 1_500 - tax, amount: tax }],
  })
  receiver.answers.set('tax.calculate', says(501))
  assert.equal((await shop.quote(shop.guest, { items, shippingMethodId: 'own' })).status, 503)
  receiver.answers.set('tax.calculate', says(500))
  const { body } = await shop.quote(shop.guest, { items, shippingMethodId: 'own' })
  assert.deepEqual([body.tax, body.taxIncluded, body.total], [0, 500, 1_500])
})

test('all callouts of a request together take five seconds at most', async () => {
  const shop = await openCalloutShop(used.make, receiver.url)
  for (const point of POINTS) await shop.attach(point, { timeoutMs: 3_000 })
  const slowly =
    (ms: number, answer: object | Says): Says =>
    (asked, response) =>
      new Promise((resolve) =>
        setTimeout(() => resolve(typeof answer === 'function' ? (answer as Says)(asked, response) : answer), ms),
      )
  receiver.answers.set('shipping.rates', slowly(2_700, RATES))
  receiver.answers.set('tax.calculate', slowly(2_900, taxes))
  const since = performance.now()
  const items = [item(await shop.priced(1_000))]
  const { status, body } = await shop.quote(shop.guest, { items, shippingMethodId: 'express' })
  const took = performance.now() - since
  assert.deepEqual([status, body.details[0].field], [503, 'tax.calculate'])
  assert.ok(took > 4_900 && took < 5_500, `${took} ms`)
})

/** The sum of those values of a metric whose labels fit. */
async function measured(name: string, labels: Record<string, string> = {}): Promise<number> {
  const { values = [] } = (await used.api.metrics.registry.getSingleMetric(name)?.get()) ?? {}
  const isMeant = (of: Record<string, unknown>) => Object.entries(labels).every(([label, value]) => of[label] === value)
  return values.filter((each) => isMeant(each.labels)).reduce((sum, { value }) => sum + value, 0)
}

test('metrics tell what services were asked, what failed, and what became of it', async () => {
  const shop = await openCalloutShop(used.make, receiver.url)
  const point = 'tax.calculate'
  await shop.attach(point, { onFailure: 'FALLBACK' })
  const lamp = await shop.priced(1_000)
  let count = 0
  const ask = () => shop.quote(shop.guest, { items: [item(lamp, ++count)], shippingMethodId: 'own' })
  const read = async () => ({
    open: await measured('kontor_callout_breakers_open'),
    fallback: await measured('kontor_callouts_unanswered_total', { point, became: 'fallback' }),
    refused: await measured('kontor_callouts_unanswered_total', { point, became: 'refused' }),
  })
  const before = await read()
  receiver.answers.set(point, BAD_MANNERS['hangs up'] as never)
  for (let failed = 0; failed < 6; failed++) assert.equal((await ask()).status, 200)
  await shop.attach(point, { onFailure: 'FAIL' })
  assert.equal((await ask()).status, 503)
  const { open, fallback, refused } = await read()
  assert.deepEqual([open - before.open, fallback - before.fallback, refused - before.refused], [1, 6, 1])
  const { values = [] } = (await used.api.metrics.registry.getSingleMetric('kontor_callout_seconds')?.get()) ?? {}
  const outcomes = new Set(values.map(({ labels }) => (labels as Record<string, unknown>).outcome))
  assert.ok(outcomes.has('failed') && outcomes.has('left_alone'))
  receiver.answers.clear()
})

test('the breaker opens after five failures in a row, and closes when the service is back', async () => {
  const shop = await openCalloutShop(used.make, receiver.url)
  await shop.attach('tax.calculate')
  const other = await openCalloutShop(used.make, receiver.url)
  await other.attach('tax.calculate')
  const lamp = await shop.priced(1_000)
  let count = 0
  const ask = () => shop.quote(shop.guest, { items: [item(lamp, ++count)], shippingMethodId: 'own' })
  receiver.answers.set('tax.calculate', BAD_MANNERS['hangs up'] as never)
  for (let failed = 0; failed < 5; failed++) assert.equal((await ask()).status, 503)
  assert.equal(receiver.asked.length, 5)
  assert.equal((await ask()).status, 503)
  assert.equal(receiver.asked.length, 5, 'nobody was asked')

  receiver.answers.clear()
  assert.equal((await ask()).status, 503, 'it is back, but left alone for ten seconds')
  const items = [item(await other.priced(1_000))]
  assert.equal(
    (await other.quote(other.guest, { items, shippingMethodId: 'own' })).status,
    200,
    'each shop has its own',
  )
  clock.advance(11)
  receiver.answers.set('tax.calculate', BAD_MANNERS['is broken'] as never)
  const before = receiver.asked.length
  assert.equal((await ask()).status, 503)
  assert.equal((await ask()).status, 503)
  assert.equal(receiver.asked.length, before + 1, 'one tries, and it stays open')
  clock.advance(11)
  receiver.answers.clear()
  assert.equal((await ask()).status, 200)
  assert.equal((await ask()).status, 200)
  assert.equal((await ask()).status, 200)
})

test('carts that a service cannot handle do not open the breaker for the others', async () => {
  const shop = await openCalloutShop(used.make, receiver.url)
  await shop.attach('tax.calculate')
  const lamp = await shop.priced(1_000)
  receiver.answers.set('tax.calculate', (asked: Asked) =>
    asked.lines[0]?.quantity === 9 ? { no: true } : taxes(asked),
  )
  const ask = (quantity: number) => shop.quote(shop.guest, { items: [item(lamp, quantity)], shippingMethodId: 'own' })
  for (let failed = 0; failed < 8; failed++) assert.equal((await ask(9)).status, 503)
  assert.equal((await ask(1)).status, 200)
})

test('a slow service of one shop keeps its own waiting in turn, and no other shop', async () => {
  const slow = await openCalloutShop(used.make, receiver.url)
  await slow.attach('cart.validate', { timeoutMs: 3_000 })
  const quick = await openCalloutShop(used.make, receiver.url)
  await quick.attach('cart.validate')
  let inside = 0
  let most = 0
  const waiting: (() => void)[] = []
  receiver.answers.set('cart.validate', (asked: Asked) => {
    if (asked.businessId !== slow.id) return VALID
    inside++
    most = Math.max(most, inside)
    return new Promise((resolve) =>
      waiting.push(() => {
        inside--
        resolve(VALID)
      }),
    )
  })
  const lamp = await slow.priced(1_000)
  const many = Array.from({ length: 50 }, (_, index) =>
    slow.quote(slow.guest, { items: [item(lamp, index + 1)], shippingMethodId: 'own' }),
  )
  while (inside < 32) await new Promise((resolve) => setImmediate(resolve))
  const items = [item(await quick.priced(1_000))]
  const since = performance.now()
  assert.equal((await quick.quote(quick.guest, { items, shippingMethodId: 'own' })).status, 200)
  assert.ok(performance.now() - since < 1_000)
  assert.equal(most, 32)
  const letGo = setInterval(() => waiting.splice(0).forEach((go) => go()), 5)
  const statuses = (await Promise.all(many)).map(({ status }) => status)
  clearInterval(letGo)
  assert.deepEqual(new Set(statuses), new Set([200]))
  assert.equal(most, 32)
})
