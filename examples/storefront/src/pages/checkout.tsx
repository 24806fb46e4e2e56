import type { KontorError } from '@kontor/sdk'
import { useEffect, useState } from 'preact/hooks'
import { Field } from '../parts/field.tsx'
import { FormProblem, Notice, wordsOf } from '../parts/notices.tsx'
import { Select } from '../parts/select.tsx'
import { Summary } from '../parts/summary.tsx'
import { useTitle } from '../parts/title.ts'
import { useWaking } from '../parts/use-waking.ts'
import { useCart, useChoices } from '../state/cart.ts'
import { askedIn, checkOut, type Details, useAddressFormats } from '../state/checkout.ts'
import { kontor, useSession } from '../state/kontor.ts'
import { type Choice, countriesOf, US_STATES } from '../state/places.ts'
import { lineProblem, useQuote } from '../state/quote.ts'
import { go } from '../state/router.ts'
import { keep, readKept } from '../state/storage.ts'

const NOBODY: Details = {
  email: '',
  name: '',
  street: '',
  street2: '',
  city: '',
  state: '',
  zip: '',
  country: '',
  phone: '',
}

type Shown = { label: string; autocomplete: string; type?: 'email' | 'tel'; class?: string }
const FIELDS: Record<keyof Details, Shown> = {
  email: { label: 'Email', autocomplete: 'email', type: 'email' },
  name: { label: 'Full name', autocomplete: 'name' },
  street: { label: 'Street and number', autocomplete: 'address-line1' },
  street2: { label: 'Flat, floor or company', autocomplete: 'address-line2' },
  country: { label: 'Country', autocomplete: 'country' },
  zip: { label: 'Postcode', autocomplete: 'postal-code', class: 'short' },
  city: { label: 'Town', autocomplete: 'address-level2', class: 'long' },
  state: { label: 'State', autocomplete: 'address-level1', class: 'long' },
  phone: { label: 'Phone', autocomplete: 'tel', type: 'tel' },
}

/** Words that a country has for its own. */
const LABELS: Record<string, Partial<Record<keyof Details, string>>> = {
  US: { zip: 'ZIP code', city: 'City' },
  JP: { state: 'Prefecture', street: 'City, street and number' },
  CA: { state: 'Province', city: 'City' },
  IE: { state: 'County', zip: 'Eircode' },
  IT: { state: 'Province' },
  ES: { state: 'Province' },
}

export function CheckoutPage() {
  useTitle('Check out')
  const cart = useCart()
  const choices = useChoices()
  const session = useSession()
  const { value, error, market } = useQuote()
  const [typed, setDetails] = useState(() => ({ ...NOBODY, ...readKept('details', NOBODY) }))
  const [state, setState] = useState<{ isSending?: boolean; error?: KontorError }>({})
  const set = (changes: Partial<Details>) =>
    setDetails((before) => {
      const next = { ...before, ...changes }
      keep('details', next)
      return next
    })

  // Who has an account need not type what it knows.
  useEffect(() => {
    if (!session || session.isGuest) return
    kontor.me.get().then(
      ({ email, name }) =>
        setDetails((before) => ({ ...before, email: email ?? before.email, name: before.name || name || '' })),
      () => {},
    )
  }, [session?.userId])

  // What was chosen before may be of another market.
  const countries = countriesOf(market)
  const [only, another] = countries
  const known = countries.some(({ value }) => value === typed.country) ? typed.country : ''
  const details = { ...typed, country: known || (another ? '' : (only?.value ?? '')) }
  const { value: formats } = useAddressFormats()
  const asked = askedIn(details.country, formats)
  const lists: Partial<Record<keyof Details, readonly Choice[]>> = {
    country: countries,
    ...(details.country === 'US' && { state: US_STATES }),
  }

  useWaking(() => setState({}))

  if (cart.length === 0) {
    return <Notice title="Your cart is empty" action={{ href: '/shop', label: 'Look around' }} />
  }

  async function pay(event: Event) {
    event.preventDefault()
    if (!market || state.isSending) return
    setState({ isSending: true })
    try {
      // A code that does not count is not sent along: what is ordered is what is shown.
      const counted = value?.promoProblem ? { ...choices, promoCode: '' } : choices
      const to = await checkOut(cart, counted, market, details, asked)
      if (to.startsWith('/')) go(to)
      else window.location.assign(to)
    } catch (error) {
      setState({ error: error as KontorError })
    }
  }

  const failed = state.error ?? error
  const gone = cart.filter((_, index) => lineProblem(state.error, index))
  return (
    <div class="wrap section">
      <h1>Check out</h1>
      <form class="two" onSubmit={(event) => void pay(event)}>
        <div class="details" data-order={asked.map(({ name }) => name).join(' ')}>
          <h2>Where it goes</h2>
          {asked.map(({ name, isRequired }) => {
            const choices = lists[name]
            const label = LABELS[details.country]?.[name] ?? FIELDS[name].label
            const field = {
              ...FIELDS[name],
              label: isRequired ? label : `${label} (optional)`,
              name,
              value: details[name],
              problem: problemOf(state.error, name),
              onValue: (value: string) => set({ [name]: value }),
            }
            return choices ? (
              <Select key={name} {...field} choices={choices} />
            ) : (
              <Field key={name} required={isRequired} {...field} />
            )
          })}
        </div>
        <section class="panel" aria-label="What it costs">
          <ul class="short-lines">
            {cart.map((line) => (
              <li key={line.productId + line.variantId}>
                <span>
                  {line.quantity} × {line.name}
                  {line.variantName && <small>{line.variantName}</small>}
                </span>
              </li>
            ))}
          </ul>
          <p class="edit">
            <a href="/cart">Change</a>
          </p>
          <Summary figures={value?.quote} />
          {value?.promoProblem && <p class="small">Without the promo code: {value.promoProblem}</p>}
          {failed && (
            <FormProblem>
              {gone.length > 0 ? `Not enough left of: ${gone.map(({ name }) => name).join(', ')}.` : wordsOf(failed)}{' '}
              {gone.length > 0 && <a href="/cart">Change your cart</a>}
            </FormProblem>
          )}
          <button class="button wide" type="submit" disabled={state.isSending || !value || Boolean(error)}>
            {state.isSending ? 'One moment …' : 'Pay'}
          </button>
          <p class="small">You pay on the next page. The order is kept for an hour.</p>
        </section>
      </form>
    </div>
  )
}

const problemOf = (error: KontorError | undefined, name: keyof Details) =>
  error?.details.find(({ field }) => field === name || field === `shippingAddress.${name}`)?.message
