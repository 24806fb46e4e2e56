import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const STALE = '412 PRECONDITION_FAILED'

async function makeProduct(body: object = {}) {
  const shop = await used.make.shop()
  const product = await used.make.product(shop, body)
  const { admin } = shop
  const etag = async () => (await admin.get(product.path)).headers.get('etag') ?? ''
  const put = (body: object, ifMatch?: string) =>
    admin.put(product.path, body, ifMatch === undefined ? {} : { 'if-match': ifMatch })
  const get = async (ifNoneMatch: string) => (await admin.get(product.path, { 'if-none-match': ifNoneMatch })).status
  const sell = async (delta = -1) => {
    const { status, text } = await admin.post(`${product.path}/variants/one/stock`, { delta })
    assert.equal(status, 201, text)
  }
  return { ...shop, product, etag, put, get, sell }
}

const quantity = (value: number) => ({ variants: [{ id: 'one', inventory: { quantity: value } }] })

test('a product’s ETag counts its changes and those of its stock', async () => {
  const { etag, put, sell } = await makeProduct()
  assert.equal(await etag(), '"1.1"')
  const renamed = await put({ name: 'Renamed' })
  assert.deepEqual([renamed.headers.get('etag'), await etag()], ['"2.1"', '"2.1"'])
  await sell()
  assert.equal(await etag(), '"2.2"')
  const set = await put(quantity(7))
  assert.deepEqual([set.headers.get('etag'), await etag()], ['"3.3"', '"3.3"'])
  const same = await put(quantity(7))
  assert.deepEqual([same.headers.get('etag'), await etag()], ['"4.3"', '"4.3"'])
  const empty = await put({ variants: [] })
  assert.deepEqual([empty.headers.get('etag'), await etag()], ['"5.0"', '"5.0"'])
})

test('a product without variants has an ETag, too', async () => {
  const { etag } = await makeProduct({ variants: [] })
  assert.equal(await etag(), '"1.0"')
})

test('the ETag of a change is that of the read after it, with many variants as well', async () => {
  const variants = ['one', 'two', 'three'].map((id) => ({ id, inventory: { quantity: 5 } }))
  const { etag, put, sell } = await makeProduct({ variants })
  for (const change of [
    { variants: [{ id: 'two', inventory: { quantity: 3 } }, { id: 'one' }] },
    { variants: [{ id: 'one', inventory: { quantity: 9 } }] },
    {
      variants: [
        { id: 'three' },
        { id: 'one' },
        { id: 'two', inventory: { quantity: 1 } },
        { id: 'new', inventory: { quantity: 4 } },
      ],
    },
    { name: 'Same stock' },
  ]) {
    await sell()
    const answer = await put(change)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers.get('etag'), await etag())
  }
})

test('If-None-Match answers 304 while product and stock are both what they were', async () => {
  const { get, put, sell, etag, admin, product } = await makeProduct()
  const first = await etag()
  assert.equal(await get(first), 304)
  await sell()
  assert.equal(await get(first), 200)
  const second = await etag()
  assert.equal(await get(second), 304)
  await put({ name: 'Renamed' })
  assert.equal(await get(second), 200)
  assert.equal(await get('"2"'), 200)

  const fresh = await admin.get(product.path, { 'if-none-match': await etag() })
  assert.deepEqual([fresh.status, fresh.text, fresh.headers.get('etag')], [304, '', await etag()])
  assert.match(fresh.headers.get('vary') ?? '', /authorization/i)
})

test('If-None-Match takes *, weak tags and lists', async () => {
  const { get } = await makeProduct()
  for (const fits of ['*', 'W/"1.1"', '"0.0", "1.1"', '"0.0",W/"1.1" , "x"']) assert.equal(await get(fits), 304, fits)
  for (const differs of ['"1.2"', '"2.1"', '"11"', '"1.10"', 'W/"1"', '"0.0", "1.0"', 'nonsense', '"'])
    assert.equal(await get(differs), 200, differs)
})

test('If-Match of an edit compares the product’s part only: a sale in between does not make it stale', async () => {
  const { put, sell, etag, product } = await makeProduct()
  const first = await etag()
  await sell()
  const edited = await put({ name: 'Edited', variants: [{ id: 'one', name: 'M' }] }, first)
  assert.equal(edited.status, 200, edited.text)
  assert.equal(await product.stock(), 99)
  assert.equal(refusal(await put({ name: 'Late' }, first)), STALE)
  assert.equal(edited.body.name, 'Edited')
})

test('If-Match compares the stock, too, when a quantity is sent: no sale in between is lost', async () => {
  const { put, sell, etag, product } = await makeProduct()
  const first = await etag()
  await sell()
  assert.equal(refusal(await put({ name: 'Lost', ...quantity(50) }, first)), STALE)
  assert.deepEqual([await product.stock(), (await put({})).body.name], [99, product.name])
  assert.equal((await put(quantity(50), await etag())).status, 200)
  assert.equal(await product.stock(), 50)
  assert.equal((await put({ variants: [{ id: 'one', inventory: { tracked: true } }] }, await etag())).status, 200)
})

test('a stale edit is stale whatever it sends', async () => {
  const { put, etag, product } = await makeProduct()
  const first = await etag()
  await put({ name: 'Newer' })
  for (const body of [{}, { name: 'Older' }, quantity(1), { statuses: [{ status: 'DRAFT' }] }]) {
    assert.equal(refusal(await put(body, first)), STALE)
  }
  assert.deepEqual([(await put({})).body.name, await product.stock()], ['Newer', 100])
})

test('If-Match takes *, weak tags and lists', async () => {
  const { put, etag, sell } = await makeProduct()
  for (const make of [
    () => '*',
    (tag: string) => `W/${tag}`,
    (tag: string) => `"0.0", ${tag}`,
    (tag: string) => `"x" , W/${tag},"y"`,
  ]) {
    assert.equal((await put({ name: 'Edit' }, make(await etag()))).status, 200)
    await sell()
    assert.equal((await put(quantity(10), make(await etag()))).status, 200)
  }
  for (const wrong of ['"0.1"', 'nonsense', '"', '""', '".1"', 'W/', ',', '"99.1", "98.1"']) {
    assert.equal(refusal(await put({ name: 'Wrong' }, wrong)), STALE, wrong)
    assert.equal(refusal(await put(quantity(3), wrong)), STALE, wrong)
  }
})

test('* asks only that the product exists', async () => {
  const { admin, products } = await makeProduct()
  const any = { 'if-match': '*' }
  assert.equal(refusal(await admin.put(`${products}/prod_none`, {}, any)), '404 NOT_FOUND')
  assert.equal(refusal(await admin.delete(`${products}/prod_none`, any)), '404 NOT_FOUND')
})

test('DELETE with If-Match deletes what was read, sold from or not, and nothing newer', async () => {
  const { admin, product, put, sell, etag } = await makeProduct()
  const first = await etag()
  await put({ name: 'Newer' })
  assert.equal(refusal(await admin.delete(product.path, { 'if-match': first })), STALE)
  assert.equal((await admin.get(product.path)).status, 200)
  const second = await etag()
  await sell()
  assert.equal((await admin.delete(product.path, { 'if-match': `"0.0", ${second}` })).status, 200)
  assert.equal(refusal(await admin.delete(product.path, { 'if-match': second })), '404 NOT_FOUND')
})

test('the refusals of a body come before those of its version', async () => {
  const { put } = await makeProduct()
  assert.equal(refusal(await put({ name: '' }, '"9.9"')), '422 VALIDATION_FAILED name TOO_SHORT')
})

for (const [what, bodyOf] of [
  ['edits', (n: number) => ({ name: `Edit ${n}` })],
  ['edits that set the stock', quantity],
] as const) {
  test(`of two ${what} of one version at the same moment, exactly one is made`, async () => {
    const { put, etag, product } = await makeProduct()
    for (let round = 1; round <= 10; round++) {
      const tag = await etag()
      const answers = await Promise.all([put(bodyOf(round), tag), put(bodyOf(round + 100), tag)])
      assert.deepEqual(answers.map(refusal).sort(), ['200', STALE])
      const winner = answers.find(({ status }) => status === 200)
      assert.equal(await etag(), winner?.headers.get('etag'))
      assert.equal(await product.stock(), winner?.body.variants[0].inventory.quantity)
    }
  })
}

test('a sale and an edit that sets the stock at the same moment: the sale is never lost', async () => {
  const { put, etag, sell, product } = await makeProduct()
  for (let round = 0; round < 10; round++) {
    await put(quantity(100))
    const tag = await etag()
    const [edit] = await Promise.all([put(quantity(50), tag), sell()])
    assert.ok([STALE, '200'].includes(refusal(edit)))
    assert.equal(await product.stock(), edit.status === 200 ? 49 : 99)
  }
})

test('an edit and a deletion of one version at the same moment: one is made', async () => {
  for (let round = 0; round < 5; round++) {
    const { put, etag, admin, product } = await makeProduct()
    const tag = await etag()
    const [edit, deletion] = await Promise.all([
      put({ name: 'Kept' }, tag),
      admin.delete(product.path, { 'if-match': tag }),
    ])
    const answers = [refusal(edit), refusal(deletion)].join(', ')
    assert.ok([`200, ${STALE}`, '404 NOT_FOUND, 200'].includes(answers), answers)
  }
})

test('lists and creations have no ETag of their own that would fit another record', async () => {
  const { admin, products } = await makeProduct()
  const list = await admin.get(products, { 'if-none-match': '*' })
  assert.equal(list.status, 200)
  assert.equal(list.body.items.length, 1)
})
