import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Message, readStream } from '../../packages/dashboard/src/live/read-stream.ts'

const TEXT = 'retry: 500\n\nid: 7\ndata: {"number":7,\ndata: "name":"Kjær"}\n\n: still here\nid: 9\n\n'

async function read(pieces: readonly Uint8Array[]): Promise<Message[]> {
  const messages: Message[] = []
  for await (const message of readStream(ReadableStream.from(pieces))) messages.push(message)
  return messages
}

test('a stream is read the same however it is cut, also within a letter', async () => {
  const bytes = new TextEncoder().encode(TEXT)
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 })), async (cuts) => {
      const ends = [0, ...cuts.toSorted((one, other) => one - other), bytes.length]
      const pieces = ends.slice(1).map((end, at) => bytes.slice(ends[at], end))
      assert.deepEqual(await read(pieces), [
        { retryMs: 500 },
        { id: '7', data: '{"number":7,\n"name":"Kjær"}' },
        { id: '9' },
      ])
    }),
    { numRuns: 100 },
  )
})

test('lines may end as in a file of Windows', async () => {
  assert.deepEqual(await read([new TextEncoder().encode('id: 1\r\ndata: x\r\n\r\n')]), [{ id: '1', data: 'x' }])
})
