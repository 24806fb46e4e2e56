import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { pagesOf } from '../../support/pdf.ts'
import { refusal } from '../../support/refusal.ts'
import { openShippable, type Shippable } from '../../support/shippable.ts'
import { useWorld } from '../../support/world.ts'

// A font with a few Japanese letters: which further ones a machine has is its own affair.
const font = fileURLToPath(new URL('../../support/fonts/NotoSansJP-few.otf', import.meta.url))
const used = useWorld({ env: { SLIP_FONTS: font } })
const open = (settings?: object) => openShippable(used.make, settings)

async function print({ admin, orders }: Pick<Shippable, 'admin' | 'orders'>, query: string) {
  const answer = await fetch(new URL(`${orders}/packing-slips?${query}`, used.api.url), {
    headers: { authorization: `Bearer ${admin.token}` },
  })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'application/pdf')
  return pagesOf(Buffer.from(await answer.arrayBuffer()))
}

const change = ({ db, id }: Shippable, orderId: string, values: object) =>
  db
    .updateTable('orders.orders')
    .set(values)
    .where((order) => order.and({ businessId: id, id: orderId }))
    .execute()

test('each order is on a page: whose it is, where it goes, what is in it, without prices', async () => {
  const shop = await open({ name: 'Harbour & Sons' })
  const [first, second] = [await shop.makeOrder([2, 1]), await shop.makeOrder([3])]
  const address = { name: 'Ada Lovelace', street: 'Hafenstraße 1', city: 'Hamburg', zip: '20095', country: 'DE' }
  await change(shop, first.id, {
    shippingAddress: JSON.stringify(address),
    phone: '+49 40 123456',
    customerNote: 'Please ring twice.',
  })
  const pages = await print(shop, `ids=${second.id}&ids=${first.id}`)
  const { number } = await shop.row(first.id)

  assert.equal(pages.length, 2)
  const { texts } = pages[1] as { texts: string[] }
  assert.deepEqual(texts.slice(0, 3), ['Harbour & Sons', 'Packing slip', `Order ${number}`])
  const shipTo = texts.slice(texts.indexOf('Ship to') + 1, texts.indexOf('Quantity'))
  assert.deepEqual(shipTo, ['Ada Lovelace', 'Hafenstraße 1', '20095 Hamburg', 'GERMANY', '+49 40 123456'])
  const [sku] = [shop.goods[0]?.body.variants[0].sku]
  const rows = texts.slice(texts.indexOf('SKU') + 1)
  assert.deepEqual(rows.slice(0, 3), ['2', 'Mug, One size', sku])
  assert.deepEqual(rows.slice(3, 5), ['1', 'Teapot, One size'])
  assert.deepEqual(rows.slice(6), ['Note from the customer', 'Please ring twice.', `${number}  ·  1/1`])
  assert.ok(!texts.join(' ').includes('10.00') && !texts.join(' ').includes('1000'))
  assert.ok(pages[0]?.texts.includes(`Order ${(await shop.row(second.id)).number}`), 'in the order of the ids')
})

test('its date is that of the business’s time zone', async () => {
  const shop = await open({ timeZone: 'Pacific/Auckland' })
  const order = await shop.makeOrder([1])
  await change(shop, order.id, { createdAt: new Date('2026-11-16T23:30:00Z') })
  const [slip] = await print(shop, `ids=${order.id}`)
  assert.match(slip?.texts.join(' ') ?? '', /November 17, 2026/)
})

test('paper is A4, or LETTER; ids come one by one or with commas, and each is printed once', async () => {
  const shop = await open()
  const ids = [(await shop.makeOrder([1])).id, (await shop.makeOrder([1])).id]
  const widths = async (query: string) => (await print(shop, query)).map(({ width }) => width)
  assert.deepEqual(await widths(`ids=${ids.join()}`), [595.28, 595.28])
  assert.deepEqual(await widths(`ids=${ids.join()}&ids=${ids[0]}&paper=LETTER`), [612, 612])
})

test('a long order goes on on further pages, each with the head of the table and its number', async () => {
  const shop = await open()
  const order = await shop.makeOrder(Array.from({ length: 90 }, () => 1))
  const { number } = await shop.row(order.id)
  const other = await shop.makeOrder([1])
  const pages = await print(shop, `ids=${order.id},${other.id}`)
  const long = pages.slice(0, -1)
  assert.ok(long.length >= 3)
  for (const [index, { texts }] of long.entries()) {
    assert.equal(texts.at(-1), `${number}  ·  ${index + 1}/${long.length}`)
    assert.equal(texts.filter((text) => text === 'Quantity').length, 1)
  }
  const items = long.flatMap(({ texts }) => texts.filter((text) => text.endsWith('One size')))
  assert.equal(items.length, 90)
  assert.match(pages.at(-1)?.texts.at(-1) ?? '', /1\/1$/)
})

test('a slip lists what is left to ship; once all is shipped, everything again', async () => {
  const shop = await open()
  const { id, path, lines } = await shop.makeOrder([3, 1])
  const [mug, teapot] = lines
  await shop.admin.post(`${path}/shipments`, {
    lines: [
      { lineId: mug?.id, quantity: 1 },
      { lineId: teapot?.id, quantity: 1 },
    ],
  })
  const rowsOf = async () => {
    const [page] = await print(shop, `ids=${id}`)
    return page?.texts.slice(page.texts.indexOf('SKU') + 1).filter((_, index) => index % 3 < 2)
  }
  assert.deepEqual((await rowsOf())?.slice(0, 2), ['2 of 3', 'Mug, One size'])
  assert.ok(!(await rowsOf())?.includes('Teapot, One size'))
  await shop.admin.post(`${path}/shipments`, {})
  assert.deepEqual((await rowsOf())?.slice(0, 4), ['3', 'Mug, One size', '1', 'Teapot, One size'])
})

test('names in many scripts are shown; a letter that no font has is a question mark', async () => {
  const shop = await open({ name: 'Łódź ☕ Чай' })
  const { id } = await shop.makeOrder([1])
  const name = 'Ελένη Иванова Đặng ไทย'
  await change(shop, id, {
    shippingAddress: JSON.stringify({ name, country: 'GR' }),
    customerNote: 'Is it here?\r\n\u0007Yes 🦩.',
  })
  const [page] = await print(shop, `ids=${id}`)
  assert.equal(page?.texts[0], 'Łódź ☕ Чай')
  assert.ok(page?.texts.includes('Ελένη Иванова Đặng ???'))
  assert.deepEqual(page?.texts.slice(-3, -1), ['Is it here?', 'Yes .'], 'a picture that no font has is left out')
})

test('an address in Japan is printed as the post reads it, also the city, which has no line of its own', async () => {
  const shop = await open({ name: 'Kiln' })
  const { id } = await shop.makeOrder([1])
  const shipTo = async (address: object) => {
    await change(shop, id, {
      shippingAddress: JSON.stringify({ zip: '150-0041', country: 'JP', ...address }),
      phone: null,
    })
    const texts = (await print(shop, `ids=${id}`))[0]?.texts ?? []
    return texts.slice(texts.indexOf('Ship to') + 1, texts.indexOf('Quantity'))
  }
  assert.deepEqual(await shipTo({ name: '山田 太郎', street: '神南1-2-3', city: '渋谷区', state: '東京都' }), [
    '〒150-0041',
    '東京都',
    '渋谷区',
    '神南1-2-3',
    '山田 太郎',
    'JAPAN',
  ])
  assert.deepEqual(await shipTo({ name: 'Taro Yamada', street: '1-2-3 Jinnan', city: 'Shibuya-ku', state: 'Tokyo' }), [
    'Taro Yamada',
    '1-2-3 Jinnan',
    'Shibuya-ku, Tokyo',
    '150-0041',
    'JAPAN',
  ])
})

test('a house number beside letters that are read from the right stays as it is', async () => {
  const shop = await open()
  const { id } = await shop.makeOrder([1])
  const address = { name: 'דוד כהן', street: 'הרצל 12א', city: 'תל אביב', zip: '6688218', country: 'IL' }
  await change(shop, id, { shippingAddress: JSON.stringify(address), phone: null })
  const texts = (await print(shop, `ids=${id}`))[0]?.texts ?? []
  // From the left, as on paper.
  const street = texts.slice(texts.indexOf('Ship to') + 2, texts.indexOf('Ship to') + 5)
  assert.deepEqual(street, ['א', '12', ' לצרה'])
})

test('an order that is not there, or not of this business, is not found; too many are refused', async () => {
  const [shop, other] = [await open(), await open()]
  const [mine, theirs] = [await shop.makeOrder([1]), await other.makeOrder([1])]
  const get = async (query: string, caller: Pick<Shippable['admin'], 'get'> = shop.admin) =>
    refusal(await caller.get(`${shop.orders}/packing-slips${query}`))
  assert.equal(await get(`?ids=${mine.id},ord_nowhere`), '404 NOT_FOUND')
  assert.equal(await get(`?ids=${theirs.id}`), '404 NOT_FOUND')
  assert.equal(await get(''), '422 VALIDATION_FAILED ids REQUIRED')
  assert.equal(await get('?ids='), '422 VALIDATION_FAILED ids INVALID')
  assert.equal(await get(`?ids=${mine.id}&paper=A5`), '422 VALIDATION_FAILED paper INVALID')
  const many = Array.from({ length: 51 }, (_, index) => `ord_${index}`)
  assert.equal(await get(`?ids=${many.join()}`), '422 VALIDATION_FAILED ids TOO_MANY')
  assert.equal(await get(`?ids=${mine.id}`, shop.customer), '403 FORBIDDEN')

  const long = await Promise.all(
    Array.from({ length: 11 }, () =>
      shop.makeOrder(
        Array.from({ length: 100 }, () => 1),
        { statuses: [{ status: 'CANCELLED' }] },
      ),
    ),
  )
  assert.equal(await get(`?ids=${long.map(({ id }) => id).join()}`), '422 VALIDATION_FAILED ids TOO_MANY')
})

test('the most that can be asked for is printed in time, and others are answered meanwhile', async () => {
  const shop = await open()
  const cancelled = { statuses: [{ status: 'CANCELLED' }], contactEmail: null }
  const made = await Promise.all(
    Array.from({ length: 50 }, () =>
      shop.makeOrder(
        Array.from({ length: 20 }, () => 1),
        cancelled,
      ),
    ),
  )
  const started = performance.now()
  let slowest = 0
  let isDone = false
  const others = (async () => {
    while (!isDone) {
      const asked = performance.now()
      await shop.admin.get(`${shop.orders}?limit=1`)
      slowest = Math.max(slowest, performance.now() - asked)
    }
  })()
  const pages = await print(shop, `ids=${made.map(({ id }) => id).join()}`)
  isDone = true
  await others
  assert.equal(pages.length, 50)
  assert.ok(performance.now() - started < 10_000)
  assert.ok(slowest < 1_500, `${slowest} ms`)
})
