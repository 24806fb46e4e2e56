import type { Business, CalloutPoint, Market } from '#vocabulary/business.ts'
import type { AskServices } from './ask-services.ts'
import type { CalloutTest, Cart } from './schemas.ts'
import { getCallout } from './settings.ts'

const SHOWN = 10_000

/** Asks once with a made-up cart, whether or not the callout is enabled. Nothing of it is kept or counted. */
export async function testCallout(
  { askOnce }: Pick<AskServices, 'askOnce'>,
  business: Business,
  point: CalloutPoint,
  requestId: string,
): Promise<CalloutTest> {
  const callout = getCallout(business, point)
  const sent = { point, businessId: business.id, requestId, ...madeUpCart(business.markets[0], point) }
  const since = performance.now()
  const { status, text, problems } = await askOnce(callout, sent)
  return {
    isUsable: problems.length === 0,
    status,
    ms: Math.round(performance.now() - since),
    sent,
    received: text?.slice(0, SHOWN) ?? null,
    problems,
  }
}

function madeUpCart(market: Market | undefined, point: CalloutPoint): Cart {
  const address = {
    name: 'Ada Lovelace',
    company: null,
    street: 'Hafenstraße 1',
    street2: null,
    city: 'Hamburg',
    state: null,
    zip: '20095',
    country: 'DE',
    phone: null,
  }
  const method = point === 'shipping.rates' ? undefined : market?.shippingMethods[0]
  const made = { productId: 'prod_made-up', taxClass: 'standard' }
  return {
    market: market?.id ?? 'made-up',
    currency: market?.currency ?? 'EUR',
    pricesIncludeTax: market?.pricesIncludeTax ?? false,
    customerId: 'usr_made-up',
    shippingAddress: address,
    billingAddress: address,
    shippingMethodId: method?.id ?? null,
    shipping: method?.price ?? 0,
    discount: 500,
    lines: [
      {
        ...made,
        id: '1',
        variantId: 'red',
        sku: 'MADE-UP-1',
        quantity: 2,
        unitPrice: 2_000,
        totalPrice: 4_000,
        discount: 400,
      },
      {
        ...made,
        id: '2',
        variantId: 'blue',
        sku: 'MADE-UP-2',
        quantity: 1,
        unitPrice: 1_000,
        totalPrice: 1_000,
        discount: 100,
      },
    ],
  }
}
