import { claimMail, invitationMail } from '#modules/accounts/index.ts'
import { lowStockMail } from '#modules/catalog/index.ts'
import { newOrderMail, confirmationMail as orderMail, price, toPricingInput } from '#modules/checkout/index.ts'
import { subscriptionMail } from '#modules/newsletter/index.ts'
import { type OrderRow, shipmentMail } from '#modules/orders/index.ts'
import { type Business, type Market, STANDARD_TAX_CLASS, taxRateOf } from '#vocabulary/business.ts'
import { orderUrlOf } from '#vocabulary/origins.ts'

const EMAIL = 'ada@example.com'
const NUMBER = 'K7Q2-M9X3'
const ORDER_ID = 'ord_01jcq3v7k8f5t9x2m4n6p8r0sw'
const PRICE = 2_400
const QUANTITY = 2
const LINES = [{ id: 'line_1', name: 'Stoneware mug, Blue', quantity: QUANTITY, totalPrice: PRICE * QUANTITY }]
const NO_MARKET: Market = {
  id: '',
  name: '',
  currency: 'EUR',
  taxBps: 0,
  taxShipping: false,
  pricesIncludeTax: false,
  taxRates: [],
  shippingMethods: [],
  paymentMethods: [],
}
const link = (page: string) => `https://shop.example.com/${page}?token=an-example`

/** The mails of a business as it would send them now, about things that do not exist. */
export const MAIL_PREVIEWS = {
  'order-confirmation': (business: Business) =>
    orderMail(
      exampleOrder(business),
      business.name,
      business.defaultLocale,
      orderUrlOf(business, ORDER_ID),
      business.logo,
    ),
  shipment: (business: Business) =>
    shipmentMail(
      { number: NUMBER, lines: LINES },
      {
        lines: { line_1: QUANTITY },
        carrier: 'DHL',
        trackingNumber: '00340434161094042557',
        trackingUrl: 'https://www.dhl.com/track?number=00340434161094042557',
      },
      business.name,
      orderUrlOf(business, ORDER_ID),
      business.logo,
    ),
  claim: ({ name }: Business) => claimMail({ email: EMAIL, business: name, url: link('claim') }),
  'confirm-subscription': ({ name }: Business) => subscriptionMail(name, name, link('confirm')),
  'new-order': (business: Business) => newOrderMail(exampleOrder(business), business.name, business.defaultLocale),
  'low-stock': () =>
    lowStockMail([
      { product: 'Stoneware mug', variant: 'Blue', sku: 'MUG-BLUE', quantity: 2 },
      { product: 'Enamel lantern', variant: '', sku: '', quantity: 0 },
    ]),
  invitation: ({ name }: Business) =>
    invitationMail({ email: EMAIL, business: name, role: 'Editors', url: link('invitation') }),
}

/** Two mugs in the first market, priced there as a checkout would. */
function exampleOrder({ markets: [market = NO_MARKET] }: Business): OrderRow {
  const line = { productId: 'mug', variantId: 'blue', quantity: QUANTITY, unitPrice: PRICE }
  const taxed = { ...line, taxClass: STANDARD_TAX_CLASS, taxBps: taxRateOf(market, STANDARD_TAX_CLASS) }
  const { lines: _lines, ...figures } = price(toPricingInput([taxed], market, market.shippingMethods[0], undefined))
  return { number: NUMBER, contactEmail: EMAIL, lines: LINES, ...figures } as unknown as OrderRow
}
