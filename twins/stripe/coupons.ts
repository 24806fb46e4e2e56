import type { Stripe } from 'stripe'
import { invalid } from './errors.ts'
import type { Reader } from './form.ts'
import { makeId } from './objects.ts'
import type { World } from './world.ts'

/** POST /v1/coupons */
export function createCoupon(world: World, params: Reader, account: string | undefined): Stripe.Coupon {
  params.only('id', 'amount_off', 'currency', 'duration', 'max_redemptions', 'name', 'metadata', 'expand')
  const id = params.text('id') ?? makeId('coupon', 8)
  if (world.find('coupon', id)) throw invalid('Coupon already exists.', 'id', 'resource_already_exists')
  return world.add(
    {
      id,
      object: 'coupon',
      amount_off: params.need('amount_off', params.integer('amount_off', 1, 99_999_999)),
      created: world.now(),
      currency: params.need('currency', params.text('currency')).toLowerCase(),
      duration: params.need('duration', params.choice('duration', ['once', 'forever'])),
      duration_in_months: null,
      livemode: false,
      max_redemptions: params.integer('max_redemptions', 1) ?? null,
      metadata: params.metadata() ?? {},
      name: params.text('name', 40) ?? null,
      percent_off: null,
      redeem_by: null,
      times_redeemed: 0,
      valid: true,
    },
    account,
  )
}

export type Discount = { coupon: string; name: string; amount: number }

/** The discount of a session, if it has a coupon of its own account and currency. */
export function readDiscount(
  world: World,
  params: Reader,
  { account, currency, sum }: { account: string | undefined; currency: string; sum: number },
): Discount | undefined {
  const [given, ...more] = params.list('discounts')
  if (more.length > 0) throw invalid('You may only specify one discount.', 'discounts')
  if (!given) return undefined
  given.only('coupon')
  const coupon = world.get('coupon', given.need('coupon', given.text('coupon')), account, given.nameOf('coupon'))
  if (coupon.currency !== currency) {
    throw invalid(`The coupon ${coupon.id} is in ${coupon.currency}, the session in ${currency}.`, 'discounts')
  }
  return { coupon: coupon.id, name: coupon.name ?? '', amount: Math.min(coupon.amount_off ?? 0, sum) }
}
