import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOrderUrl, isPreviewUrl, orderUrlOf, previewUrlOf } from './origins.ts'

const allowedOrigins = ['https://shop.example', 'http://localhost:3000']

test('an order’s address is on an allowed origin, and names the order behind the host', () => {
  for (const url of [
    'https://shop.example/orders/{orderId}',
    'https://shop.example/?order={orderId}&from=mail',
    'https://shop.example/#/orders/{orderId}',
    'http://localhost:3000/{orderId}',
  ])
    assert.equal(isOrderUrl(url, allowedOrigins), true, url)
  for (const url of [
    'https://shop.example/orders',
    'https://shop.example/orders/{id}',
    'https://shop.example/{orderId}/{number}',
    'https://other.example/{orderId}',
    'https://shop.example.evil.example/{orderId}',
    'https://shop.example@evil.example/{orderId}',
    'https://shop.example:8443/{orderId}',
    'http://shop.example/{orderId}',
    'https://{orderId}.shop.example/',
    'https://x/{orderId}',
    'https:shop.example/{orderId}',
    'HTTPS://shop.example/{orderId}',
    'https://shop.example\\@evil.example/{orderId}',
    'javascript:alert("{orderId}")',
    '//shop.example/{orderId}',
    'https://shop.example/{orderId}\u0000',
    ' https://shop.example/{orderId}',
  ])
    assert.equal(isOrderUrl(url, allowedOrigins), false, url)
  assert.equal(isOrderUrl('https://x/{orderId}', ['https://x']), true)
  assert.equal(isOrderUrl('https://{orderId}/{orderId}', ['https://x']), false)
})

test('what is put in is encoded, and an origin that is no longer allowed gives no address', () => {
  const business = { orderUrl: 'https://shop.example/o/{orderId}?again={orderId}', allowedOrigins }
  assert.equal(orderUrlOf(business, 'ord_1'), 'https://shop.example/o/ord_1?again=ord_1')
  assert.equal(
    orderUrlOf(business, '../$&"<a>'),
    'https://shop.example/o/..%2F%24%26%22%3Ca%3E?again=..%2F%24%26%22%3Ca%3E',
  )
  assert.equal(orderUrlOf({ ...business, allowedOrigins: [] }, 'ord_1'), undefined)
  assert.equal(orderUrlOf({ ...business, orderUrl: null }, 'ord_1'), undefined)
})

test('the address of a preview names the entry and the token, on an allowed origin', () => {
  const url = 'https://shop.example/journal/{entryId}?preview={token}'
  assert.equal(isPreviewUrl(url, allowedOrigins), true)
  for (const wrong of [
    'https://shop.example/journal/{entryId}',
    'https://shop.example/?preview={token}',
    'https://shop.example/{entryId}?preview={token}&order={orderId}',
    'https://{token}.shop.example/{entryId}',
    'https://other.example/{entryId}?preview={token}',
  ])
    assert.equal(isPreviewUrl(wrong, allowedOrigins), false, wrong)
  const business = { storefront: { previewUrl: url }, allowedOrigins }
  assert.equal(previewUrlOf(business, 'ent_1', '1.a-b'), 'https://shop.example/journal/ent_1?preview=1.a-b')
  assert.equal(previewUrlOf({ ...business, allowedOrigins: [] }, 'ent_1', 'x'), null)
  assert.equal(previewUrlOf({ ...business, storefront: {} }, 'ent_1', 'x'), null)
})
