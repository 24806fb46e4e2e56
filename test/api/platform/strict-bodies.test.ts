import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import type { Answer } from '../../support/client.ts'
import { openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

async function openOrder() {
  const shop = await openShop(used.make)
  const mug = await shop.product()
  const sold = { productId: mug.id, variantId: 'one', quantity: 1, unitPrice: 100, totalPrice: 100 }
  const figures = { lines: [sold], subtotal: 100, tax: 0, shipping: 0, total: 100 }
  const order = await shop.admin.post(shop.orders, { customerId: shop.admin.id, market: 'us', ...figures })
  const post = (action: string, body: object, headers?: Record<string, string>) =>
    shop.admin.post(`${shop.orders}/${order.body.id}/${action}`, body, headers)
  return { ...shop, mug, post, line: { lineId: order.body.lines[0].id, quantity: 1 } }
}

const detailsOf = (answer: Answer) =>
  assertError(answer, 422, 'VALIDATION_FAILED').details.map(({ field, error, message }) => [field, error, message])

const ACTIONS = ['refunds', 'refunds/quote', 'returns']

describe('strict body', () => {
  test('rejects an unknown field and names the one that was meant', async () => {
    const { post, line, mug } = await openOrder()
    const meant = {
      lineItems: 'Unknown field "lineItems". Did you mean "lines"?',
      resaon: 'Unknown field "resaon". Did you mean "reason"?',
      returnReason: 'Unknown field "returnReason". Did you mean "reason"?',
    }
    for (const action of ACTIONS) {
      for (const [field, message] of Object.entries(meant)) {
        const answer = await post(action, { lines: [line], [field]: [line] })
        assert.deepEqual(detailsOf(answer), [[field, 'UNKNOWN_FIELD', message]], action)
      }
    }
    assert.equal(await mug.stock(), 99)
  })

  test('lists the known fields where none is similar', async () => {
    const { post, line } = await openOrder()
    assert.deepEqual(detailsOf(await post('returns', { lines: [line], money: 5 })), [
      ['money', 'UNKNOWN_FIELD', 'Unknown field "money". Known fields: lines, reason.'],
    ])
  })

  test('rejects unknown fields at every depth, with every other mistake', async () => {
    const { post, line } = await openOrder()
    for (const action of ACTIONS) {
      const body = { lines: [line, { lineID: line.lineId, quantity: 0 }], reason: 5, __proto: {} }
      assert.deepEqual(
        detailsOf(await post(action, body))
          .map(([field, error]) => `${field} ${error}`)
          .toSorted(),
        [
          '__proto UNKNOWN_FIELD',
          'lines.1.lineID UNKNOWN_FIELD',
          'lines.1.lineId REQUIRED',
          'lines.1.quantity TOO_SMALL',
          'reason INVALID',
        ],
        action,
      )
    }
  })

  test('accepts the business of the path, but no other', async () => {
    const { post, line, id } = await openOrder()
    assert.equal((await post('returns', { lines: [line], businessId: id })).status, 201)
    assert.deepEqual(detailsOf(await post('returns', { lines: [line], businessId: 'biz_other' })), [
      ['businessId', 'INVALID', 'The body names another business than the path.'],
    ])
  })

  test('leaves the Idempotency-Key unused, so the corrected request can repeat it', async () => {
    const { post, line, mug } = await openOrder()
    const key = { 'idempotency-key': 'return-1' }
    assert.equal((await post('returns', { lines: [line], reasn: 'Too small' }, key)).status, 422)
    assert.equal((await post('returns', { lines: [line], reason: 'Too small' }, key)).status, 201)
    assert.equal(await mug.stock(), 100)
  })

  test('is documented', async () => {
    const document = (await used.make.anonymous().get('/openapi.json')).body
    for (const action of ACTIONS) {
      const { post } = document.paths[`/v1/businesses/{businessId}/orders/{id}/${action}`]
      const { schema } = post.requestBody.content['application/json']
      assert.equal(schema.additionalProperties, false, action)
      assert.equal(schema.properties.lines.items.additionalProperties, false, action)
    }
  })
})
