import type { Stripe } from 'stripe'
import { readDiscount } from './coupons.ts'
import { invalid } from './errors.ts'
import type { Reader } from './form.ts'
import { makeId, newLine, newSession } from './objects.ts'
import type { World } from './world.ts'

const HOUR = 3_600
const MIN_TOTAL = 50
const MAX_TOTAL = 99_999_999
const INTERVALS = ['day', 'week', 'month', 'year'] as const
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))
const PARAMETERS = [
  'mode',
  'line_items',
  'discounts',
  'success_url',
  'cancel_url',
  'expires_at',
  'client_reference_id',
  'metadata',
  'payment_intent_data',
  'subscription_data',
  'customer_email',
  'allowed_payment_method_types',
  'branding_settings',
  'locale',
  'submit_type',
  'ui_mode',
  'expand',
]

/** POST /v1/checkout/sessions */
export function createSession(world: World, params: Reader, account: string | undefined, baseUrl: string) {
  params.only(...PARAMETERS)
  params.choice('ui_mode', ['hosted_page'])
  const mode = params.need('mode', params.choice('mode', ['payment', 'subscription']))
  const lines = readLines(world, params, mode)
  const sum = lines.reduce((sum, line) => sum + line.amount_total, 0)
  const currency = lines[0]?.currency ?? ''
  const discount = readDiscount(world, params, { account, currency, sum })
  const methods = params.texts('allowed_payment_method_types')
  const id = makeId('cs_test', 58)
  const session = newSession(world, {
    id,
    mode,
    amount_subtotal: sum,
    amount_total: checkTotal(sum - (discount?.amount ?? 0), mode),
    currency,
    discounts: discount ? [{ coupon: discount.coupon, promotion_code: null }] : [],
    total_details: { amount_discount: discount?.amount ?? 0, amount_shipping: 0, amount_tax: 0 },
    success_url: params.need('success_url', params.url('success_url')),
    cancel_url: params.url('cancel_url') ?? null,
    client_reference_id: params.text('client_reference_id', 200) ?? null,
    customer_email: params.email('customer_email') ?? null,
    expires_at: readExpiry(world, params),
    locale: params.text('locale') ?? null,
    metadata: params.metadata() ?? {},
    allowed_payment_method_types: methods.length > 0 ? methods : null,
    payment_method_types: methods.length > 0 ? methods : ['card'],
    submit_type: params.text('submit_type') ?? null,
    url: `${baseUrl}/pay/${id}`,
  })
  const branding = params.inside('branding_settings')
  branding?.only('display_name')
  const draft = {
    lines,
    discount,
    business: branding?.text('display_name') ?? '',
    intent: readMade(params, 'payment_intent_data', mode === 'payment', 'payment'),
    subscription: readMade(params, 'subscription_data', mode === 'subscription', 'subscription'),
  }
  world.drafts.set(id, draft)
  world.remind(session.expires_at)
  return world.add(session, account)
}

function readLines(world: World, params: Reader, mode: string): Stripe.LineItem[] {
  const given = params.list('line_items')
  if (given.length === 0) throw params.need('line_items', undefined)
  if (given.length > 100) throw invalid('Up to 100 line items are allowed.', 'line_items')
  const lines = given.map((line) => {
    line.only('price_data', 'quantity')
    const price = line.need('price_data', line.inside('price_data'))
    price.only('currency', 'unit_amount', 'product_data', 'recurring')
    const product = price.need('product_data', price.inside('product_data'))
    product.only('name', 'description', 'images', 'metadata')
    return newLine(world, {
      name: product.need('name', product.text('name')),
      amount: price.need('unit_amount', price.integer('unit_amount', 0, MAX_TOTAL)),
      quantity: line.need('quantity', line.integer('quantity', 1, 999_999)),
      currency: readCurrency(price),
      recurring: readRecurring(price),
    })
  })
  if (new Set(lines.map(({ currency }) => currency)).size > 1) {
    throw invalid('You cannot combine currencies on a single Checkout Session.', 'line_items')
  }
  const recurring = lines.filter(({ price }) => price?.recurring)
  if (mode === 'payment' && recurring.length > 0) {
    const message =
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.'
    throw invalid(message, 'line_items')
  }
  if (mode === 'subscription' && recurring.length === 0) {
    throw invalid(
      'You must provide at least one recurring price in `subscription` mode when using prices.',
      'line_items',
    )
  }
  return lines
}

function readCurrency(price: Reader): string {
  const currency = price.need('currency', price.text('currency')).toLowerCase()
  if (CURRENCIES.has(currency.toUpperCase())) return currency
  throw invalid(`Invalid currency: ${currency}.`, price.nameOf('currency'))
}

function readRecurring(price: Reader) {
  const recurring = price.inside('recurring')
  if (!recurring) return undefined
  recurring.only('interval', 'interval_count')
  return {
    interval: recurring.need('interval', recurring.choice('interval', INTERVALS)),
    interval_count: recurring.integer('interval_count', 1, 1_095) ?? 1,
  }
}

function checkTotal(total: number, mode: string): number {
  if (mode === 'payment' && total < MIN_TOTAL) {
    const message = "The Checkout Session's total amount due must add up to at least 50 of the currency's minor unit."
    throw invalid(message, 'line_items', 'amount_too_small')
  }
  if (total <= MAX_TOTAL) return total
  const message = "The Checkout Session's total amount must be no more than 999,999.99."
  throw invalid(message, 'line_items', 'amount_too_large')
}

function readExpiry(world: World, params: Reader): number {
  const at = params.integer('expires_at', 0)
  if (at === undefined) return world.now() + 24 * HOUR
  const inSeconds = at - world.now()
  // Both clocks are truncated to seconds, so "in 30 minutes" may look like one second less.
  if (inSeconds < HOUR / 2 - 1) {
    const message = 'The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.'
    throw invalid(message, 'expires_at')
  }
  if (inSeconds <= 24 * HOUR + 1) return at
  const message = 'The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.'
  throw invalid(message, 'expires_at')
}

function readMade(params: Reader, key: string, isAllowed: boolean, mode: string) {
  const given = params.inside(key)
  if (!given) return { metadata: {} }
  if (!isAllowed) throw invalid(`You can not pass \`${key}\` unless the mode is \`${mode}\`.`, key)
  given.only('metadata', 'description')
  return { metadata: given.metadata() ?? {}, description: given.text('description') }
}
