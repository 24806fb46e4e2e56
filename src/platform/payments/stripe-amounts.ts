import { exponentOf, stepOf } from '#vocabulary/currencies.ts'

// Stripe counts some currencies in other units than ISO 4217 does: krónur and Ugandan shillings in hundredths that
// nobody can pay, ariary in whole ones.
const STRIPE_EXPONENTS: Record<string, number> = { ISK: 2, UGX: 2, MGA: 0 }

/** Stripe's smallest and largest amount, in its own minor units. */
const [MIN, MAX] = [50, 99_999_999]

const shiftOf = (currency: string) => (STRIPE_EXPONENTS[currency] ?? exponentOf(currency)) - exponentOf(currency)

export const toStripeAmount = (amount: number, currency: string) => scale(amount, shiftOf(currency))
export const fromStripeAmount = (amount: number, currency: string) => scale(amount, -shiftOf(currency))

const scale = (amount: number, digits: number) => (digits >= 0 ? amount * 10 ** digits : amount / 10 ** -digits)

export const isPayable = (amount: number, currency: string) =>
  isChargeable(amount, currency) && toStripeAmount(amount, currency) >= MIN

export const isChargeable = (amount: number, currency: string) =>
  amount % stepOf(currency) === 0 && toStripeAmount(amount, currency) <= MAX
