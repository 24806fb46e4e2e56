import { randomInt } from 'node:crypto'
import { Stripe } from 'stripe'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export const makeId = (prefix: string, length = 24) =>
  `${prefix}_${Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('')}`

type Clock = { now: () => number }
type Line = { name: string; amount: number; quantity: number; currency: string; recurring?: Recurring }
export type Recurring = { interval: 'day' | 'week' | 'month' | 'year'; interval_count: number }

export function newLine({ now }: Clock, line: Line): Stripe.LineItem {
  const total = line.amount * line.quantity
  const recurring = line.recurring && {
    ...line.recurring,
    meter: null,
    trial_period_days: null,
    usage_type: 'licensed',
  }
  return {
    id: makeId('li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: total,
    amount_tax: 0,
    amount_total: total,
    currency: line.currency,
    description: line.name,
    metadata: {},
    price: {
      id: makeId('price'),
      object: 'price',
      active: false,
      billing_scheme: 'per_unit',
      created: now(),
      currency: line.currency,
      custom_unit_amount: null,
      livemode: false,
      lookup_key: null,
      metadata: {},
      nickname: null,
      product: makeId('prod', 14),
      recurring: recurring ?? null,
      tax_behavior: 'unspecified',
      tiers_mode: null,
      transform_quantity: null,
      type: recurring ? 'recurring' : 'one_time',
      unit_amount: line.amount,
      unit_amount_decimal: onTheWire(line.amount),
    },
    quantity: line.quantity,
  }
}

// The SDK parses decimals from strings; on the wire they are strings.
const onTheWire = (amount: number) => String(amount) as unknown as Stripe.Price['unit_amount_decimal']

export type SessionFields = Pick<
  Stripe.Checkout.Session,
  | 'id'
  | 'allowed_payment_method_types'
  | 'amount_subtotal'
  | 'amount_total'
  | 'cancel_url'
  | 'client_reference_id'
  | 'currency'
  | 'customer_email'
  | 'discounts'
  | 'expires_at'
  | 'locale'
  | 'metadata'
  | 'mode'
  | 'payment_method_types'
  | 'submit_type'
  | 'success_url'
  | 'total_details'
  | 'url'
>

export const newSession = ({ now }: Clock, fields: SessionFields): Stripe.Checkout.Session => ({
  object: 'checkout.session',
  adaptive_pricing: { enabled: false },
  after_expiration: null,
  allow_promotion_codes: null,
  automatic_tax: { enabled: false, liability: null, provider: null, status: null },
  billing_address_collection: null,
  client_secret: null,
  collected_information: null,
  consent: null,
  consent_collection: null,
  created: now(),
  currency_conversion: null,
  custom_fields: [],
  custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
  customer: null,
  customer_account: null,
  customer_creation: fields.mode === 'payment' ? 'if_required' : 'always',
  customer_details: null,
  integration_identifier: null,
  invoice: null,
  invoice_creation: null,
  livemode: false,
  managed_payments: { enabled: false },
  origin_context: null,
  payment_intent: null, // created at the first attempt to pay
  payment_link: null,
  payment_method_collection: fields.mode === 'payment' ? 'if_required' : 'always',
  payment_method_configuration_details: null,
  payment_method_options: { card: { request_three_d_secure: 'automatic' } },
  payment_status: 'unpaid',
  permissions: null,
  phone_number_collection: { enabled: false },
  recovered_from: null,
  saved_payment_method_options: null,
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  shipping_options: [],
  status: 'open',
  subscription: null,
  ui_mode: 'hosted_page',
  wallet_options: null,
  ...fields,
})

type IntentFields = Pick<Stripe.PaymentIntent, 'amount' | 'currency' | 'description' | 'metadata' | 'customer'>

export function newIntent({ now }: Clock, fields: IntentFields): Stripe.PaymentIntent {
  const id = makeId('pi')
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: makeId(`${id}_secret`),
    confirmation_method: 'automatic',
    created: now(),
    customer_account: null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
    ...fields,
  }
}

export function newCharge({ now }: Clock, intent: Stripe.PaymentIntent, email: string | null): Stripe.Charge {
  const id = makeId('ch')
  return {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: intent.amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: makeId('txn'),
    billing_details: { address: null, email, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: 'TWIN',
    captured: true,
    created: now(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: false,
    metadata: { ...intent.metadata },
    on_behalf_of: null,
    outcome: null,
    paid: true,
    payment_intent: intent.id,
    payment_method: makeId('pm'),
    payment_method_details: null,
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'succeeded',
    transfer_data: null,
    transfer_group: null,
  }
}

type RefundFields = { charge: Stripe.Charge; amount: number } & Pick<Stripe.Refund, 'metadata' | 'reason'>

export const newRefund = ({ now }: Clock, { charge, ...fields }: RefundFields): Stripe.Refund => ({
  id: makeId('re'),
  object: 'refund',
  balance_transaction: makeId('txn'),
  charge: charge.id,
  created: now(),
  currency: charge.currency,
  customer: null,
  customer_account: null,
  payment_intent: charge.payment_intent,
  payment_method: charge.payment_method,
  receipt_number: null,
  source_transfer_reversal: null,
  status: 'succeeded',
  transfer_reversal: null,
  ...fields,
})

type SubscriptionFields = Pick<Stripe.Subscription, 'currency' | 'customer' | 'description' | 'metadata'> & {
  lines: Stripe.LineItem[]
  periodEnd: number
}

export function newSubscription({ now }: Clock, fields: SubscriptionFields): Stripe.Subscription {
  const { lines, periodEnd, ...rest } = fields
  const id = makeId('sub')
  const items = lines.map((line) => ({
    id: makeId('si', 14),
    object: 'subscription_item',
    billing_thresholds: null,
    created: now(),
    current_period_end: periodEnd,
    current_period_start: now(),
    current_trial: null,
    discounts: [],
    metadata: {},
    price: line.price,
    quantity: line.quantity,
    subscription: id,
    tax_rates: [],
  }))
  return {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: now(),
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: null, type: 'classic' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: now(),
    customer_account: null,
    days_until_due: null,
    default_payment_method: makeId('pm'),
    default_source: null,
    default_tax_rates: [],
    discounts: [],
    ended_at: null,
    invoice_settings: { account_tax_ids: null, issuer: { type: 'self' } } as Stripe.Subscription['invoice_settings'],
    items: listOf(items, `/v1/subscription_items?subscription=${id}`) as unknown as Stripe.Subscription['items'],
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: null,
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: now(),
    status: 'incomplete',
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: null,
    trial_start: null,
    ...rest,
  }
}

type InvoiceFields = { subscription: Stripe.Subscription; reason: Stripe.Invoice.BillingReason } & Pick<
  Stripe.Invoice,
  'total' | 'customer_email' | 'period_start' | 'period_end'
>

export const newInvoice = ({ now }: Clock, { subscription, reason, ...fields }: InvoiceFields): Stripe.Invoice => ({
  id: makeId('in'),
  object: 'invoice',
  account_country: null,
  account_name: null,
  account_tax_ids: null,
  amount_due: fields.total,
  amount_overpaid: 0,
  amount_paid: 0,
  amount_remaining: fields.total,
  amount_shipping: 0,
  application: null,
  attempt_count: 1,
  attempted: true,
  auto_advance: false,
  automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
  automatically_finalizes_at: null,
  billing_reason: reason,
  collection_method: 'charge_automatically',
  created: now(),
  currency: subscription.currency,
  custom_fields: null,
  customer: subscription.customer,
  customer_account: null,
  customer_address: null,
  customer_name: null,
  customer_phone: null,
  customer_shipping: null,
  customer_tax_exempt: 'none',
  default_payment_method: null,
  default_source: null,
  default_tax_rates: [],
  description: null,
  discounts: [],
  due_date: null,
  effective_at: now(),
  ending_balance: 0,
  footer: null,
  from_invoice: null,
  hosted_invoice_url: null,
  invoice_pdf: null,
  issuer: { type: 'self' },
  last_finalization_error: null,
  latest_revision: null,
  lines: listOf([], '/v1/invoices/lines'),
  livemode: false,
  metadata: {},
  next_payment_attempt: null,
  number: makeId('TWIN', 8).toUpperCase(),
  on_behalf_of: null,
  parent: {
    quote_details: null,
    subscription_details: { metadata: { ...subscription.metadata }, subscription: subscription.id },
    type: 'subscription_details',
  },
  payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
  post_payment_credit_notes_amount: 0,
  pre_payment_credit_notes_amount: 0,
  receipt_number: null,
  rendering: null,
  shipping_cost: null,
  shipping_details: null,
  starting_balance: 0,
  statement_descriptor: null,
  status: 'open',
  status_transitions: { finalized_at: now(), marked_uncollectible_at: null, paid_at: null, voided_at: null },
  subtotal: fields.total,
  subtotal_excluding_tax: fields.total,
  test_clock: null,
  total_discount_amounts: [],
  total_excluding_tax: fields.total,
  total_pretax_credit_amounts: [],
  total_taxes: [],
  webhooks_delivered_at: null,
  ...fields,
})

type EventFields = {
  type: string
  thing: object
  account?: string | undefined
  previous?: object | undefined
  world: Clock & { request: Stripe.Event.Request }
}

export const newEvent = ({ type, thing, account, previous, world }: EventFields) =>
  ({
    id: makeId('evt'),
    object: 'event',
    ...(account && { account }),
    api_version: Stripe.API_VERSION,
    created: world.now(),
    data: { object: thing, ...(previous && { previous_attributes: previous }) },
    livemode: false,
    pending_webhooks: 1,
    request: { ...world.request },
    type,
  }) as Stripe.Event

export const listOf = <T>(data: T[], url: string, hasMore = false) => ({
  object: 'list' as const,
  data,
  has_more: hasMore,
  url,
})
