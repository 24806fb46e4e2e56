import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newBusinessId, newId } from './ids.ts'

test('ids made one after another sort in that order', () => {
  const ids = Array.from({ length: 10_000 }, () => newId('role'))
  assert.deepEqual([...ids].sort(), ids)
  assert.equal(new Set(ids).size, ids.length)
})

test('an id tells what it is and fits its documented shape', () => {
  assert.match(newId('usr'), /^usr_[0-9a-hjkmnp-tv-z]{26}$/)
  assert.match(newBusinessId(), /^biz_[0-9a-hjkmnp-tv-z]{12}$/)
})

test('an id carries the time it was made for', () => {
  assert.ok(newId('evt', 1_000) < newId('evt', 2_000))
})
