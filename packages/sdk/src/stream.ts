import { KontorError } from './errors.ts'
import type { Event } from './generated/types.gen.ts'
import { sleep } from './send.ts'

/** The service sends a heartbeat every 5 seconds, older releases every 15. A connection that is silent for longer is dead. */
const SILENT_MS = 40_000
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 20_000

/** Follows a stream of events, and connects again whenever it ends; `after` moves along. */
export async function* followEvents(
  open: (after: number | undefined) => Promise<ReadableStream<Uint8Array>>,
  start: number | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, void> {
  let after = start
  let waitMs = FIRST_WAIT_MS
  for (;;) {
    try {
      for await (const { id, data, retry } of readBlocks(await open(after))) {
        waitMs = Number(retry ?? FIRST_WAIT_MS)
        if (data !== undefined) yield JSON.parse(data) as Event
        if (id !== undefined) after = Number(id)
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof KontorError && ![0, 429, 502, 503, 504].includes(error.status)) throw error
    }
    await sleep(waitMs * (0.5 + Math.random() / 2), signal)
    waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)
  }
}

type Block = Partial<Record<string, string>>

/** Blocks of server-sent events, by field. Not `for await` over the body, which Safari does not have. */
async function* readBlocks(body: ReadableStream<Uint8Array>): AsyncGenerator<Block, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const timer = setTimeout(() => void reader.cancel(), SILENT_MS)
      const { value, done } = await reader.read().finally(() => clearTimeout(timer))
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) yield Object.fromEntries(block.split('\n').map(toField))
    }
  } finally {
    void reader.cancel().catch(() => {}) // who stops reading ends the stream
  }
}

const toField = (line: string): [string, string] => {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()]
}
