import { setTimeout as sleep } from 'node:timers/promises'

export type StreamedEvent = { id: string; number: number; type: string; subject: string; data: object }

/** Follows a stream of events as a page would, and remembers what came. */
export async function openStream(url: string, headers: Record<string, string>) {
  const stopping = new AbortController()
  const response = await fetch(url, { headers, signal: stopping.signal })
  const opened = {
    status: response.status,
    headers: response.headers,
    events: [] as StreamedEvent[],
    /** The last id, of events and of comments. */
    lastId: undefined as string | undefined,
    comments: 0,
    retryMs: undefined as number | undefined,
    body: undefined as { error?: string } | undefined,
    isOver: false,
    over: Promise.resolve(),
    async close() {
      stopping.abort()
      await opened.over
    },
    /** Waits until so many events have come. */
    async until(count: number, timeoutMs = 10_000) {
      const end = performance.now() + timeoutMs
      while (opened.events.length < count) {
        if (performance.now() > end) throw new Error(`Only ${opened.events.length} of ${count} events came.`)
        await sleep(5)
      }
      return opened.events
    },
  }
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    opened.body = (await response.json()) as { error?: string }
    opened.isOver = true
    return opened
  }
  const read = async () => {
    let rest = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) take(block.split('\n'))
    }
  }
  const take = (lines: readonly string[]) => {
    for (const line of lines) {
      const [, field = '', value = ''] = /^(\w*):? ?(.*)$/.exec(line) ?? []
      if (field === '') opened.comments++
      if (field === 'id') opened.lastId = value
      if (field === 'retry') opened.retryMs = Number(value)
      if (field === 'data') opened.events.push(JSON.parse(value) as StreamedEvent)
    }
  }
  opened.over = read()
    .catch(() => {})
    .then(() => {
      opened.isOver = true
    })
  return opened
}
