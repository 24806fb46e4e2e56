import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOrderUrl, orderUrlOf } from './origins.ts'

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
