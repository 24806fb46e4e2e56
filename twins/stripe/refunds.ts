import type { Stripe } from 'stripe'
import { missing, notPossible } from './errors.ts'
import type { Reader } from './form.ts'
import { formatMoney } from './money.ts'
import { newRefund } from './objects.ts'
import type { World } from './world.ts'

const REASONS = ['duplicate', 'fraudulent', 'requested_by_customer'] as const

/** POST /v1/refunds */
export function createRefund(world: World, params: Reader, account: string | undefined): Stripe.Refund {
  params.only('payment_intent', 'amount', 'metadata', 'reason', 'expand')
  const id = params.need('payment_intent', params.text('payment_intent'))
  return refund(world, world.get('payment_intent', id, account, 'payment_intent'), {
    amount: params.integer('amount', 1),
    metadata: params.metadata() ?? {},
    reason: params.choice('reason', REASONS) ?? null,
  })
}

type Asked = { amount?: number | undefined } & Partial<Pick<Stripe.Refund, 'metadata' | 'reason'>>

export function refund(world: World, intent: Stripe.PaymentIntent, asked: Asked): Stripe.Refund {
  const charge = world.find('charge', intent.latest_charge)
  if (!charge) {
    throw notPossible(
      `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
      'payment_intent',
    )
  }
  if (charge.refunded) {
    throw notPossible(`Charge ${charge.id} has already been refunded.`, undefined, 'charge_already_refunded')
  }
  const left = charge.amount - charge.amount_refunded
  const amount = asked.amount ?? left
  if (amount > left) {
    const [wanted, rest] = [amount, left].map((money) => formatMoney(money, charge.currency))
    throw notPossible(`Refund amount (${wanted}) is greater than unrefunded amount on charge (${rest})`, 'amount')
  }
  const made = newRefund(world, { charge, amount, metadata: asked.metadata ?? {}, reason: asked.reason ?? null })
  world.add(made, world.accountOf(intent.id))
  world.emit('refund.created', made)
  moveRefunded(charge, amount)
  world.emit('charge.refunded', charge)
  made.destination_details = { card: { type: 'refund', reference_status: 'pending' }, type: 'card' }
  world.emit('refund.updated', made)
  return made
}

/** The customer's bank sends the money back: the refund has not happened after all. */
export function failRefund(world: World, id: string): Stripe.Refund {
  const made = world.find('refund', id)
  if (!made) throw missing('refund', id)
  if (made.status === 'failed') throw notPossible(`The refund ${id} has failed already.`)
  made.status = 'failed'
  made.failure_reason = 'expired_or_canceled_card'
  const charge = world.find('charge', made.charge)
  if (charge) moveRefunded(charge, -made.amount)
  world.emit('refund.updated', made)
  world.emit('refund.failed', made)
  return made
}

function moveRefunded(charge: Stripe.Charge, amount: number): void {
  charge.amount_refunded += amount
  charge.refunded = charge.amount_refunded === charge.amount
}
