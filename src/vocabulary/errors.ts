/** One failing field of a request. `field` is a dotted path such as `variants.0.sku`. */
export type Detail = { field: string; error: string; message: string }

/** A refusal that the caller can understand and act on. Anything else that is thrown is our fault and answers 500. */
export class AppError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Detail[]
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, code: string, message: string, details: Detail[] = [], retryAfterSeconds?: number) {
    super(message)
    this.name = 'AppError'
    this.status = status
    this.code = code
    this.details = details
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export const badRequest = (message: string, details: Detail[] = []) =>
  new AppError(400, 'BAD_REQUEST', message, details)

export const unauthenticated = (message = 'Send a valid access token or API key.') =>
  new AppError(401, 'UNAUTHENTICATED', message)

export const forbidden = (message = 'You do not have the permission that this needs.') =>
  new AppError(403, 'FORBIDDEN', message)

/** 404 where guests may call, whoever calls; 403 elsewhere. */
export const businessSuspended = (status: 403 | 404 = 403) =>
  new AppError(status, status === 403 ? 'FORBIDDEN' : 'NOT_FOUND', 'This business is suspended.')

export const notFound = (what = 'record') => new AppError(404, 'NOT_FOUND', `There is no such ${what}.`)

/** 422 for one field. `error` is a stable UPPER_SNAKE code that clients may switch on. */
export const invalid = (field: string, error: string, message: string) => invalidFields([{ field, error, message }])

export const invalidFields = (details: Detail[]) =>
  new AppError(422, 'VALIDATION_FAILED', details[0]?.message ?? 'The request is not valid.', details)

/** 409: the request is well-formed, but the record's state refuses it. */
export const conflict = (field: string, error: string, message: string, retryAfterSeconds?: number) =>
  new AppError(409, 'CONFLICT', message, [{ field, error, message }], retryAfterSeconds)

export const preconditionFailed = () =>
  new AppError(412, 'PRECONDITION_FAILED', 'The record has changed since you read it. Read it again, then retry.')

export const payloadTooLarge = (limit: string) =>
  new AppError(413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${limit}.`)

export const rateLimited = (retryAfterSeconds: number, message?: string) =>
  new AppError(
    429,
    'RATE_LIMITED',
    message ?? `Too many requests. Try again in ${retryAfterSeconds} s.`,
    [],
    retryAfterSeconds,
  )

/** An outside service failed us, or is not set up. Names it, never its secrets. */
export const providerFailed = (provider: string) =>
  new AppError(502, 'PROVIDER_FAILED', `The ${provider} provider failed. Try again shortly.`)
export const providerNotConfigured = (provider: string) =>
  new AppError(503, 'PROVIDER_NOT_CONFIGURED', `This service has no ${provider} provider configured.`)

export const unavailable = (message = 'The service cannot answer right now. Try again shortly.') =>
  new AppError(503, 'UNAVAILABLE', message, [], 1)
