import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createJudge, fuzz } from './scenarios/fuzz.ts'
import { type OpenApi, operationsOf } from './scenarios/fuzz-requests.ts'
import { runSequences } from './scenarios/sequences.ts'
import { smuggle } from './scenarios/smuggle.ts'
import { startWorld } from './support/world.ts'

// Short runs of three proofs: `npm run proof -- input`, `sequences` and `fields` take their time.

test('no input, however odd, brings out an error of ours or an answer that is not documented', async (t) => {
  const { findings, sent, isAlive, loud, unhandled } = await fuzz({
    count: 204,
    perRound: 2,
    seed: 1,
    note: (text) => t.diagnostic(text),
  })
  assert.deepEqual(findings, [])
  assert.deepEqual({ sent, isAlive, loud, unhandled }, { sent: 204, isAlive: true, loud: 0, unhandled: false })
})

test('the judge of answers sees what is not documented', () => {
  const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as OpenApi
  const judge = createJudge(document)
  const getRole = operationsOf(document).find(({ id }) => id === 'getRole')
  assert.ok(getRole)
  const answer = (status: number, body: unknown) =>
    judge(getRole, { status, headers: { 'content-type': 'application/json' }, text: JSON.stringify(body), ms: 1 })
  const error = { error: 'NOT_FOUND', message: 'Role not found.', details: [], requestId: 'x' }
  assert.equal(answer(404, error), undefined)
  assert.match(answer(404, { ...error, stack: 'at' }) ?? '', /does not fit its schema/)
  assert.match(answer(404, {}) ?? '', /does not fit its schema/)
  assert.match(answer(418, error) ?? '', /is not documented/)
  assert.match(answer(500, error) ?? '', /^500/)
})

test('nothing can be used after its end, or from another business', async () => {
  const service = await startWorld({
    providers: ['stripe'],
    env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'hello@kontor.example' },
  })
  try {
    const { findings, counts } = await runSequences(service, { count: 50, seed: 1 })
    assert.deepEqual(findings, [])
    assert.ok(counts.size >= 10)
  } finally {
    await service.close()
  }
})

test('a write changes nothing but what it is for, whatever else it is sent', async (t) => {
  const { findings, accepted } = await smuggle({
    note: (text) => t.diagnostic(text),
    only: ['updateRole', 'changeStock'],
  })
  assert.deepEqual(findings, [])
  assert.ok(accepted >= 14) // as meant, and with every kind of unasked field
})
