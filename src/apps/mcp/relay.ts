import type { Readable, Writable } from 'node:stream'
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { VERSION } from '#platform/version.ts'

export type RelayOptions = {
  /** Of /mcp at the service, with what was asked for. */
  address: string
  key: string
  input: Readable
  output: Writable
}

const TIMEOUT_MS = 120_000

/** A client that starts a program speaks to it; what it says is passed on to /mcp of the service. Ends with its input. */
export async function relay({ address, key, input, output }: RelayOptions): Promise<void> {
  const { instructions } = (await ask(address, key, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'kontor cli', version: VERSION },
  })) as { instructions?: string }

  const ended = new Promise<void>((resolve) => input.once('close', resolve).once('end', resolve))
  const handle = serveStdio(
    () => {
      const server = new Server(
        { name: 'kontor', version: VERSION },
        { capabilities: { tools: {} }, ...(instructions && { instructions }) },
      )
      server.setRequestHandler(
        'tools/list',
        async ({ params }) => (await ask(address, key, 'tools/list', params)) as never,
      )
      server.setRequestHandler(
        'tools/call',
        async ({ params }) => (await ask(address, key, 'tools/call', params)) as never,
      )
      return server
    },
    { transport: new StdioServerTransport(input, output), maxSubscriptions: 0 },
  )
  await ended
  await handle.close()
}

type Message = { result?: unknown; error?: { message: string } }

async function ask(address: string, key: string, method: string, params: unknown): Promise<unknown> {
  const answer = await fetch(address, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params ?? {} }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'error',
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(messageOf(text) ?? `The service answers ${answer.status}.`)
  const { result, error } = read(answer.headers.get('content-type') ?? '', text)
  if (error) throw new Error(error.message)
  return result
}

/** One message, in JSON or as the only event of a stream. */
function read(type: string, text: string): Message {
  if (!type.startsWith('text/event-stream')) return JSON.parse(text) as Message
  const data = text.split('\n').filter((line) => line.startsWith('data:'))
  return JSON.parse(data.map((line) => line.slice('data:'.length).trim()).join('')) as Message
}

function messageOf(text: string): string | undefined {
  try {
    const { message, error } = JSON.parse(text) as { message?: string; error?: { message?: string } | string }
    return message ?? (typeof error === 'object' ? error.message : undefined)
  } catch {
    return undefined
  }
}
