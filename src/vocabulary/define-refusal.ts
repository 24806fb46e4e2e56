import type { DetailCode, ErrorCode } from './error-codes.ts'
import { AppError, type Detail } from './errors.ts'

/**
 * A refusal as data: the message to the caller, with the parts that vary in braces. `detail` and `field` belong to its
 * one detail, if it has one; `summary` is the message of the whole where that differs from the detail's.
 */
export type Terms = Readonly<{
  status: number
  code: ErrorCode
  message: string
  detail?: DetailCode
  field?: string
  summary?: string
  retryAfterSeconds?: number
}>

/** A line of an import is refused by its details alone: no request fails. */
export type LineTerms = Readonly<{ field: string; detail: DetailCode; message: string }>

/** An entry of the catalogue of errors. */
export type AnyRefusal = Terms | (LineTerms & { status?: undefined; code?: undefined })

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** `seconds` becomes `Retry-After`, whether or not the message names it. */
type Values<Name extends string> = { readonly [Each in Name]: string | number } & { readonly seconds?: number }
type Given<Name extends string> = [Name] extends [never] ? [values?: Values<never>] : [values: Values<Name>]

/** Calling it makes the error to throw. A message that is `{message}` alone is composed at run time. */
export type Refusal<Name extends string> = ((...given: Given<Name>) => AppError) & Terms
/** `asDetail` is for checks that gather all that is wrong before they refuse. */
export type FieldRefusal<Name extends string> = Refusal<Name> & { asDetail: (...given: Given<Name>) => Detail }
export type LineRefusal<Name extends string> = ((...given: Given<Name>) => Detail) & LineTerms

export const defineRefusal = <const Each extends Terms>(terms: Each) =>
  define<NamesIn<Each['field'] | Each['message'] | Each['summary']>>(terms)

/** 422 for one field. */
export const invalid = <const Field extends string, const Message extends string>(
  field: Field,
  detail: DetailCode,
  message: Message,
) => defineAtField<NamesIn<Field | Message>>({ status: 422, code: 'VALIDATION_FAILED', field, detail, message })

/** 409: the request is well-formed, but the record's state refuses it. */
export const conflict = <const Field extends string, const Message extends string>(
  field: Field,
  detail: DetailCode,
  message: Message,
) => defineAtField<NamesIn<Field | Message>>({ status: 409, code: 'CONFLICT', field, detail, message })

export const lineRefused = <const Field extends string, const Message extends string>(
  field: Field,
  detail: DetailCode,
  message: Message,
): LineRefusal<NamesIn<Field | Message>> => {
  const terms = { field, detail, message }
  return Object.assign((values?: object) => detailOf(terms, values), terms)
}

export const badRequest = <const Message extends string>(message: Message) =>
  defineRefusal({ status: 400, code: 'BAD_REQUEST', message })

/** 400 for one field. */
export const badField = <const Field extends string, const Message extends string>(
  field: Field,
  detail: DetailCode,
  message: Message,
) => defineAtField<NamesIn<Field | Message>>({ status: 400, code: 'BAD_REQUEST', field, detail, message })

export const unauthenticated = <const Message extends string>(message: Message) =>
  defineRefusal({ status: 401, code: 'UNAUTHENTICATED', message })

export const forbidden = <const Message extends string>(message: Message) =>
  defineRefusal({ status: 403, code: 'FORBIDDEN', message })

export const notFound = (record: string) =>
  defineRefusal({ status: 404, code: 'NOT_FOUND', message: `${record[0]?.toUpperCase()}${record.slice(1)} not found.` })

export const payloadTooLarge = <const Limit extends string>(limit: Limit) =>
  defineRefusal({ status: 413, code: 'PAYLOAD_TOO_LARGE', message: `The body exceeds ${limit}.` })

/** The caller passes for how many `seconds`. */
export const rateLimited = <const Message extends string>(message: Message) =>
  define<NamesIn<Message> | 'seconds'>({ status: 429, code: 'RATE_LIMITED', message })

/** An outside service failed us, or is not set up. Names it, never its secrets. */
export const providerFailed = <const Provider extends string>(provider: Provider) =>
  defineRefusal({
    status: 502,
    code: 'PROVIDER_FAILED',
    message: `The ${provider} provider failed. Try again shortly.`,
  })
export const providerNotConfigured = <const Provider extends string>(provider: Provider) =>
  defineRefusal({
    status: 503,
    code: 'PROVIDER_NOT_CONFIGURED',
    message: `This service has no ${provider} provider configured.`,
  })

export const unavailable = <const Message extends string>(message: Message, retryAfterSeconds = 1) =>
  define<NamesIn<Message>>({ status: 503, code: 'UNAVAILABLE', message, retryAfterSeconds })

function define<Name extends string>(terms: Terms): Refusal<Name> {
  const { status, code, message, summary = message, field = '', detail, retryAfterSeconds } = terms
  const refuse = (values: { seconds?: number } = {}) => {
    const details = detail ? [detailOf({ field, detail, message }, values)] : []
    return new AppError(status, code, fill(summary, values), details, values.seconds ?? retryAfterSeconds)
  }
  return Object.assign(refuse, terms)
}

const defineAtField = <Name extends string>(terms: Terms & LineTerms): FieldRefusal<Name> =>
  Object.assign(define<Name>(terms), { asDetail: (values?: object) => detailOf(terms, values) })

const detailOf = ({ field, detail, message }: LineTerms, values: object = {}): Detail => ({
  field: fill(field, values),
  error: detail,
  message: fill(message, values),
})

/** In one pass: what is put in may hold braces itself. */
const fill = (text: string, values: object) =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String((values as Record<string, unknown>)[name]))
