import type { Stripe } from 'stripe'
import { makeId, newCharge } from './objects.ts'
import type { World } from './world.ts'

export function succeed(world: World, intent: Stripe.PaymentIntent, email: string | null): void {
  const charge = world.add(newCharge(world, intent, email), world.accountOf(intent.id))
  intent.status = 'succeeded'
  intent.amount_received = intent.amount
  intent.latest_charge = charge.id
  intent.payment_method = charge.payment_method
  intent.last_payment_error = null
  world.emit('payment_intent.succeeded', intent)
}

export function fail(world: World, intent: Stripe.PaymentIntent): void {
  intent.status = 'requires_payment_method'
  intent.last_payment_error = {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: 'Your card was declined.',
    charge: makeId('ch'),
  }
  world.emit('payment_intent.payment_failed', intent)
}
