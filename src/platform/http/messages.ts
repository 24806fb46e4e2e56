import type { FastifySchemaValidationError } from 'fastify'

/**
 * A schema may carry its own wording for its mistakes: `'x-says': { pattern: 'must be …' }`. It follows the field's
 * name.
 */
export type Says = Partial<Record<string, string>>

type Shape = {
  'x-says'?: Says
  type?: string
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
  examples?: unknown[]
}
type Failure = FastifySchemaValidationError & { parentSchema?: Shape }

const MAX_LENGTH = 160

/** The mistake as one sentence for a person who fills in a form: it names the field in words and says what to do. */
export function sentenceFor(failure: FastifySchemaValidationError, field: string): string {
  const { keyword, params, parentSchema = {} } = failure as Failure
  const own = parentSchema['x-says']?.[keyword]
  if (own) return `${capital(theNameOf(field))} ${own}.`
  return shorten(capital(write(keyword, params, parentSchema, field)))
}

function write(keyword: string, params: Record<string, unknown>, shape: Shape, field: string): string {
  const name = theNameOf(field)
  const limit = Number(params.limit)
  switch (keyword) {
    case 'required':
      return `fill in ${name}.`
    case 'type':
      return `${name} must be ${typeInWords(String(params.type))}${such(shape)}.`
    case 'enum':
      return `${name} must be ${oneOf(params.allowedValues as unknown[], name.length)}.`
    case 'const':
      return `${name} must be ${String(params.allowedValue)}.`
    case 'minLength':
      return limit === 1 ? `fill in ${name}.` : `${name} must have at least ${count(limit, 'character')}.`
    case 'maxLength':
      return `${name} must have at most ${count(limit, 'character')}.`
    case 'minItems':
      return `give at least ${limit} ${itemsOf(field, limit)}.`
    case 'maxItems':
      return `give at most ${limit} ${itemsOf(field, limit)}.`
    case 'uniqueItems':
      return `name each of ${name} only once.`
    case 'minimum':
      return `${name} must be at least ${limit}.`
    case 'maximum':
      return `${name} must be at most ${limit}.`
    case 'maxProperties':
      return `${name} may hold at most ${count(limit, 'field')}.`
    case 'pattern':
      return params.pattern === '\\S' ? `fill in ${name}.` : `${name} must have the form of ${exampleOf(shape)}.`
    case 'format':
      return `${name} must look like ${FORMATS[String(params.format)] ?? exampleOf(shape)}.`
    default:
      return `${name} does not have the right form; the reference at /docs shows it.`
  }
}

const FORMATS: Record<string, string> = { email: 'ada@example.com', uri: 'https://shop.example/page' }

function typeInWords(type: string): string {
  if (type === 'string') return 'text'
  if (type === 'integer') return 'a whole number'
  if (type === 'boolean') return 'true or false'
  if (type === 'array') return 'a list'
  if (type === 'object') return 'an object'
  return type === 'null' ? 'null' : `a ${type}`
}

const exampleOf = ({ examples: [example] = [] }: Shape) =>
  typeof example === 'string' || typeof example === 'number' ? String(example) : 'what the reference at /docs shows'
/** A short example says more than the name of a type. */
function such({ examples: [example] = [] }: Shape): string {
  const isPlain = typeof example === 'string' || typeof example === 'number'
  return isPlain && /^.{1,40}(?<![.!?])$/.test(String(example)) ? `, such as ${example}` : ''
}

function oneOf(values: unknown[], taken: number): string {
  const words = values.map(String)
  if (words.length === 1) return `${words[0]}`
  let shown = words.length
  const listed = () =>
    shown < words.length
      ? `one of ${words.slice(0, shown).join(', ')} and ${words.length - shown} more`
      : `one of ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
  while (shown > 1 && listed().length + taken > MAX_LENGTH - 20) shown--
  return listed()
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`

/**
 * `variants.0.pricing.markets.1.price` is "the price of market 2 of variant 1". An object that only holds a list
 * (`pricing`) is left out: the list is enough.
 */
export function theNameOf(field: string): string {
  const steps = stepsOf(field).toReversed()
  const told = steps.filter(({ isElement }, index) => index === 0 || isElement || !steps[index - 1]?.isElement)
  return told.length > 0 ? told.map(({ text }) => text).join(' of ') : 'the body'
}

/** A list and an index are one step: `variants.0` is "variant 1". */
function stepsOf(field: string): { text: string; isElement: boolean }[] {
  const parts = field.split('.').filter((part) => part !== '')
  return parts.flatMap((part, index) => {
    if (index > 0 && isNumber(part)) return []
    const next = parts[index + 1]
    const isElement = next !== undefined && isNumber(next)
    return { isElement, text: isElement ? `${singular(words(part))} ${Number(next) + 1}` : `the ${words(part)}` }
  })
}

const isNumber = (part: string) => /^\d+$/.test(part)

function itemsOf(field: string, number: number): string {
  const steps = stepsOf(field)
  const plural = (steps.pop()?.text ?? 'the items').replace(/^the /, '')
  const around = steps.toReversed().map(({ text }) => text)
  return [number === 1 ? singular(plural) : plural, ...around].join(' of ')
}

/** Fields whose words differ from their name. */
const WORDS: Record<string, string> = {
  apiTokens: 'API keys',
  businessId: 'business',
  collectionId: 'collection',
  contactEmail: 'contact email address',
  customerId: 'customer',
  email: 'email address',
  id: 'id',
  marketId: 'market',
  planId: 'plan',
  productId: 'product',
  roleId: 'role',
  shippingMethodId: 'shipping method',
  sku: 'SKU',
  taxBps: 'tax rate',
  userId: 'user',
  variantId: 'variant',
  zip: 'postal code',
}

/** `lowStockThreshold` is "low stock threshold". */
function words(name: string): string {
  return (
    WORDS[name] ??
    name
      .slice(0, 60)
      .replace(/([a-z\d])([A-Z])/g, '$1 $2')
      .replaceAll(/[_-]+/g, ' ')
      .toLowerCase()
      .replace(/\b(url|html|sms|api)\b/g, (word) => word.toUpperCase())
  )
}

function singular(plural: string): string {
  if (/(ss|us|x)es$/.test(plural)) return plural.slice(0, -2)
  if (plural.endsWith('ies')) return `${plural.slice(0, -3)}y`
  return /[^s]s$/.test(plural) ? plural.slice(0, -1) : `${plural} item`
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const shorten = (text: string) => (text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 2)}….`)

/** The order in which a form shows its fields: that of the schema, and of the items of a list. */
export function inFormOrder<Each extends { field: string }>(details: Each[], schema: unknown): Each[] {
  const places = new Map(details.map((detail) => [detail, placeOf(detail.field, schema as Shape)]))
  return details.toSorted((a, b) => compare(places.get(a) ?? [], places.get(b) ?? []))
}

function placeOf(field: string, schema: Shape): number[] {
  let at: Shape | undefined = schema
  return field.split('.').map((part) => {
    const here: Shape | undefined = at?.anyOf?.find(({ properties, items }) => properties ?? items) ?? at
    if (here?.items) {
      at = here.items
      return Number(part)
    }
    const place = Object.keys(here?.properties ?? {}).indexOf(part)
    at = here?.properties?.[part]
    return place < 0 ? Number.MAX_SAFE_INTEGER : place
  })
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
