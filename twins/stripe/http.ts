import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Stripe } from 'stripe'
import { answer, type Call, checkCaller } from './api.ts'
import type { Behaviour, createBehaviours } from './behaviours.ts'
import { broken, Refusal, rateLimited, refused } from './errors.ts'
import { type Answer, createIdempotency } from './idempotency.ts'
import { makeId } from './objects.ts'
import { pressButton, type Shown, showPage } from './page.ts'
import { sweep } from './sweep.ts'
import type { World } from './world.ts'

/** A received API call. Without `status` it got no response. */
export type SeenRequest = Pick<Call, 'method' | 'path' | 'body' | 'account'> & {
  key?: string | undefined
  status?: number
}

type Parts = { world: World; secretKey: string; behaviours: ReturnType<typeof createBehaviours> }

/** Handles HTTP requests, for the API and the payment page, and injects the scripted faults. */
export function createRequestHandler({ world, secretKey, behaviours }: Parts) {
  const requests: SeenRequest[] = []
  const onlyOnce = createIdempotency(world.now)

  function serve(request: IncomingMessage, response: ServerResponse): void {
    sweep(world)
    const { pathname, search } = new URL(request.url ?? '/', 'http://twin')
    const work = pathname.startsWith('/v1/') ? serveApi : servePage
    work(request, response, pathname, search.slice(1)).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500).end(String(error))
    })
  }

  async function serveApi(request: IncomingMessage, response: ServerResponse, path: string, query: string) {
    const [key, account] = [headerOf(request, 'idempotency-key'), headerOf(request, 'stripe-account')]
    const { method = 'GET' } = request
    const { authorization, host = '' } = request.headers
    const call: Call = { method, path, query, body: await text(request), account, authorization, host }
    const seen: SeenRequest = { method, path, body: call.body, account, key }
    requests.push(seen)
    const trouble = behaviours.take(`${method} ${path}`)
    if (!trouble?.afterEffect && isSilenced(response, trouble)) return
    const made = await answerCall(call, key, trouble)
    if (trouble?.afterEffect && isSilenced(response, trouble)) return
    seen.status = made.status
    response.writeHead(made.status, {
      'content-type': 'application/json',
      'request-id': makeId('req', 14),
      'stripe-version': Stripe.API_VERSION,
      ...(key && { 'idempotency-key': key }),
      ...(account && { 'stripe-account': account }),
      ...made.headers,
    })
    response.end(made.body)
  }

  async function answerCall(call: Call, key: string | undefined, trouble: Behaviour | undefined): Promise<Answer> {
    try {
      checkCaller(call, secretKey)
      if (trouble?.next === 'refuse') throw refused()
      if (trouble?.next === 'rate-limit') throw rateLimited()
      if (trouble?.next === 'error500' && !trouble.afterEffect) throw broken(false)
      const fingerprint = `${call.method} ${call.path}\n${call.body}`
      const usedKey = call.method === 'POST' ? key : undefined
      return await onlyOnce(call.account ?? '', usedKey, fingerprint, () => perform(call, key, trouble))
    } catch (error) {
      return refusalAnswer(error)
    }
  }

  async function perform(call: Call, key: string | undefined, trouble: Behaviour | undefined): Promise<Answer> {
    const delayMs = trouble?.next === 'slow' ? (trouble.delayMs ?? 1_000) : 0
    if (!trouble?.afterEffect) await sleep(delayMs)
    const id = makeId('req', 14)
    world.request = { id, idempotency_key: key ?? null }
    const headers = { 'request-id': id }
    let made: Answer
    try {
      made = {
        status: 200,
        body: JSON.stringify(answer(world, call, `http://${call.host}`), null, 2),
        headers,
        isKept: true,
      }
    } catch (error) {
      made = refusalAnswer(error, headers)
    } finally {
      world.request = { id: null, idempotency_key: null }
    }
    if (trouble?.afterEffect) await sleep(delayMs)
    // As at Stripe, a 500 is stored for its idempotency key: a retry gets it too.
    return trouble?.next === 'error500' ? refusalAnswer(broken(true), headers) : made
  }

  async function servePage(request: IncomingMessage, response: ServerResponse, path: string) {
    const id = /^\/pay\/([^/]+)$/.exec(path)?.[1] ?? ''
    const form = new URLSearchParams(request.method === 'POST' ? await text(request) : '')
    const shown: Shown = request.method === 'POST' ? await pressButton(world, id, form) : await showPage(world, id)
    if ('redirect' in shown) response.writeHead(303, { location: shown.redirect }).end()
    else {
      const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
      response.writeHead(shown.status, headers).end(shown.html)
    }
  }

  return { serve, requests }
}

const headerOf = (request: IncomingMessage, name: string) => {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Whether the caller gets no response. A waiting caller is disconnected when the twin closes. */
function isSilenced(response: ServerResponse, trouble: Behaviour | undefined): boolean {
  if (trouble?.next === 'reset') response.socket?.resetAndDestroy()
  return trouble?.next === 'reset' || trouble?.next === 'timeout'
}

function refusalAnswer(error: unknown, headers: Record<string, string> = {}): Answer {
  if (!(error instanceof Refusal)) throw error
  const { status, body, isKept } = error
  const isWorthIt = status === 409 ? 'true' : status === 500 && isKept ? 'false' : undefined
  const retry = { ...(isWorthIt && { 'stripe-should-retry': isWorthIt }) }
  return { status, body: JSON.stringify({ error: body }, null, 2), headers: { ...headers, ...retry }, isKept }
}
