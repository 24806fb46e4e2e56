export type ErrorBody = { type: string; code?: string; message: string; param?: string; doc_url?: string }

/** An error response of Stripe. `isKept`: a retry with the same idempotency key gets it again. */
export class Refusal extends Error {
  readonly status: number
  readonly body: ErrorBody
  readonly isKept: boolean
  constructor(status: number, body: ErrorBody, isKept: boolean) {
    super(body.message)
    this.status = status
    this.body = body
    this.isKept = isKept
  }
}

const TYPE = 'invalid_request_error'

/** The request itself is invalid. Stripe does not store these: the same key may be used again with a corrected one. */
export const invalid = (message: string, param?: string, code?: string) =>
  new Refusal(400, { type: TYPE, ...(code && { code }), message, ...(param && { param }) }, false)

/** The request is valid but conflicts with the current state. */
export const notPossible = (message: string, param?: string, code?: string) =>
  new Refusal(400, { type: TYPE, ...(code && { code }), message, ...(param && { param }) }, true)

export const missing = (kind: string, id: string, param = 'id') =>
  new Refusal(404, { type: TYPE, code: 'resource_missing', message: `No such ${kind}: '${id}'`, param }, false)

export const unknownUrl = (method: string, path: string) =>
  new Refusal(404, { type: TYPE, message: `Unrecognized request URL (${method}: ${path}).` }, false)

export const unauthorized = (message: string) => new Refusal(401, { type: TYPE, message }, false)

export const noSuchAccount = (account: string) =>
  new Refusal(
    403,
    {
      type: TYPE,
      code: 'account_invalid',
      message: `The provided key does not have access to account '${account}' (or that account does not exist). Application access may have been revoked.`,
    },
    false,
  )

export const otherParameters = (key: string) =>
  new Refusal(
    400,
    {
      type: 'idempotency_error',
      message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    },
    false,
  )

export const keyInUse = (key: string) =>
  new Refusal(
    409,
    {
      type: 'idempotency_error',
      code: 'idempotency_key_in_use',
      message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
    },
    false,
  )

export const rateLimited = () =>
  new Refusal(
    429,
    {
      type: TYPE,
      code: 'rate_limit',
      message: 'Request rate limit exceeded. You can learn more about rate limits here.',
    },
    false,
  )

export const refused = () =>
  new Refusal(400, { type: TYPE, message: 'Your account cannot currently make charges.' }, false)

export const broken = (isKept: boolean) =>
  new Refusal(500, { type: 'api_error', message: 'An unknown error occurred.' }, isKept)
