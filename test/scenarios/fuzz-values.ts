// Values from the schemas of openapi.json, right ones and wrong ones.
import fc from 'fast-check'

export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  examples?: unknown[]
  pattern?: string
  format?: string
  description?: string
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minimum?: number
  maximum?: number
}
/** Real values for fields of that name, and ids by their prefix. */
export type Pools = { byField: Record<string, readonly string[]>; byPrefix: Record<string, readonly string[]> }
export type Resolve = (schema: Schema) => Schema

/** Stands for text that JSON.stringify would not write; see `writeJson`. */
const raw = (text: string) => `@raw:${text}:raw@`

export const ODD_STRINGS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfff',
  '\ud83d\ude00',
  '👩‍👩‍👧‍👦',
  'e\u0301'.repeat(50),
  '\u202eevil\u202c',
  '\u200b',
  '\ufeff',
  '\u2028\u2029',
  '\u0130ı',
  'ß',
  '\ufdfa',
  'Ａ',
  '../../etc/passwd',
  "' or 1=1 --",
  '"; drop table x; --',
  '${7*7}',
  '{{7*7}}',
  '{% raw %}',
  '<script>alert(1)</script>',
  '%s%s%n',
  '%00',
  '%ff',
  '\r\nset-cookie: a=b',
  '\x1b[31m',
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e309',
  '0x10',
  '9'.repeat(400),
  'a'.repeat(70_000),
  '\u{10ffff}',
  '\ufffe',
  '\\',
  '\\u0000',
  'prod_00000000000000000000000000',
  'biz_000000000000',
  'collection:',
  'order:x',
  ':',
  '*',
  '/',
  '@',
  'a@b',
  '@example.com',
  'javascript:alert(1)',
  'http://[::1',
  'https://user:pass@example.com',
  'file:///etc/passwd',
  '1970-01-01',
  '[object Object]',
]

export const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  [{}],
  { length: 1 },
  { toString: 1 },
  raw('{"then":1}'),
  { toJSON: 1 },
  0,
  1,
  -1,
  0.1,
  -0.5,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e308,
  5e-324,
  253_402_300_800,
  1e21,
  raw('-0'),
  raw('1e400'),
  raw('-1e400'),
  raw('1.0'),
  raw('1E2'),
  raw('12345678901234567890123'),
  raw('"\\ud800"'),
  raw('"\\u0000"'),
  raw('{"__proto__":{"isAdmin":true}}'),
  raw('{"constructor":{"prototype":{"a":1}}}'),
  raw('{"a":1,"a":2}'),
  raw(`${'['.repeat(31)}${']'.repeat(31)}`),
  raw(`${'['.repeat(5_000)}${']'.repeat(5_000)}`),
  raw(`${'{"a":'.repeat(28)}1${'}'.repeat(28)}`),
  raw(`[${'0,'.repeat(30_000)}0]`),
  raw(`[${'{},'.repeat(3_000)}{}]`),
  raw(`{${Array.from({ length: 2_000 }, (_, index) => `"k${index}":1`).join()}}`),
]

export const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  'a\0',
  '\ud800',
  '$ref',
  'id',
  'businessId',
  'business_id',
  'version',
  'document',
  'createdAt',
  'created_at',
  'isAdmin',
  'is_admin',
  'cell',
  'number',
  'role',
  'permissions',
  'k'.repeat(5_000),
]

/** JSON with the raw parts put in. */
export const writeJson = (value: unknown): string =>
  JSON.stringify(value ?? null).replaceAll(
    /"@raw:(.*?):raw@"/gs,
    (_, quoted: string) => JSON.parse(`"${quoted}"`) as string,
  )

const oddString = fc.constantFrom(...ODD_STRINGS)
const word = fc.constantFrom('Harbour', 'Lantern', 'blue teapot', 'Ä', 'x', 'red-xl', 'spring-25', '日本語')
const edges = (from: number, to: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: Math.max(from, -1_000), max: Math.min(to, 1_000) }) },
    fc.constantFrom(from, to, Math.min(to, from + 1)),
  )

/** Something that the schema allows; what else must be true of it (that it exists, that it adds up) is left to chance. */
export function valid(schema: Schema, resolve: Resolve, pools: Pools, field = '', depth = 0): fc.Arbitrary<unknown> {
  const known = schema.$ref ? resolve(schema) : schema
  const inner = (part: Schema, name = field) => valid(part, resolve, pools, name, depth + 1)
  if (known.const !== undefined) return fc.constant(known.const)
  if (known.enum) return fc.constantFrom(...known.enum)
  if (known.anyOf) return fc.oneof(...known.anyOf.map((part) => inner(part)))
  const type = Array.isArray(known.type) ? known.type[0] : known.type
  if (type === 'string') return text(known, pools, field)
  if (type === 'integer') return edges(known.minimum ?? -(2 ** 53) + 1, known.maximum ?? 2 ** 53 - 1)
  if (type === 'number')
    return fc.oneof(
      edges(known.minimum ?? -1e6, known.maximum ?? 1e6),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: known.minimum ?? -1e9, max: known.maximum ?? 1e9 }),
    )
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'array') {
    const [minLength, maxLength] = [known.minItems ?? 0, Math.min(known.maxItems ?? 3, (known.minItems ?? 0) + 2)]
    const item = known.items ? inner(known.items) : fc.jsonValue({ maxDepth: 2 })
    return known.uniqueItems
      ? fc.uniqueArray(item, { minLength, maxLength, selector: (value) => JSON.stringify(value) })
      : fc.array(item, { minLength, maxLength })
  }
  if (known.properties) {
    const parts = Object.entries(known.properties).map(([name, part]) => [name, inner(part, name)])
    return fc.record(Object.fromEntries(parts) as Record<string, fc.Arbitrary<unknown>>, {
      requiredKeys: known.required ?? [],
      noNullPrototype: true,
    })
  }
  if (type === 'object') {
    const value =
      typeof known.additionalProperties === 'object' ? inner(known.additionalProperties) : fc.jsonValue({ maxDepth: 2 })
    return fc.dictionary(word, value, { maxKeys: 3, noNullPrototype: true })
  }
  return fc.oneof(fc.jsonValue({ maxDepth: 2 }), word)
}

function text(schema: Schema, pools: Pools, field: string): fc.Arbitrary<unknown> {
  const { minLength = 0, maxLength = 200, pattern, format, examples = [], description = '' } = schema
  const prefix = /starts with `(\w+)_`/.exec(description)?.[1]
  const real = [...(pools.byField[field] ?? []), ...(prefix ? (pools.byPrefix[prefix] ?? []) : [])]
  const choices: { weight: number; arbitrary: fc.Arbitrary<unknown> }[] = []
  if (real.length > 0) choices.push({ weight: 6, arbitrary: fc.constantFrom(...real) })
  if (examples.length > 0) choices.push({ weight: 2, arbitrary: fc.constantFrom(...examples) })
  if (format === 'email') choices.push({ weight: 2, arbitrary: fc.nat(500).map((n) => `fuzz${n}@example.com`) })
  else if (format === 'uri') choices.push({ weight: 2, arbitrary: fc.constant('https://shop.example.com/x') })
  else if (pattern) choices.push({ weight: 2, arbitrary: matching(pattern, minLength, maxLength) })
  else {
    const full = fc.constant('x'.repeat(Math.min(maxLength, 20_000)))
    const fits = (value: string) => value.length >= minLength && value.length <= maxLength
    choices.push({
      weight: 3,
      arbitrary: fc.oneof(
        word.filter(fits),
        full,
        fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 20), unit: 'binary' }),
      ),
    })
  }
  return fc.oneof(...choices)
}

function matching(pattern: string, minLength: number, maxLength: number): fc.Arbitrary<string> {
  try {
    return fc
      .stringMatching(new RegExp(pattern), { size: 'xsmall' })
      .filter(({ length }) => length >= minLength && length <= maxLength)
  } catch {
    return word
  }
}

/** Anything at all. */
export const odd: fc.Arbitrary<unknown> = fc.oneof(
  oddString,
  fc.constantFrom(...ODD_VALUES),
  fc.string({ maxLength: 30, unit: 'binary' }),
  fc.double(),
)

type Change = { at: number; kind: number; value: unknown; key: string }
export const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({ at: fc.nat(), kind: fc.nat(6), value: odd, key: fc.constantFrom(...ODD_KEYS) }),
  { minLength: 1, maxLength: 3 },
)

type Place = { holder: Record<string, unknown>; key: string }

function placesOf(value: unknown, found: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return found
  const holder = value as Record<string, unknown>
  for (const key of Object.keys(holder)) {
    found.push({ holder, key })
    placesOf(holder[key], found)
  }
  return found
}

/** A copy that is wrong in a few places. */
export function mutate(value: unknown, made: readonly Change[]): unknown {
  const box = { value: structuredClone(value) }
  for (const { at, kind, value: other, key } of made) {
    const places = placesOf(box)
    const place = places[at % places.length]
    if (!place) break
    const { holder, key: name } = place
    const old = holder[name]
    if (kind <= 2) holder[name] = other
    else if (kind === 3) Reflect.deleteProperty(holder, name)
    else if (kind === 4) holder[name] = [old, old]
    else if (kind === 5 && typeof old === 'string')
      holder[name] = old.repeat(3) + String(ODD_STRINGS[at % ODD_STRINGS.length])
    else if (typeof old === 'object' && old !== null)
      Object.defineProperty(old, key, { value: other, enumerable: true, configurable: true, writable: true })
    else holder[name] = { [name]: old }
  }
  return box.value
}
