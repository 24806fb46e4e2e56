import { errorOf, KontorError } from './errors.ts'
import { withEtag } from './records.ts'

export type Settings = {
  fetch: typeof fetch
  timeoutMs: number
  retries: number
  /** Is told which fields of a body the service did not know. */
  onIgnored(operation: string, fields: string): void
}

export type CallOptions = {
  /** Ends the call. It fails with the reason of the signal then. */
  signal?: AbortSignal | undefined
  /** How long one attempt may take. */
  timeoutMs?: number | undefined
  /** Of POSTs that create. Made anew for each call unless given; the same key never creates twice. */
  idempotencyKey?: string | undefined
  /** An ETag (`etagOf`): the change fails with 412 if the record is another by now. */
  ifMatch?: string
  /** Creates the record instead of updating it. The call fails with 412 if the record already exists. */
  ifNoneMatch?: '*'
}

export type Outgoing = {
  /** Its `operationId`. */
  operation: string
  method: string
  url: string
  headers: Record<string, string>
  body: string | Blob | undefined
  /** Sending it twice does no harm. */
  repeatable: boolean
  /** The answer is a file, not JSON. */
  file: boolean
  /** The answer goes on after it has begun. */
  stream: boolean
}

/** Beyond this it is for the caller to decide whether to wait. */
const MAX_WAIT_MS = 10_000
const FIRST_WAIT_MS = 250

/** Sends until there is an answer that counts, at most `retries` times more than once. */
export async function send(call: Outgoing, settings: Settings, options: CallOptions): Promise<unknown> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await sendOnce(call, settings, options)
    } catch (error) {
      const waitMs = attempt < settings.retries ? waitBeforeNext(error, call.repeatable, attempt) : undefined
      if (waitMs === undefined) throw error
      await sleep(waitMs, options.signal)
    }
  }
}

async function sendOnce(call: Outgoing, settings: Settings, options: CallOptions): Promise<unknown> {
  const { method, url, headers, body } = call
  const { signal: ended } = options
  const timeoutMs = options.timeoutMs ?? settings.timeoutMs
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), timeoutMs)
  const signal = ended ? AbortSignal.any([timeout.signal, ended]) : timeout.signal
  // Reading the body is part of the attempt: a line can break there as well.
  try {
    const init = { method, headers, signal, credentials: 'omit', ...(body === undefined ? {} : { body }) } as const
    const response = await settings.fetch(url, init)
    const ignored = response.headers.get('x-ignored-fields')
    if (ignored) settings.onIgnored(call.operation, ignored)
    return await read(response, call)
  } catch (cause) {
    if (cause instanceof KontorError) throw cause
    if (ended?.aborted) throw ended.reason
    if (timeout.signal.aborted) {
      const message = `The service did not answer within ${timeoutMs} ms.`
      throw new KontorError({ status: 0, code: 'TIMEOUT', message, cause })
    }
    throw new KontorError({ status: 0, code: 'NETWORK', message: 'The service cannot be reached.', cause })
  } finally {
    clearTimeout(timer)
  }
}

async function read(response: Response, { url, file, stream }: Outgoing): Promise<unknown> {
  if (response.ok && file) return response.blob()
  if (response.ok && stream) return response.body
  const text = await response.text()
  if (!response.ok) throw errorOf(url, response, text)
  try {
    return withEtag(JSON.parse(text), response.headers.get('etag'))
  } catch {
    throw errorOf(url, response, text)
  }
}

/** Undefined: sending it again makes no sense, or could do it twice. */
function waitBeforeNext(error: unknown, repeatable: boolean, attempt: number): number | undefined {
  if (!(error instanceof KontorError)) return undefined
  const { status, code, retryAfterSeconds = 0 } = error
  const refused = status === 429 // before anything was done
  const lost = status === 0 || status === 503 || ([502, 504].includes(status) && code === 'UNKNOWN_ANSWER')
  const running = error.has('STILL_RUNNING') // our own first attempt, whose answer was lost
  if (code === 'PROVIDER_NOT_CONFIGURED' || !(refused || ((lost || running) && repeatable))) return undefined
  const backoffMs = FIRST_WAIT_MS * 2 ** attempt * (0.5 + Math.random() / 2)
  const waitMs = Math.max(retryAfterSeconds * 1000, backoffMs)
  return waitMs <= MAX_WAIT_MS ? waitMs : undefined
}

/** A login that many wait for goes on; who has ended their call does not wait for it. */
export function unlessEnded<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })
    void work.then(resolve, reject).then(() => signal.removeEventListener('abort', stop))
  })
}

export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
