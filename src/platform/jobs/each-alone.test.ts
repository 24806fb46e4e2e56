import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachAlone } from './each-alone.ts'

const items = ['slow', 'locked', 'fine'].map((businessId) => ({ businessId }))
const log = { error: () => {} }
const failing = (codes: Record<string, string>, done: string[], isTransaction = false) =>
  eachAlone(items, { log, failed: 'not done', isTransaction }, async ({ businessId }) => {
    const code = codes[businessId]
    if (code) throw Object.assign(new Error(code), { code, severity: 'ERROR' })
    done.push(businessId)
  })

test('one that takes too long, or waits for a lock, does not stop the others', async () => {
  const done: string[] = []
  const failures = await failing({ slow: '57014', locked: '55P03' }, done)
  assert.deepEqual(
    failures.map(({ businessId }) => businessId),
    ['slow', 'locked'],
  )
  assert.deepEqual(done, ['fine'])
})

test('a database that is away stops all', async () => {
  const done: string[] = []
  await assert.rejects(failing({ slow: 'ECONNREFUSED' }, done), /ECONNREFUSED/)
  assert.deepEqual(done, [])
})

test('an error of the database ends a transaction that all share', async () => {
  const done: string[] = []
  await assert.rejects(failing({ slow: '22P05' }, done, true), /22P05/)
  assert.deepEqual(done, [])
})
