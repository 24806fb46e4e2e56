import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { AppError, badFields, invalidFields } from '#vocabulary/errors.ts'
import { isDatabaseUnavailable, isMoving, isUnstorableText, violatedConstraint } from '../database/errors.ts'
import { businessIdOf, cellNameOf } from './access.ts'
import { inFormOrder } from './messages.ts'
import * as refusal from './refusals.ts'
import { isWrongTopLevel, toDetails } from './validation.ts'

export const BODY_LIMIT_BYTES = 2 * 1024 * 1024

/** The one place where thrown errors become responses. */
export function toAppError(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error
  const { validation, validationContext = 'body', code, statusCode } = (error ?? {}) as FastifyError
  if (validation) {
    if (validationContext === 'body') return toBodyError(validation, request)
    const { params, querystring } = request.routeOptions.schema ?? {}
    return invalidFields(toDetails(validation, validationContext === 'params' ? params : querystring))
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return refusal.bodyTooLarge()
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return refusal.notJson()
  if (code === 'FST_ERR_BAD_URL') return refusal.addressInvalid()
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return refusal.unreadable({ message: (error as Error).message })
  if (isUnstorableText(error)) return refusal.textUnstorable()
  // The caller's account was deleted during the request.
  if (violatedConstraint(error)?.endsWith('_user_fkey')) return refusal.accountGone()
  if (isMoving(error)) {
    const businessId = businessIdOf(request)
    request.log.warn(
      { businessId, cell: cellNameOf(request) },
      'a business was written to that is moving, or has moved',
    )
    if (businessId !== undefined) request.server.forgetBusiness(businessId) // this process may not have heard of it
    return refusal.businessMoves()
  }
  if (isDatabaseUnavailable(error)) {
    request.log.warn({ err: error, cell: cellNameOf(request) }, 'database unavailable')
    return refusal.serviceUnavailable()
  }
  request.log.error({ err: error, cell: cellNameOf(request) }, 'unexpected error')
  return refusal.ourFault()
}

function toBodyError(failures: FastifySchemaValidationError[], { body, routeOptions }: FastifyRequest): AppError {
  if (isWrongTopLevel(failures)) return refusal.notAnObject()
  const { alsoCheck, isBadRequest } = routeOptions.config
  const fields = body as Record<string, unknown>
  const schema = routeOptions.schema?.body
  const found = toDetails(failures, schema)
  const named = new Set(found.map(({ field }) => field))
  const more = (alsoCheck?.(fields) ?? []).filter(({ field }) => !named.has(field))
  const details = inFormOrder([...found, ...more], schema)
  return isBadRequest?.(fields) ? badFields(details) : invalidFields(details)
}

export const errorBody = ({ code, message, details, fields }: AppError, requestId: string) => ({
  ...fields,
  error: code,
  message,
  details,
  requestId,
})

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const known = toAppError(error, request)
  if (known.retryAfterSeconds !== undefined) void reply.header('retry-after', known.retryAfterSeconds)
  // A CDN must not keep a refusal, whichever hook made it.
  if (request.routeOptions.config?.business === 'storefront') void reply.header('cache-control', 'no-store')
  if (known.status === 401) void reply.header('www-authenticate', 'Bearer')
  return reply
    .code(known.status)
    .header('x-request-id', request.id) // set again: a malformed URL skips all hooks
    .header('content-type', 'application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(errorBody(known, request.id))
}
