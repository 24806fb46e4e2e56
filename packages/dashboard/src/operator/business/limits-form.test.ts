import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formOf, limitsOf } from './limits-form.ts'

test('limits are typed as people say them, and come back the same', () => {
  const limits = { requestsPerMinute: 6_000, mailsPerDay: null, mediaBytes: 2_500_000_000 }
  assert.deepEqual(formOf(limits), { requestsPerMinute: '6000', mailsPerDay: '', gigabytes: '2.5' })
  assert.deepEqual(limitsOf(formOf(limits)), { limits })
  const typed = { requestsPerMinute: ' 0 ', mailsPerDay: '', gigabytes: '0,1' }
  assert.deepEqual(limitsOf(typed), { limits: { requestsPerMinute: 0, mailsPerDay: null, mediaBytes: 100_000_000 } })
})

test('what is no figure is named', () => {
  const typed = { requestsPerMinute: '1.5', mailsPerDay: 'many', gigabytes: '1' }
  assert.deepEqual(limitsOf(typed), { wrong: ['requestsPerMinute', 'mailsPerDay'] })
})
