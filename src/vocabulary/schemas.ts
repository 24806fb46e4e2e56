import { type Static, type TProperties, type TSchema, type TSchemaOptions, Type } from 'typebox'
import { Set as setFormat } from 'typebox/format'
import { FORMATS } from './formats.ts'

// ajv validates requests, and typebox everything else. Its own formats differ: `email` accepts `a@b` and quoted names.
for (const [name, accepts] of Object.entries(FORMATS)) setFormat(name, accepts)

/** Schemas shared by all modules. Each string and array has a bound; `examples` appear in the API reference. */
/** Wording for people, after the field's name; a keyword without one gets a generated sentence. */
const ID_SAYS = { pattern: 'may hold letters, digits, - and _ only' }

export const Id = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9_-]+$',
  'x-says': ID_SAYS,
  examples: ['01jcq3v7k8f5t9x2m4n6p8r0sw'],
})
export const idOf = (prefix: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^[A-Za-z0-9_-]+$',
    'x-says': ID_SAYS,
    description: `Id, starts with \`${prefix}_\`.`,
    examples: [`${prefix}_${example}`],
  })
export const BusinessId = idOf('biz', '4k7q2m9x1c3v')
export const ProductId = idOf('prod', '01jcq3v7k8f5t9x2m4n6p8r0sw')
export const OrderId = idOf('ord', '01jcq3v7k8f5t9x2m4n6p8r0sw')
export const VariantId = Type.String({ ...Id, description: 'Unique within its product.', examples: ['red-xl'] })
export const MarketId = Type.String({ ...Id, description: 'A market of the business.', examples: ['us'] })
export const UserId = idOf('usr', '01jcq3v7k8f5t9x2m4n6p8r0sw')

export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  format: 'email',
  examples: ['ada@example.com'],
})
export const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  examples: ['Harbour Goods'],
})
export const Slug = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  'x-says': { pattern: 'must be lower-case words joined by hyphens, such as harbour-goods' },
  examples: ['harbour-goods'],
})
export const UnixSeconds = Type.Integer({
  minimum: 0,
  maximum: 253_402_300_799,
  description: 'Unix time in seconds.',
  'x-says': { type: 'must be a time in whole seconds since 1970, such as 1789000000' },
  examples: [1_789_000_000],
})
export const Money = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Minor units (cents).',
  'x-says': { type: 'must be a whole number of cents, such as 1999' },
  examples: [1999],
})
/** With its own example, so that the examples of one sale add up. */
export const moneyOf = (example: number) => Type.Integer({ ...Money, examples: [example] })
export const Currency = Type.String({
  pattern: '^[A-Z]{3}$',
  maxLength: 3,
  description: 'The market’s.',
  'x-says': { pattern: 'must be three capital letters, such as USD' },
  examples: ['USD'],
})
export const BasisPoints = Type.Integer({
  minimum: 0,
  maximum: 10_000,
  'x-says': {
    type: 'must be a whole number of basis points, such as 1900 for 19 %',
    maximum: 'must be at most 10000 basis points, which is 100 %',
  },
  examples: [1900],
})

export const TaxClass = Type.String({
  minLength: 1,
  maxLength: 40,
  pattern: '^[a-z0-9-]+$',
  description: 'Markets set the rate of each class.',
  'x-says': { pattern: 'may hold lower-case letters, digits and hyphens only, such as reduced' },
  examples: ['standard'],
})

/** A single `enum` keyword, so that a wrong value gives one error and the reference shows one list. */
export const OneOf = <const Values extends string[]>(values: readonly [...Values], options: object = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], examples: [values[0]], ...options })

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** A text or `null`. Not a union: a text that is too long is then told to be so. */
export const NullableText = (options: TSchemaOptions & { maxLength: number }) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })

/** All fields optional: the body of a PUT, which changes what is sent and keeps the rest. */
export const Changes = <Properties extends TProperties>(properties: Properties, options: TSchemaOptions = {}) =>
  Type.Partial(Type.Object(properties), options)

export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Items on a page.' })),
  cursor: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'The `cursor` of the page before. Absent, empty or `null`: the first.',
    }),
  ),
}

/** A filter that may be repeated: any of the values. */
export const anyOf = <Value extends TSchema>(value: Value, description: string, maxItems = 20) =>
  Type.Optional(
    Type.Array(value, { minItems: 1, maxItems, description: `${description} Repeat it for several: any of them.` }),
  )

export const PageOnly = Type.Object(PageQuery)
export type PageOnly = Static<typeof PageOnly>

/** Path parameters of a business, and of one of its records. */
export const BusinessParams = Type.Object({ businessId: BusinessId })
export const RecordParams = Type.Object({ businessId: BusinessId, id: Id })

export const PageOf = <Schema extends TSchema>(item: Schema) =>
  Type.Object({
    items: Type.Array(item),
    cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Hand it back to get the next page; `null` on the last.',
      examples: ['WyJ4IiwiYSJd'],
    }),
  })

export const Success = Type.Object({ success: Type.Literal(true, { examples: [true] }) }, { title: 'Success' })
export type Success = Static<typeof Success>

export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'Stable code of the kind of error.', examples: ['VALIDATION_FAILED'] }),
    message: Type.String({ examples: ['The slug must be lower-case words joined by hyphens, such as harbour-goods.'] }),
    details: Type.Array(
      Type.Object({
        field: Type.String({ examples: ['slug'] }),
        error: Type.String({ examples: ['INVALID'] }),
        message: Type.String({
          examples: ['The slug must be lower-case words joined by hyphens, such as harbour-goods.'],
        }),
      }),
    ),
    requestId: Type.String({ examples: ['01jcq3v7k8f5t9x2m4n6p8r0sw'] }),
  },
  { title: 'Error', description: 'Every error of the service has this body.' },
)
