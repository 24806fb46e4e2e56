import type { DetailCode, ErrorCode } from './error-codes.ts'

/** One failing field of a request. `field` is a dotted path such as `variants.0.sku`. */
export type Detail = { field: string; error: DetailCode; message: string }

/** A refusal that the caller can understand and act on. Any other error is our fault and returns 500. */
export class AppError extends Error {
  readonly status: number
  readonly code: ErrorCode
  readonly details: Detail[]
  readonly retryAfterSeconds: number | undefined
  /** Further fields of the body, beside those that every error has. */
  fields: Readonly<Record<string, unknown>> = {}

  constructor(status: number, code: ErrorCode, message: string, details: Detail[] = [], retryAfterSeconds?: number) {
    super(message)
    this.name = 'AppError'
    this.status = status
    this.code = code
    this.details = details
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The same refusal, with further fields in its body. */
export function withFields(error: AppError, fields: Record<string, unknown>): AppError {
  error.fields = fields
  return error
}

/** The refusal that the work throws, if any. A temporary failure (503) is not a refusal. */
export async function refusalOf(work: Promise<unknown>): Promise<AppError | undefined> {
  try {
    await work
  } catch (error) {
    if (isRefusal(error)) return error
    throw error
  }
}

export const isRefusal = (error: unknown): error is AppError => error instanceof AppError && error.status < 500

/** Answers 422 with all that a check has gathered. */
export const invalidFields = (details: Detail[]) =>
  new AppError(422, 'VALIDATION_FAILED', details[0]?.message ?? 'The request is not valid.', details)

/** Answers 409 with all that a check has gathered. */
export const conflictingFields = (details: Detail[]) =>
  new AppError(409, 'CONFLICT', details[0]?.message ?? 'The state of things refuses it.', details)

/** As `invalidFields` with status 400, for the few routes that answer so. */
export const badFields = (details: Detail[]) =>
  new AppError(400, 'BAD_REQUEST', details[0]?.message ?? 'The body is not valid.', details)
