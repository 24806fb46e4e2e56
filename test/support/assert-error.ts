import assert from 'node:assert/strict'

type ErrorAnswer = { status: number; text: string; headers: Headers }
export type ErrorShape = {
  error: string
  message: string
  details: { field: string; error: string; message: string }[]
  requestId: string
}

/** The one body that every error has; answers it for closer looks. */
export function assertError({ status, text, headers }: ErrorAnswer, expected: number, code: string): ErrorShape {
  assert.equal(status, expected, text)
  assert.match(headers.get('content-type') ?? '', /^application\/json\b/)
  const body = JSON.parse(text) as ErrorShape
  assert.deepEqual(Object.keys(body).sort(), ['details', 'error', 'message', 'requestId'])
  assert.equal(body.error, code)
  assert.ok(body.message.length > 0)
  for (const detail of body.details) {
    assert.deepEqual(Object.keys(detail).sort(), ['error', 'field', 'message'])
    assert.match(detail.error, /^[A-Z][A-Z_]*$/)
  }
  assert.ok(body.requestId.length > 0)
  assert.equal(headers.get('x-request-id'), body.requestId)
  return body
}
