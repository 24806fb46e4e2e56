import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originOf, type ShopForm, toBody, toForm, wrongWith } from './shop-form.ts'

const BUSINESS = {
  allowedOrigins: ['https://shop.example.com'],
  orderUrl: null,
  storefront: { isPublic: false, showQuantity: false, productUrl: null, previewUrl: null },
} as unknown as Parameters<typeof toForm>[0]
const form = (changes: Partial<ShopForm>): ShopForm => ({ ...toForm(BUSINESS), ...changes })

test('an origin is found in whatever was pasted', () => {
  assert.deepEqual(
    ['shop.example.com', 'https://shop.example.com/a?b#c', ' http://localhost:3000/ ', 'SHOP.example.com'].map(
      originOf,
    ),
    ['https://shop.example.com', 'https://shop.example.com', 'http://localhost:3000', 'https://shop.example.com'],
  )
  assert.deepEqual(['', ' ', 'ftp://shop.example.com', 'https://'].map(originOf), Array(4).fill(undefined))
})

test('an address says what is wrong with it: no address, an origin that is not allowed, something missing in it', () => {
  const wrong = (orderUrl: string) => wrongWith(form({ orderUrl }), 'orderUrl')
  assert.equal(wrong(''), undefined)
  assert.deepEqual(wrong('orders'), { kind: 'address' })
  assert.deepEqual(wrong('https://other.example/{orderId}'), { kind: 'origin', origin: 'https://other.example' })
  assert.deepEqual(wrong('https://shop.example.com/orders'), { kind: 'place', place: '{orderId}' })
  assert.equal(wrong('https://shop.example.com/orders/{orderId}'), undefined)
})

test('only what was changed is sent, and an empty address is none', () => {
  assert.deepEqual(toBody(form({}), BUSINESS), {})
  const address = 'https://shop.example.com/p/{slug}'
  assert.deepEqual(toBody(form({ productUrl: address, isPublic: true }), BUSINESS), {
    storefront: { productUrl: address, isPublic: true },
  })
  assert.deepEqual(toBody(form({ orderUrl: '' }), { ...BUSINESS, orderUrl: address }), { orderUrl: null })
})
