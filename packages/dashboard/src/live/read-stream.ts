/** One message of a stream of server-sent events. A comment line is heard as a message without data. */
export type Message = { id?: string; data?: string; retryMs?: number }

/** Reads server-sent events from an answer of `fetch`, which can send a token where EventSource cannot. */
export async function* readStream(body: ReadableStream<Uint8Array>): AsyncGenerator<Message, void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).replaceAll('\r\n', '\n').split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) yield parse(block)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function parse(block: string): Message {
  const message: Message = {}
  for (const line of block.split('\n')) {
    const at = line.indexOf(':')
    const name = at < 0 ? line : line.slice(0, at)
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '')
    if (name === 'id') message.id = value
    else if (name === 'data') message.data = message.data === undefined ? value : `${message.data}\n${value}`
    else if (name === 'retry' && Number(value) >= 0) message.retryMs = Number(value)
  }
  return message
}
