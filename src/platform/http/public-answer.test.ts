import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cacheTagOf } from './public-answer.ts'

const general = ['biz_1', 'biz_1:products']

test('a cache learns what is inside, each once', () => {
  assert.equal(cacheTagOf({ general, ids: ['prod_1', 'prod_2', 'prod_1'] }), 'biz_1,biz_1:products,prod_1,prod_2')
})

test('beyond 8 KB it learns only what the answer is about', () => {
  const fitting = { general: [], ids: ['a'.repeat(4_000), 'b'.repeat(4_191)] }
  assert.equal(cacheTagOf(fitting).length, 8_192)
  assert.equal(cacheTagOf({ general, ids: fitting.ids }), 'biz_1,biz_1:products')
})
