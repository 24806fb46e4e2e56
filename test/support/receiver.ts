import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = {
  path: string
  headers: IncomingMessage['headers']
  body: string
  // oxlint-disable-next-line typescript/no-explicit-any -- what a test expects of an event is for the test to say
  event: any
}

export type Answering = (received: Received, response: ServerResponse) => void

/** Somebody else's server, which notes what it is sent. `answer` says what it does with it; by default it is content. */
export async function startReceiver(answer: Answering = (_received, response) => void response.writeHead(204).end()) {
  const received: Received[] = []
  const state = { answer }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const one = { path: request.url ?? '', headers: request.headers, body, event: JSON.parse(body || 'null') }
      received.push(one)
      state.answer(one, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    answer: (next: Answering) => {
      state.answer = next
    },
    numbers: () => received.map(({ event }) => event.number as number),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>
