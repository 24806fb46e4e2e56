import { exponentOf } from '#vocabulary/currencies.ts'

// Stripe counts some currencies in other units than ISO 4217 does: krónur and Ugandan shillings in hundredths that nobody can
// pay, ariary in whole ones.
const STRIPE_EXPONENTS: Record<string, number> = { ISK: 2, UGX: 2, MGA: 0 }

/** What the provider takes at all, in its own minor units. */
const [MIN, MAX] = [50, 99_999_999]

const shiftOf = (currency: string) => (STRIPE_EXPONENTS[currency] ?? exponentOf(currency)) - exponentOf(currency)

export const toProviderAmount = (amount: number, currency: string) => scale(amount, shiftOf(currency))
export const fromProviderAmount = (amount: number, currency: string) => scale(amount, -shiftOf(currency))

const scale = (amount: number, digits: number) => (digits >= 0 ? amount * 10 ** digits : amount / 10 ** -digits)

/** Whether the provider can charge this: large and small enough, and in units that it knows. */
export const isPayable = (amount: number, currency: string) =>
  isChargeable(amount, currency) && toProviderAmount(amount, currency) >= MIN

/** The same for a part of what is charged: it may be as little as nothing. */
export function isChargeable(amount: number, currency: string): boolean {
  const asked = toProviderAmount(amount, currency)
  const step = exponentOf(currency) === 3 ? 10 : 1 // of three digits it takes two
  return Number.isInteger(asked) && asked % step === 0 && asked <= MAX
}
