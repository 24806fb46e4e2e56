import type { Tool } from './tools.ts'

/** A request to one of our own routes, without the credential. */
export type RouteRequest = { method: string; url: string; headers: Record<string, string>; payload?: string }
export type RouteAnswer = { status: number; headers: Record<string, unknown>; text: string }

export type ToolResult = { content: { type: 'text'; text: string }[]; isError?: boolean }

type Arguments = Readonly<Record<string, unknown>>

/** What a conversation can bear. */
const MAX_TEXT = 200_000

/** Arguments that no request can be made of. */
export class ArgumentError extends Error {}

/** `business` is that of every call that does not name one. */
export function toRequest(tool: Tool, given: Arguments, business: string | undefined): RouteRequest {
  const known = [...tool.parameters.map(({ name }) => name), ...Object.keys(bodyOf(tool))]
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new ArgumentError(`Unknown argument "${unknown}". Accepted arguments: ${known.join(', ') || 'none'}.`)
  const values: Arguments = { ...defaultsOf(tool, business), ...given }

  let path = tool.path
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  for (const { name, sent, in: place, isRequired } of tool.parameters) {
    const value = values[name]
    if (value === undefined || value === null) {
      if (isRequired) throw new ArgumentError(`The argument ${name} is missing.`)
    } else if (place === 'path') path = path.replace(`{${sent}}`, segmentOf(name, value))
    else if (place === 'header') headers[sent] = headerOf(name, value)
    else for (const each of [value].flat()) query.append(sent, textOf(name, each))
  }
  const url = query.size > 0 ? `${path}?${query.toString()}` : path
  const request = { method: tool.method, url, headers }
  if (tool.bodyTypes.includes('application/json')) {
    if (values.body === undefined) return request
    headers['content-type'] = 'application/json'
    return { ...request, payload: JSON.stringify(values.body) }
  }
  if (tool.bodyTypes.length === 0) return request
  const { file, fileType } = values
  if (typeof file !== 'string' || !tool.bodyTypes.includes(String(fileType)))
    throw new ArgumentError(`The arguments file, a text, and fileType (${tool.bodyTypes.join(' or ')}) are needed.`)
  headers['content-type'] = String(fileType)
  return { ...request, payload: file }
}

const bodyOf = ({ bodyTypes }: Tool): Record<string, true> =>
  bodyTypes.includes('application/json') ? { body: true } : bodyTypes.length > 0 ? { file: true, fileType: true } : {}

/** Whatever can be tried without doing it is tried first. */
const defaultsOf = ({ parameters }: Tool, business: string | undefined): Arguments => ({
  ...(business !== undefined && parameters.some(({ name }) => name === 'businessId') && { businessId: business }),
  ...(parameters.some(({ name }) => name === 'dryRun') && { dryRun: true }),
})

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new ArgumentError(`The argument ${name} must be a text, a number, true or false.`)
}

/** Dots would lead to another route. */
function segmentOf(name: string, value: unknown): string {
  const text = textOf(name, value)
  if (text === '' || /^\.+$/.test(text)) throw new ArgumentError(`The argument ${name} is not an id.`)
  return encodeURIComponent(text)
}

function headerOf(name: string, value: unknown): string {
  const text = textOf(name, value)
  if (!/^[\x20-\x7e]+$/.test(text)) throw new ArgumentError(`The argument ${name} may hold plain letters only.`)
  return text
}

/** An answer of a route, as a tool tells it. */
export function toResult({ status, headers, text }: RouteAnswer): ToolResult {
  if (status >= 400) return refused(describeError(status, headers, text))
  const parts = [text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text || 'Done.']
  if (text.length > MAX_TEXT)
    parts.push(`This is cut off: the answer has ${text.length} characters. Ask for less, for example with limit.`)
  if (typeof headers.etag === 'string')
    parts.push(`ETag: ${headers.etag} (as ifMatch, a change is refused if the record has changed since)`)
  if (typeof headers['x-ignored-fields'] === 'string')
    parts.push(`These fields of the body do not exist and were ignored: ${headers['x-ignored-fields']}`)
  return { content: parts.map((part) => ({ type: 'text', text: part })) }
}

export const refused = (text: string): ToolResult => ({ content: [{ type: 'text', text }], isError: true })

type ErrorBody = {
  error?: string
  message?: string
  details?: { field: string; message: string }[]
  requestId?: string
}

function describeError(status: number, headers: Record<string, unknown>, text: string): string {
  const { error = '', message = text, details = [], requestId } = parse(text)
  const wrong = details.filter((detail) => detail.message !== message).map((each) => `${each.field}: ${each.message}`)
  const seconds = Number(headers['retry-after'])
  const again = seconds > 0 ? [`Try again in ${seconds} s.`] : []
  return [message, ...wrong, ...again, `(${status} ${error}${requestId ? `, request ${requestId}` : ''})`].join('\n')
}

function parse(text: string): ErrorBody {
  try {
    return JSON.parse(text) as ErrorBody
  } catch {
    return {}
  }
}
