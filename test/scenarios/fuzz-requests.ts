// Requests for every operation of openapi.json: some right, most of them wrong in one way or in several.
import fc from 'fast-check'
import { changes, mutate, ODD_STRINGS, odd, type Pools, type Schema, valid, writeJson } from './fuzz-values.ts'

type Parameter = { in: 'path' | 'query' | 'header'; name: string; required?: boolean; schema: Schema }
type Content = Record<string, { schema: Schema; example?: unknown }>
export type Operation = {
  id: string
  method: string
  path: string
  parameters: Parameter[]
  content: Content | undefined
  /** `place`: where it stands in the document. */
  responses: Record<string, Response & { place: readonly string[] }>
}
type Response = { content?: Content }
export type OpenApi = {
  paths: Record<string, Record<string, unknown>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> }
}
export type FuzzRequest = {
  operation: Operation
  caller: string
  path: string
  headers: Record<string, string>
  body: Buffer | undefined
  /** Nothing was done to it: what a caller would send. */
  isPlain: boolean
}
/** What there is to use: real ids, and bodies and files that work. */
export type Stock = {
  records: Record<string, readonly string[]>
  bodies: Record<string, unknown>
  files: Record<string, string>
  pools: Pools
}

export function operationsOf(document: OpenApi): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const {
        operationId,
        parameters = [],
        requestBody,
        responses,
      } = described as {
        operationId: string
        parameters?: Parameter[]
        requestBody?: { content: Content }
        responses: Record<string, Response & { $ref?: string }>
      }
      return {
        id: operationId,
        method: method.toUpperCase(),
        path,
        parameters,
        content: requestBody?.content,
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, response]) => {
            const name = response.$ref?.split('/').at(-1)
            return name === undefined
              ? [status, { ...response, place: ['paths', path, method, 'responses', status] }]
              : [status, { ...document.components.responses[name], place: ['components', 'responses', name] }]
          }),
        ),
      }
    }),
  )
}

const encode = (text: string) => encodeURIComponent(text.toWellFormed())
const ODD_PARTS = [
  ...ODD_STRINGS.map((text) => encode(text.slice(0, 300))),
  '%ff',
  '%',
  '%2',
  '%zz',
  '..',
  '%2e%2e',
  '%2f',
  'a/b',
  ';a=b',
  '+',
  '%c3%28',
  '%ed%a0%80',
  'x'.repeat(199),
  'x'.repeat(201),
]
const oddPart = fc.constantFrom(...ODD_PARTS)
const ODD_QUERIES = [
  '?',
  '&',
  '=',
  '&&&',
  'a',
  'a[]=1',
  'a[b]=c',
  'limit=1&limit=2',
  'limit[]=5',
  'limit=1e1',
  'limit=0x10',
  'limit=-0',
  'limit=%205',
  'limit=%00',
  'limit=%ff',
  'cursor=%ff',
  'cursor=bnVsbA',
  'cursor=W10',
  'cursor=W1tdXQ',
  'cursor=e30',
  'status[0]=ACTIVE',
  'status=ACTIVE&status=ACTIVE',
  '__proto__=1',
  '__proto__[a]=1',
  'constructor.prototype=1',
  'query=%F0%9F%98%80',
  'query=%ED%A0%80',
  'query=%00',
  'query=%',
  "query='",
  'query=%5C',
  'query=&',
  'query=a*|!():',
  'include=',
  'include=*',
  'include=a,b,c',
  `query=${'a%20'.repeat(500)}`,
  `a=${'x'.repeat(5_000)}`,
  'a=1;b=2',
  'businessId=',
  'businessId=a&businessId=b',
  'locale=xx-YY-zz',
  'blocks.title=x',
  'blocks.=x',
  'blocks.title[]=x',
  'order=desc',
  'sort=id',
  'after=-1',
  'after=1e99',
  'after=9007199254740993',
]
const ODD_HEADERS: readonly (readonly [string, string])[] = [
  ...[
    '',
    ' ',
    '\xff\xfe',
    'x'.repeat(255),
    'x'.repeat(256),
    'x'.repeat(4_000),
    '"quoted"',
    'a,b',
    '\xc3\xa4',
    '__proto__',
  ].map((value) => ['idempotency-key', value] as const),
  ...['', '*', '"1"', 'W/"1"', '"1", "2"', '"', '""', '1', '"9007199254740993"', '"\xff"', '"x'.repeat(50)].flatMap(
    (value) =>
      [
        ['if-match', value],
        ['if-none-match', value],
      ] as const,
  ),
  ...[
    '',
    'Bearer',
    'Bearer ',
    'Bearer  x',
    'bearer x',
    `Bearer ${'a'.repeat(6_000)}`,
    'Bearer a.b.c',
    'Bearer eyJhbGciOiJub25lIn0.e30.',
    'Basic eDp5',
    'Bearer \xff',
    'Digest x',
  ].map((value) => ['authorization', value] as const),
  ...['', 'x', '\xff', 'x'.repeat(5_000)].map((value) => ['x-api-key', value] as const),
  ...['text/html', '*/*', 'application/xml;q=0.1', '\xff', ''].map((value) => ['accept', value] as const),
  ...['a b', '\xff', 'x'.repeat(300), '', '<script>'].map((value) => ['x-request-id', value] as const),
  ...['null', 'https://evil.example', 'https://', '\xff'].map((value) => ['origin', value] as const),
  ...['__proto__=1', 'a=b; '.repeat(300)].map((value) => ['cookie', value] as const),
  ...['127.0.0.1', '\xff', ', , ,', '::1, x'].map((value) => ['x-forwarded-for', value] as const),
  ['x-http-method-override', 'DELETE'],
  ['range', 'bytes=0-1,5-'],
  ['content-encoding', 'gzip'],
  ['content-encoding', 'br'],
  ['te', 'trailers'],
  ['accept-language', '*'],
  ['accept-encoding', 'gzip;q=x'],
  ['host', 'evil.example'],
  ['traceparent', '00-zz'],
  ['traceparent', '\xff'],
]
const ODD_TYPES = [
  '',
  'text/plain',
  'application/xml',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json;',
  'APPLICATION/JSON',
  'application/json, text/plain',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  'text/csv',
  'application/x-ndjson',
  'application/vnd.api+json',
  '\xff/\xff',
  'json',
  'application/octet-stream',
  '*/*',
]

/** The same text in ways that are no UTF-8, or no JSON. */
const ENCODINGS: readonly ((text: string) => Buffer)[] = [
  (text) => Buffer.from(text, 'latin1'),
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.from(text)]),
  (text) => Buffer.from(text.slice(0, text.length >> 1)),
  (text) => Buffer.from(`${text}${text}`),
  (text) => Buffer.from(`${text} //`),
  (text) => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe, 0xc3, 0x28]), Buffer.from('}')]),
  (text) =>
    Buffer.concat([Buffer.from(text.replace('"', '"\xff').slice(0, 20), 'latin1'), Buffer.from(text.slice(19))]),
  (text) => Buffer.from(text.replace(/"([^"]*)":/, '"$1":1,"$1":')),
  (text) => Buffer.from(text.replace('{', '{"__proto__":{"a":1},')),
  (text) => Buffer.from(text.replace('{', '{"\\u005f_proto__":{"a":1},')),
  (text) => Buffer.from(text.replaceAll('"', "'")),
  (text) => Buffer.from(text.replaceAll(':', ':\0')),
  (text) => Buffer.from(`[${text}]`),
  () => Buffer.from(''),
  () => Buffer.from('null'),
  () => Buffer.from('"text"'),
  () => Buffer.from('['.repeat(100_000)),
  () => Buffer.from(`{"a":"${'x'.repeat(2_200_000)}"}`),
  () => Buffer.from(' '.repeat(10_000)),
  () => Buffer.from('\0'.repeat(100)),
]

/** Odd text somewhere in a file, or instead of it. */
const spoil = (text: string, made: readonly { at: number; kind: number; value: unknown }[]) =>
  made.reduce((file, { at, kind, value }) => {
    const part = typeof value === 'string' && kind % 2 === 0 ? value : writeJson(value)
    const place = at % (file.length + 1)
    return kind === 0 ? part : file.slice(0, place) + part + file.slice(place)
  }, text)

const sometimes = <Value>(percent: number, arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 100 - percent, arbitrary: fc.constant(undefined) }, { weight: percent, arbitrary })

/** Of collections, entries, roles and imports there are two: the last is that of a newsletter, or in use. */
const fittingOf = ({ path }: Operation, real: readonly string[]) =>
  (/subscri|\/sends?\b|preview|\/test$|automations|wishes/.test(path) ? real.at(-1) : real[0]) ?? 'x'

/** The address of a record that there is. */
export const realPath = (operation: Operation, records: Stock['records']) =>
  operation.path
    .split('/')
    .map((part, index, all) =>
      part.startsWith('{') ? encode(fittingOf(operation, records[all[index - 1] ?? ''] ?? [])) : part,
    )
    .join('/')

/** All that may be asked of one operation. */
export function requestsFor(operation: Operation, document: OpenApi, stock: Stock, callers: readonly string[]) {
  const resolve = (schema: Schema) => document.components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
  const values = (schema: Schema, name: string) => valid(schema, resolve, stock.pools, name)
  const segments = operation.path.split('/').map((segment, index, all) => {
    if (!segment.startsWith('{')) return fc.constant(segment)
    const real = stock.records[all[index - 1] ?? ''] ?? ['x']
    const fitting = fittingOf(operation, real)
    return fc.oneof({ weight: 4, arbitrary: fc.constant(fitting) }, fc.constantFrom(...real)).map(encode)
  })
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query')
  const query = fc.record(Object.fromEntries(inQuery.map(({ name, schema }) => [name, values(schema, name)])), {
    requiredKeys: inQuery.filter(({ required }) => required).map(({ name }) => name),
    noNullPrototype: true,
  })
  const required = (values: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => inQuery.find((it) => it.name === name)?.required))
  const [type, { schema = {}, example } = {}] = Object.entries(operation.content ?? {})[0] ?? []
  const file = stock.files[operation.id]
  const samples = [stock.bodies[operation.id], stock.bodies[operation.id], example].filter((body) => body !== undefined)
  const body = fc.oneof(values(schema, ''), ...(samples.length > 0 ? [fc.constantFrom(...samples)] : []))

  return fc
    .record({
      isPlain: fc.nat(3).map((side) => side === 0),
      caller: fc.constantFrom(...callers),
      isStranger: fc.nat(3).map((side) => side === 0),
      segments: fc.tuple(...segments),
      oddSegment: sometimes(12, fc.tuple(fc.nat(), oddPart)),
      query,
      oddQuery: sometimes(
        20,
        fc.array(fc.oneof(fc.constantFrom(...ODD_QUERIES), oddPart), { minLength: 1, maxLength: 2 }),
      ),
      oddValue: sometimes(25, fc.tuple(fc.nat(), oddPart)),
      headers: sometimes(25, fc.array(fc.constantFrom(...ODD_HEADERS), { minLength: 1, maxLength: 2 })),
      type: sometimes(8, fc.constantFrom(...ODD_TYPES)),
      body,
      changes: sometimes(65, changes),
      whole: sometimes(4, odd),
      encoding: sometimes(15, fc.constantFrom(...ENCODINGS)),
      unasked: sometimes(10, odd),
    })
    .map((drawn): FuzzRequest => {
      const { isPlain } = drawn
      const caller = isPlain && !drawn.isStranger ? (callers[0] ?? drawn.caller) : drawn.caller
      const wrong: Partial<typeof drawn> = isPlain ? {} : drawn
      const path = [...drawn.segments]
      const asked = isPlain ? required(drawn.query) : drawn.query
      if (wrong.oddSegment) {
        const places = operation.path.split('/').flatMap((part, index) => (part.startsWith('{') ? [index] : []))
        const place = places[wrong.oddSegment[0] % places.length]
        if (place !== undefined) path[place] = wrong.oddSegment[1]
      }
      const pairs = Object.entries(asked).map(([name, value]) => `${name}=${encode([value].flat().join(','))}`)
      if (wrong.oddValue && inQuery.length > 0) {
        pairs.push(`${inQuery[wrong.oddValue[0] % inQuery.length]?.name}=${wrong.oddValue[1]}`)
      }
      pairs.push(...(wrong.oddQuery ?? []))
      const address = path.join('/') + (pairs.length > 0 ? `?${pairs.join('&')}` : '')

      const headers: Record<string, string> = {}
      let bytes: Buffer | undefined
      if (operation.content) {
        const right = isPlain ? (samples[0] ?? drawn.body) : drawn.body
        const sent = wrong.changes ? mutate(drawn.body, wrong.changes) : right
        const text = file ?? writeJson(wrong.whole ?? sent)
        const final = file !== undefined && wrong.changes ? spoil(file, wrong.changes) : text
        bytes = wrong.encoding ? wrong.encoding(final) : Buffer.from(final)
        headers['content-type'] = wrong.type ?? type ?? 'application/json'
      } else if (wrong.unasked !== undefined && operation.method !== 'GET') {
        bytes = Buffer.from(writeJson(wrong.unasked))
        headers['content-type'] = wrong.type ?? 'application/json'
      }
      for (const [name, value] of wrong.headers ?? []) headers[name] = value
      return { operation, caller, path: address, headers, body: bytes, isPlain }
    })
}
