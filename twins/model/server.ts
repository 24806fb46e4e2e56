import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Asked, completionOf, type Reply, schemaProblem } from './answers.ts'

export type { Asked, Reply }

export type ModelTwinOptions = {
  /** Any free port by default. */
  port?: number
  apiKey: string
}

export type ModelTwin = Awaited<ReturnType<typeof startModelTwin>>

/** A fake language model on loopback: OpenAI's chat completions, with replies that a test scripts in advance. */
export async function startModelTwin({ port = 0, apiKey }: ModelTwinOptions) {
  const questions: Asked[] = []
  const waiting: Reply[] = []
  const costs = new WeakMap<Asked, number>()
  let gone = 0
  let gate = Promise.resolve()
  let open = () => {}

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.once('close', () => {
      if (!response.writableEnded) gone++
    })
    const body = await text(request)
    const route = `${request.method} ${request.url}`
    if (!['POST /v1/chat/completions', 'GET /v1/models'].includes(route)) return refuse(response, 404, 'unknown_url')
    if (request.headers.authorization !== `Bearer ${apiKey}`) {
      const key = request.headers.authorization?.replace('Bearer ', '')
      return refuse(response, 401, 'invalid_api_key', `Incorrect API key provided: ${key}.`)
    }
    if (request.method === 'GET') return void response.writeHead(200).end('{"object":"list","data":[]}')
    const asked = JSON.parse(body) as Asked
    questions.push(asked)
    const reply = waiting.shift()
    await gate
    const wrong = problemOf(asked)
    if (wrong) return refuse(response, 400, 'invalid_request_error', wrong)
    if (reply && 'status' in reply) return refuse(response, reply.status, CODES[reply.status] ?? 'server_error', body)
    if (reply && 'afterMs' in reply) await sleep(reply.afterMs, undefined, { ref: false })
    const completion = completionOf(asked, reply)
    costs.set(asked, completion.usage?.total_tokens ?? 0)
    const payload = reply && 'body' in reply ? reply.body : JSON.stringify(completion)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) })
    if (reply && 'cut' in reply && reply.cut === 'connection') {
      response.write(payload.slice(0, payload.length / 2), () => response.socket?.resetAndDestroy())
    } else response.end(payload)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500).end(String(error))
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  return {
    /** For AI_API_URL. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** The prompts received, oldest first. */
    questions,
    /** The tokens used so far. */
    spent: () => questions.reduce((sum, asked) => sum + (costs.get(asked) ?? 0), 0),
    /** How many callers disconnected before their reply. */
    gone: () => gone,
    /** Scripts the next replies, in this order; all others are right. */
    next: (...replies: Reply[]) => void waiting.push(...replies),
    /** Holds all replies until `release`. */
    hold() {
      const held = Promise.withResolvers<void>()
      gate = held.promise
      open = held.resolve
    },
    release: () => open(),
    async close(): Promise<void> {
      open()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const CODES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'invalid_api_key',
  403: 'unsupported_country_region_territory',
  404: 'model_not_found',
  429: 'rate_limit_exceeded',
}

function problemOf({ model, messages, response_format: format }: Asked): string | undefined {
  if (typeof model !== 'string' || model === '') return 'you must provide a model parameter'
  if (!Array.isArray(messages) || messages.length === 0) return "'messages' must not be empty."
  const asked = format?.json_schema
  return asked?.strict ? schemaProblem(asked.schema) : undefined
}

/** Like real providers, it quotes the input in its message. */
function refuse(response: ServerResponse, status: number, code: string, quoted = ''): void {
  const error = { message: `The request failed: ${quoted}`, type: 'invalid_request_error', param: null, code }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}
