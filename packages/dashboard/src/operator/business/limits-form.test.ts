import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formOf, limitsOf } from './limits-form.ts'

test('limits are typed as people say them, and come back the same', () => {
  const none = { requestsAtOnce: null, jobsAtOnce: null, mailsPerDay: null }
  const limits = { ...none, requestsPerMinute: 6_000, jobsAtOnce: 1, mediaBytes: 2_500_000_000 }
  const empty = { requestsAtOnce: '', jobsAtOnce: '', mailsPerDay: '' }
  assert.deepEqual(formOf(limits), { ...empty, requestsPerMinute: '6000', jobsAtOnce: '1', gigabytes: '2.5' })
  assert.deepEqual(limitsOf(formOf(limits)), { limits })
  const typed = { ...empty, requestsPerMinute: ' 0 ', gigabytes: '0,1' }
  assert.deepEqual(limitsOf(typed), { limits: { ...none, requestsPerMinute: 0, mediaBytes: 100_000_000 } })
})

test('what is no figure is named', () => {
  const typed = {
    requestsPerMinute: '1.5',
    requestsAtOnce: '0',
    jobsAtOnce: '101',
    mailsPerDay: 'many',
    gigabytes: '1',
  }
  assert.deepEqual(limitsOf(typed), { wrong: ['requestsPerMinute', 'requestsAtOnce', 'jobsAtOnce', 'mailsPerDay'] })
})
