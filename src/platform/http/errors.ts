import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import {
  AppError,
  badRequest,
  invalidFields,
  payloadTooLarge,
  unauthenticated,
  unavailable,
} from '#vocabulary/errors.ts'
import { isDatabaseUnavailable, isUnstorableText, violatedConstraint } from '../database/errors.ts'
import { cellNameOf } from './access.ts'
import { inFormOrder } from './messages.ts'
import { isWrongTopLevel, toDetails } from './validation.ts'

export const BODY_LIMIT_BYTES = 2 * 1024 * 1024

/** Whatever is thrown becomes an answer here, and only here. */
export function toAppError(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error
  const { validation, validationContext = 'body', code, statusCode } = (error ?? {}) as FastifyError
  if (validation) {
    if (validationContext === 'body') return toBodyError(validation, request)
    const { params, querystring } = request.routeOptions.schema ?? {}
    return invalidFields(toDetails(validation, validationContext === 'params' ? params : querystring))
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return payloadTooLarge('2 MiB')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return badRequest('Send the body as application/json.')
  if (code === 'FST_ERR_BAD_URL') return badRequest('The address is not a valid URL.')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return badRequest((error as Error).message)
  if (isUnstorableText(error))
    return badRequest('The request holds characters that cannot be stored (NUL, or half a surrogate pair).')
  // Whoever is calling was erased while we worked for them.
  if (violatedConstraint(error)?.endsWith('_user_fkey')) return unauthenticated('This account no longer exists.')
  if (isDatabaseUnavailable(error)) {
    request.log.warn({ err: error, cell: cellNameOf(request) }, 'database unavailable')
    return unavailable()
  }
  request.log.error({ err: error, cell: cellNameOf(request) }, 'unexpected error')
  return new AppError(
    500,
    'INTERNAL',
    'Something went wrong on our side. It has been logged; quote the requestId if you report it.',
  )
}

function toBodyError(failures: FastifySchemaValidationError[], { body, routeOptions }: FastifyRequest): AppError {
  if (isWrongTopLevel(failures)) return badRequest('Send a JSON object as the body.')
  const { alsoCheck, isBadRequest } = routeOptions.config
  const fields = body as Record<string, unknown>
  const schema = routeOptions.schema?.body
  const found = toDetails(failures, schema)
  const named = new Set(found.map(({ field }) => field))
  const more = (alsoCheck?.(fields) ?? []).filter(({ field }) => !named.has(field))
  const details = inFormOrder([...found, ...more], schema)
  return isBadRequest?.(fields)
    ? badRequest(details[0]?.message ?? 'The body is not valid.', details)
    : invalidFields(details)
}

export const errorBody = ({ code, message, details }: AppError, requestId: string) => ({
  error: code,
  message,
  details,
  requestId,
})

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const known = toAppError(error, request)
  if (known.retryAfterSeconds !== undefined) void reply.header('retry-after', known.retryAfterSeconds)
  if (known.status === 401) void reply.header('www-authenticate', 'Bearer')
  return reply
    .code(known.status)
    .header('x-request-id', request.id) // again: an address that no route can be looked up for comes by no hook
    .header('content-type', 'application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(errorBody(known, request.id))
}
