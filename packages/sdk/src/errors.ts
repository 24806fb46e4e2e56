export type ErrorDetail = { field: string; error: string; message: string }

/** What the service answers as `error`, and what this client says where there is no answer. */
export type ErrorCode =
  | 'BAD_REQUEST'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'PRECONDITION_FAILED'
  | 'PAYLOAD_TOO_LARGE'
  | 'VALIDATION_FAILED'
  | 'RATE_LIMITED'
  | 'INTERNAL'
  | 'PROVIDER_FAILED'
  | 'PROVIDER_NOT_CONFIGURED'
  | 'UNAVAILABLE'
  | 'NETWORK'
  | 'TIMEOUT'
  | 'NOT_MODIFIED'
  | 'UNKNOWN_ANSWER'
  | 'MISUSE'
  | (string & {})

type Facts = {
  status: number
  code: ErrorCode
  message: string
  details?: ErrorDetail[]
  requestId?: string | undefined
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/** Every call that fails fails with this, unless its own `signal` ended it. */
export class KontorError extends Error {
  override readonly name = 'KontorError'
  /** Of HTTP; 0 if there was no answer. */
  readonly status: number
  /** The kind of error: `error` in the body of the answer. */
  readonly code: ErrorCode
  readonly details: ErrorDetail[]
  /** Tell it to whoever runs the service: it is in their log. */
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor({ status, code, message, details = [], requestId, retryAfterSeconds, cause }: Facts) {
    super(message, cause === undefined ? {} : { cause })
    this.status = status
    this.code = code
    this.details = details
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** Whether this is its code, or that of one of its details: `error.has('EMAIL_EXISTS')`. */
  has(code: string): boolean {
    return this.code === code || this.details.some(({ error }) => error === code)
  }
}

/** The call could not even be made. */
export const misuse = (message: string) => new KontorError({ status: 0, code: 'MISUSE', message })

/** From an answer that is no success. A proxy may have written it, so nothing about its body is certain. */
export function errorOf(url: string, response: Response, text: string): KontorError {
  const { status, headers } = response
  const body = parse(text)
  const after = Number(headers.get('retry-after') ?? Number.NaN)
  const known = typeof body?.error === 'string' && typeof body.message === 'string'
  return new KontorError({
    status,
    code: known ? (body.error as string) : status === 304 ? 'NOT_MODIFIED' : 'UNKNOWN_ANSWER',
    message: known ? (body.message as string) : status === 304 ? 'Nothing has changed.' : strange(url, status),
    details: known && Array.isArray(body.details) ? (body.details as ErrorDetail[]) : [],
    requestId: headers.get('x-request-id') ?? (typeof body?.requestId === 'string' ? body.requestId : undefined),
    retryAfterSeconds: after >= 0 ? after : undefined,
  })
}

/** Somebody else has answered, or there is something else at that address. */
const strange = (url: string, status: number) =>
  `${url.replace(/\?.*/, '')} answered ${status}, and not as Kontor does. Check baseUrl (the address of the API without ` +
  '/v1), whether a path prefix is missing or doubled, and what a proxy in between answers by itself.'

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}
