import { type Static, Type } from 'typebox'
import { NullableText } from './schemas.ts'

const text = (example: string) => Type.Optional(NullableText({ maxLength: 200, examples: [example] }))

export const Country = Type.String({ description: 'ISO 3166-1 alpha-2.', examples: ['DE'] })
const SentCountry = Type.String({
  ...Country,
  maxLength: 2,
  format: 'country',
  'x-says': { format: 'must be the two letters of a country, such as DE' },
})

/**
 * Where an order is sent or billed to. Anything but the country may be missing: `GET /v1/address-formats` says what a
 * form should ask for.
 */
export const Address = Type.Object(
  {
    name: text('Ada Lovelace'),
    company: text('Harbour Goods Ltd'),
    street: text('Hafenstraße 1'),
    street2: text('2nd floor'),
    city: text('Hamburg'),
    state: text('CA'),
    zip: text('20095'),
    country: Country,
    phone: text('+49 40 123456'),
  },
  { title: 'OrderAddress' },
)
export type Address = Static<typeof Address>
export const ADDRESS_FIELDS = Object.keys(Address.properties) as (keyof Address)[]

const { title: _title, properties, ...rest } = Address as typeof Address & { title: string }

/** As sent, or `null`. Not a union: a mistake inside is then told with the name of its field. */
export const NewAddress = Type.Unsafe<Address | null>({
  ...rest,
  type: ['object', 'null'],
  properties: { ...properties, country: SentCountry },
})
