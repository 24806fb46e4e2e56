import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY, limitOf, toBody } from './form.ts'

test('a time limit is a whole number of milliseconds from 100 to 3,000', () => {
  assert.deepEqual(['100', ' 3000 ', '850'].map(limitOf), [100, 3_000, 850])
  assert.deepEqual(['99', '3001', '1e3', '1.5', '', '-100', '10000'].map(limitOf), Array(7).fill(undefined))
})

test('only what was changed is sent', () => {
  const form = { ...EMPTY, url: ' https://tax.example ', timeoutMs: '850' }
  assert.deepEqual(toBody(form, ['url', 'timeoutMs']), { url: 'https://tax.example', timeoutMs: 850 })
  assert.deepEqual(toBody(form, ['onFailure']), { onFailure: 'FAIL' })
})
