import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { createLog } from './log.ts'

test('that a request was answered twice is logged without its address, which may hold a token', async () => {
  const lines: string[] = []
  const app = Fastify({ loggerInstance: createLog('warn', { write: (line: string) => void lines.push(line) }) })
  app.get('/confirm', (_request, reply) => {
    reply.send('late')
    return reply.send('done')
  })
  await app.inject('/confirm?token=hush')
  const [line, ...others] = lines
  assert.deepEqual(others, [])
  const { err, msg } = JSON.parse(line ?? '{}')
  assert.deepEqual(err, {
    type: 'FastifyError',
    message: 'this request has been answered already',
    code: 'FST_ERR_REP_ALREADY_SENT',
  })
  assert.equal(msg, err.message)
  assert.ok(!line?.includes('hush'))
})
