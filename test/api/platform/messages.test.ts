import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { exampleOf } from '#platform/http/openapi-examples.ts'
import { createChecker } from '#platform/http/validation.ts'
import { assertError } from '../../support/assert-error.ts'
import type { Answer } from '../../support/client.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

const sentences = (answer: Answer) =>
  assertError(answer, 422, 'VALIDATION_FAILED').details.map(({ field, message }) => [field, message])

test('what is wrong is told in plain sentences, in the order of the form', async () => {
  const { admin, products } = await used.make.shop()
  const price = (value: unknown) => ({ pricing: { markets: [{ marketId: 'us', price: value }] } })
  const variants = [
    { id: 'a b', ...price('19.99'), inventory: { quantity: -1 } },
    { pricing: { markets: [{ marketId: 'us', price: 1 }, { price: -1 }] }, sku: 5 },
  ]
  assert.deepEqual(sentences(await admin.post(products, { statuses: [{}], variants, category: 5, slug: 'Sea Salt' })), [
    ['name', 'Fill in the name.'],
    ['slug', 'The slug must be lower-case words joined by hyphens, such as harbour-goods.'],
    ['category', 'The category must be text, such as shirts.'],
    ['variants.0.id', 'The id of variant 1 may hold letters, digits, - and _ only.'],
    [
      'variants.0.pricing.markets.0.price',
      'The price of market 1 of variant 1 must be a whole number of cents, such as 1999.',
    ],
    ['variants.0.inventory.quantity', 'The quantity of the inventory of variant 1 must be at least 0.'],
    ['variants.1.sku', 'The SKU of variant 2 must be text, such as TS-RED-XL.'],
    ['variants.1.pricing.markets.1.marketId', 'Fill in the market of market 2 of variant 2.'],
    ['variants.1.pricing.markets.1.price', 'The price of market 2 of variant 2 must be at least 0.'],
    ['statuses.0.status', 'Fill in the status of status 1.'],
  ])
})

test('query parameters are told of in the same way', async () => {
  const { admin, path } = await used.make.business()
  assert.deepEqual(sentences(await admin.get(`${path}/roles?limit=abc`)), [
    ['limit', 'The limit must be a whole number.'],
  ])
  assert.deepEqual(sentences(await admin.get(`${path}/products?status=GONE&limit=101`)), [
    ['limit', 'The limit must be at most 100.'],
    ['status', 'The status must be one of DRAFT, ACTIVE or ARCHIVED.'],
  ])
})

type Shape = TSchema & {
  type?: string
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
  enum?: unknown[]
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
}
type Broken = { at: string[]; value: unknown }

const ABSENT = Symbol('absent')
const few = (count: number) => Math.min(count, 1_500)

/** Every way in which the value of a schema can be wrong. */
function wrongs(shape: Shape): unknown[] {
  const forms = shape.anyOf ?? [shape]
  const values: unknown[] = [ABSENT, null, true, 5, 0.5, '', ' ', 'ä !', '\t', [], {}, [5], [{}], 1e300, -1e300]
  for (const { minLength, maxLength, minItems, maxItems, minimum, maximum, items } of forms) {
    if (minLength) values.push('x'.repeat(minLength - 1))
    if (maxLength) values.push('x'.repeat(maxLength + 1))
    if (minItems && items) values.push(Array(minItems - 1).fill(exampleOf(items)))
    if (maxItems && items && maxItems < 1_500) values.push(Array(few(maxItems + 1)).fill(exampleOf(items)))
    if (minimum !== undefined) values.push(minimum - 1)
    if (maximum !== undefined) values.push(maximum + 1)
  }
  return values
}

/** Each field of a body, broken in each way. */
function* breakings(shape: Shape, at: string[] = []): Generator<Broken> {
  if (at.length > 0) for (const value of wrongs(shape)) yield { at, value }
  for (const form of shape.anyOf ?? [shape]) {
    for (const [name, inner] of Object.entries(form.properties ?? {})) yield* breakings(inner, [...at, name])
    if (form.items) yield* breakings(form.items, [...at, '0'])
  }
}

function broken(body: unknown, { at, value }: Broken): unknown {
  const copy = structuredClone(body)
  let here = copy as Record<string, unknown>
  for (const step of at.slice(0, -1)) {
    if (typeof here[step] !== 'object' || here[step] === null) here[step] = {}
    here = here[step] as Record<string, unknown>
  }
  const last = at.at(-1) ?? ''
  if (value === ABSENT) delete here[last]
  else here[last] = value
  return copy
}

const JARGON =
  /must NOT|must match|must have required|pattern|additionalProperties|instance ?path|anyOf|schema|regex|\^|\\|\$|\(\?|\[object|undefined|NaN|#\/|"\/|e\+\d/

test('whatever is wrong with a body of any route, no message speaks of how it was found', () => {
  let count = 0
  const seen = new Map<string, string>()
  for (const { method, url, schema } of used.api.app.routeTable) {
    const body = schema?.body as Shape | undefined
    if (!body?.properties) continue
    const check = createChecker(body)
    const example = exampleOf(body)
    for (const each of breakings(body)) {
      const result = check(broken(example, each))
      for (const { field, message } of 'details' in result ? result.details : []) {
        count++
        if (seen.has(message)) continue
        seen.set(message, field)
        const where = `${method} ${url}, ${field}: ${message}`
        assert.doesNotMatch(message, JARGON, where)
        assert.match(message, /^[A-Z].*[^.]\.$/, where)
        assert.ok(message.length <= 160, where)
      }
    }
  }
  assert.ok(count > 5_000 && seen.size > 300, `${count} details, ${seen.size} messages`)
})
