import { type Admin, type Call, caller } from './first-steps.ts'

export type Suggestion = { about: string; command: string }

type Variant = { id: string; pricing?: { markets?: { marketId: string }[] } }
type Product = { id: string; name: string; variants: Variant[] }

/** The business to show: the last one, or the account's first. */
export async function findBusiness(
  url: string,
  { apiKey }: Admin,
  last: string | undefined,
): Promise<string | undefined> {
  const call = caller(url, { 'x-api-key': apiKey })
  if (last && (await call('GET', `/v1/businesses/${last}`)).status === 200) return last
  return (await call('GET', '/v1/businesses?limit=1')).body?.items?.[0]?.id
}

/** Three API calls to paste into a terminal, with ids that exist. */
export async function suggest(url: string, { apiKey }: Admin, businessId: string | undefined): Promise<Suggestion[]> {
  const key = `-H 'x-api-key: ${apiKey}'`
  const business = `/v1/businesses/${businessId}`
  const found = businessId ? await findOnSale(caller(url, { 'x-api-key': apiKey }), businessId) : undefined
  if (!businessId || !found) {
    return [
      { about: 'Who am I?', command: lines(`curl ${url}/v1/users/me`, key) },
      {
        about: 'Make a business',
        command: lines(`curl ${url}/v1/businesses`, key, json({ name: 'My first business' })),
      },
      { about: 'List my businesses', command: lines(`curl ${url}/v1/businesses`, key) },
    ]
  }
  const { product, wish } = found
  const word = /[\p{L}\d]{3,}/u.exec(product.name)?.[0] ?? ''
  const query = encodeURIComponent(word.toLowerCase())
  return [
    { about: 'Search products', command: lines(`curl '${url}${business}/products?query=${query}&limit=3'`, key) },
    {
      about: 'What would it cost?',
      command: lines(`curl ${url}/v1/payments/quote`, key, json({ businessId, ...wish })),
    },
    {
      about: 'Buy it: open the checkoutUrl of the answer to pay',
      command: lines(`curl ${url}${business}/orders/checkout`, key, json(wish)),
    },
  ]
}

/** Breaks a command into lines that fit a terminal. */
const lines = (...parts: string[]) => parts.join(' \\\n  ')

/** A JSON body with line breaks after some commas. */
function json(body: object): string {
  const text = JSON.stringify(body)
    .replaceAll("'", '')
    .replace(/(,)("items"|"variantId")/g, '$1\n   $2')
  return `-H 'content-type: application/json' \\\n  -d '${text}'`
}

type Market = { id: string; shippingMethods: { id: string }[] }

/** The first product that can be bought, according to a quote. */
async function findOnSale(call: Call, businessId: string) {
  const business = await call('GET', `/v1/businesses/${businessId}`)
  const markets = new Map(((business.body?.markets ?? []) as Market[]).map((market) => [market.id, market]))
  const { body } = await call('GET', `/v1/businesses/${businessId}/products?limit=20`)
  for (const product of (body?.items ?? []) as Product[]) {
    for (const { id: variantId, pricing } of product.variants.slice(0, 3)) {
      const market = markets.get(pricing?.markets?.[0]?.marketId ?? '')
      if (!market) continue
      const shippingMethodId = market.shippingMethods[0]?.id
      const items = [{ productId: product.id, variantId, quantity: 1 }]
      const wish = { market: market.id, ...(shippingMethodId ? { shippingMethodId } : {}), items }
      if ((await call('POST', '/v1/payments/quote', { businessId, ...wish })).status === 200) return { product, wish }
    }
  }
  return undefined
}
