import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Checked, Rules } from './check-address.ts'
import { OutgoingError } from './errors.ts'

export type Question = {
  method?: string
  headers: Record<string, string>
  body?: string | undefined
  signal: AbortSignal
}

/** Connects to what was checked, whatever the name says by now. */
export function ask(
  { url, addresses }: Checked,
  { isAllowed }: Rules,
  { method = 'GET', headers, body, signal }: Question,
): Promise<IncomingMessage> {
  const lookup: LookupFunction = (_host, options, answer) => {
    const [first] = addresses
    if (options.all) answer(null, addresses)
    else answer(null, first?.address ?? '', first?.family)
  }
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      agent: false, // no proxy, and no connection that was opened for somebody else
      lookup,
      signal,
      method,
      headers: { ...headers, 'accept-encoding': 'identity', 'user-agent': 'Kontor' },
    })
    asked.on('socket', (socket) =>
      socket.once('connect', () => {
        if (!isAllowed(socket.remoteAddress ?? '')) socket.destroy(new OutgoingError('ADDRESS_NOT_ALLOWED'))
      }),
    )
    asked.on('response', resolve)
    asked.on('error', reject)
    // Who answers 101 ends it without an error and without an answer.
    asked.on('close', () => reject(new OutgoingError('UNREACHABLE', { isTemporary: true })))
    asked.end(body)
  })
}

/** Resolving a name cannot be broken off. */
export function untilAborted<Value>(asked: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason as Error)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([asked, promise]).finally(() => signal.removeEventListener('abort', abort))
}
