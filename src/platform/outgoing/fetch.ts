import { ask, untilAborted } from './ask.ts'
import { checkAddress, type Rules } from './check-address.ts'
import { OutgoingError } from './errors.ts'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 1024 * 1024

export type FetchOptions = {
  method?: string
  headers?: Record<string, string> | Headers
  body?: unknown
  signal?: AbortSignal | undefined
}
export type GuardedFetch = (address: string, options?: FetchOptions) => Promise<Response>

/**
 * `fetch` for libraries that ask addresses which somebody else has named: nothing private can be reached with it, as with a
 * download. Redirects are answered, not followed. The whole answer is read, up to a mebibyte.
 */
export const createFetch =
  (rules: Rules): GuardedFetch =>
  async (address, { method = 'GET', headers = {}, body, signal } = {}) => {
    const late = AbortSignal.timeout(TIMEOUT_MS)
    const ending = signal ? AbortSignal.any([signal, late]) : late
    const checked = await untilAborted(checkAddress(address, rules), ending)
    const answer = await ask(checked, rules, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body: textOf(body),
      signal: ending,
    })
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_BYTES) {
        answer.destroy()
        throw new OutgoingError('TOO_LARGE')
      }
      chunks.push(chunk)
    }
    if (!answer.complete) throw new OutgoingError('INCOMPLETE', { isTemporary: true })
    const status = answer.statusCode ?? 0
    const told = new Headers()
    for (const [name, values = []] of Object.entries(answer.headersDistinct))
      for (const value of values) told.append(name, value)
    // These have no body, and `Response` takes none.
    return new Response([204, 205, 304].includes(status) ? null : Buffer.concat(chunks), { status, headers: told })
  }

function textOf(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString()
  throw new TypeError('Only texts and forms are sent')
}
