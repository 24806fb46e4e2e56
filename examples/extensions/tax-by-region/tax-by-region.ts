// Rates by country and region, in a table of its own; and the receiver of the callout `tax.calculate`, which answers with them.
import {
  BasisPoints,
  BusinessId,
  BusinessParams,
  type Db,
  extension,
  Id,
  invalid,
  isSignedWith,
  Money,
  Nullable,
  operation,
  type RouteServices,
  rawBodyOf,
  route,
  type Static,
  Success,
  sql,
  Type,
  transaction,
  unauthenticated,
} from 'kontor/extension'
import { calculateTax, type Rate } from './calculate-tax.ts'

const TaxClass = Type.String({ minLength: 1, maxLength: 40, pattern: '^[a-z0-9-]+$', examples: ['standard'] })
const RegionalRate = Type.Object({
  country: Type.String({ pattern: '^[A-Z]{2}$', maxLength: 2, examples: ['US'] }),
  region: Type.String({ maxLength: 200, description: 'Empty: all of the country.', examples: ['CA'] }),
  taxClass: TaxClass,
  taxBps: BasisPoints,
})
const Rates = Type.Object({ rates: Type.Array(RegionalRate, { maxItems: 1_000 }) }, { title: 'RegionalRates' })
type Rates = Static<typeof Rates>

/** Of what the callout sends, what is used here. */
const TaxQuestion = Type.Object({
  businessId: BusinessId,
  pricesIncludeTax: Type.Boolean(),
  shippingAddress: Nullable(
    Type.Object({
      country: Type.String({ maxLength: 2, examples: ['US'] }),
      state: Type.Optional(Nullable(Type.String({ maxLength: 200, examples: ['CA'] }))),
    }),
  ),
  shipping: Money,
  lines: Type.Array(Type.Object({ id: Id, totalPrice: Money, discount: Money, taxClass: TaxClass }), {
    maxItems: 1_000,
  }),
})
const TaxAnswer = Type.Object({
  lines: Type.Array(Type.Object({ id: Id, taxBps: BasisPoints, tax: Money })),
  shippingTax: Money,
  taxes: Type.Array(
    Type.Object({
      taxBps: BasisPoints,
      taxClasses: Type.Array(TaxClass),
      base: Money,
      amount: Money,
      included: Type.Boolean(),
    }),
  ),
})

const notSigned = unauthenticated('This request is not signed with the secret of the tax callout.')
const noAddress = invalid('shippingAddress', 'REQUIRED', 'Without an address there is no region.')
const noRate = invalid('shippingAddress', 'NOT_FOUND', 'There is no rate for {place}. Add one.')

const config = { access: 'SETTINGS_WRITE', business: 'path' } as const
const getRates = operation({
  method: 'GET',
  url: '/rates',
  config,
  schema: { operationId: 'getRates', summary: 'Get the rates', params: BusinessParams, response: { 200: Rates } },
})
const putRates = operation({
  method: 'PUT',
  url: '/rates',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'putRates',
    summary: 'Replace the rates',
    params: BusinessParams,
    body: Rates,
    response: { 200: Rates },
  },
})
const putSecret = operation({
  method: 'PUT',
  url: '/secret',
  config,
  schema: {
    operationId: 'putTaxSecret',
    summary: 'Set the secret of the callout',
    description: 'As the first `PUT …/callouts/tax.calculate` answers it.',
    params: BusinessParams,
    body: Type.Object({ secret: Type.String({ pattern: '^whsec_[A-Za-z0-9+/=]+$', maxLength: 200 }) }),
    response: { 200: Success },
  },
})
// Paths with /webhooks/ have no rate limit, because their callers are few and busy: check the signature first.
const answerCallout = operation({
  method: 'POST',
  url: '/webhooks/tax',
  config: { access: 'public', business: 'provider', fails: [401] },
  schema: {
    operationId: 'calculateRegionalTax',
    summary: 'Answer the callout `tax.calculate`',
    body: TaxQuestion,
    response: { 200: TaxAnswer },
  },
})

async function readRates(db: Db, businessId: string): Promise<Rate[]> {
  const { rows } = await sql<Rate>`
    select country, region, tax_class, tax_bps
      from ext_tax_by_region.rates where business_id = ${businessId} order by country, region, tax_class`.execute(db)
  return rows
}

const replaceRates = (db: Db, businessId: string, rates: Rates['rates']): Promise<void> =>
  transaction(db, async (tx) => {
    await sql`delete from ext_tax_by_region.rates where business_id = ${businessId}`.execute(tx)
    await sql`
      insert into ext_tax_by_region.rates (business_id, country, region, tax_class, tax_bps)
      select distinct on (country, region, "taxClass") ${businessId}, country, region, "taxClass", "taxBps"
        from json_to_recordset(${JSON.stringify(rates)}::json)
             as rate (country text, region text, "taxClass" text, "taxBps" integer)`.execute(tx)
  })

/** The database of the business that the payload names, once its signature has proved who sent it. */
async function openSigned(
  { box, openBusiness }: RouteServices,
  businessId: string,
  isSigned: (secret: string) => boolean,
): Promise<Db> {
  const opened = await openBusiness(businessId)
  const { rows } = opened
    ? await sql<{ sealed: Buffer }>`
        select sealed from ext_tax_by_region.secrets where business_id = ${businessId}`.execute(opened.cell)
    : { rows: [] }
  const secret = rows[0] && box.open(rows[0].sealed)?.toString()
  if (!opened || !secret || !isSigned(secret)) throw notSigned()
  return opened.cell
}

export const taxByRegion = extension({
  name: 'tax-by-region',
  title: 'Tax by region',
  description: 'Tax rates by country and region.',
  migrations: new URL('./migrations/', import.meta.url),
  routes: (services) => [
    route(getRates, async ({ cell, business }) => ({ rates: await readRates(cell, business.id) })),

    route(putRates, async ({ cell, business, body }) => {
      await replaceRates(cell, business.id, body.rates)
      return { rates: await readRates(cell, business.id) }
    }),

    route(putSecret, async ({ cell, business, body }) => {
      const sealed = services.box.seal(Buffer.from(body.secret))
      await sql`
        insert into ext_tax_by_region.secrets (business_id, sealed) values (${business.id}, ${sealed})
        on conflict (business_id) do update set sealed = excluded.sealed`.execute(cell)
      return { success: true } as const
    }),

    route(
      answerCallout,
      async (request) => {
        const { body, headers } = request
        const db = await openSigned(services, body.businessId, (secret) =>
          isSignedWith(secret, headers, rawBodyOf(request)),
        )
        const { shippingAddress } = body
        if (!shippingAddress) throw noAddress()
        const { country, state } = shippingAddress
        const tax = calculateTax(await readRates(db, body.businessId), { country, region: state ?? '' }, body)
        if (!tax) throw noRate({ place: [country, state].filter(Boolean).join(', ') })
        return tax
      },
      { keepsRawBody: true },
    ),
  ],
})
