'use client'
import type { AddressFormat, CheckoutRequest } from '@kontor/sdk'
import { type FormEvent, useEffect, useState } from 'react'
import { type Client, openKontor } from '../lib/cart.ts'
import { messageOf } from '../lib/message.ts'
import type { Words } from '../lib/words.ts'

/** Where each market sends to. */
const COUNTRIES: Partial<Record<string, string>> = {
  us: 'US',
  eu: 'DE AT BE BG CY CZ DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK',
}
const FIELDS = ['name', 'street', 'street2', 'zip', 'city', 'state'] as const
const AUTOCOMPLETE = {
  name: 'name',
  street: 'address-line1',
  street2: 'address-line2',
  zip: 'postal-code',
  city: 'address-level2',
  state: 'address-level1',
}

type Props = {
  client: Client
  items: CheckoutRequest['items']
  shippingMethodId: string | undefined
  words: Words
}

/** Asks for what the chosen country needs, makes the order, and leads to the payment page. */
export function CheckoutForm({ client, items, shippingMethodId, words }: Props) {
  const countries = (COUNTRIES[client.market] ?? 'US').split(' ')
  const [country, setCountry] = useState(countries[0] ?? '')
  const [formats, setFormats] = useState<AddressFormat[]>()
  const [isPaying, setPaying] = useState(false)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    openKontor(client)
      .addressFormats()
      .then(setFormats, () => setFormats([]))
  }, [])

  async function pay(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const typed = (name: string) => (form.get(name) as string | null)?.trim() ?? ''
    const address = FIELDS.map((name) => [name, typed(name)]).filter(([, text]) => text)
    const here = `${window.location.origin}/${client.locale}`
    const body = {
      items,
      shippingMethodId,
      email: typed('email'),
      shippingAddress: { ...Object.fromEntries(address), country },
      returnUrl: `${here}/order`,
      cancelUrl: `${here}/cart`,
    }
    setPaying(true)
    try {
      const { orderId, checkoutUrl } = await openKontor(client).checkout(body, { idempotencyKey: keyFor(body) })
      window.location.href = checkoutUrl ?? `/${client.locale}/order?orderId=${orderId}`
    } catch (error) {
      setPaying(false)
      sessionStorage.removeItem(ATTEMPT) // an order that is over is not paid again: the next try is another one
      setProblem(messageOf(error, words))
    }
  }

  const format = formats?.find((each) => each.country === country)
  const asked = FIELDS.filter((name) => format?.fields.includes(name) ?? name !== 'street2')
  return (
    <form className="form" onSubmit={(event) => void pay(event)}>
      <label className="field">
        {words.email}
        <input name="email" type="email" autoComplete="email" required />
      </label>
      {countries.length > 1 && (
        <label className="field">
          {words.country}
          <select value={country} onChange={({ target }) => setCountry(target.value)} autoComplete="country">
            {countries.map((code) => (
              <option key={code} value={code}>
                {new Intl.DisplayNames(client.locale, { type: 'region' }).of(code)}
              </option>
            ))}
          </select>
        </label>
      )}
      {asked.map((name) => (
        <label className="field" key={name}>
          {words[name]}
          <input
            name={name}
            autoComplete={AUTOCOMPLETE[name]}
            maxLength={200}
            required={format?.required.includes(name) ?? false}
          />
        </label>
      ))}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <button className="button" disabled={isPaying}>
        {words.pay}
      </button>
    </form>
  )
}

const ATTEMPT = 'checkout'

/** Who comes back from the payment page and pays the same cart again gets the same order, not a second one. */
function keyFor(body: object): string {
  const text = JSON.stringify(body)
  const kept = JSON.parse(sessionStorage.getItem(ATTEMPT) ?? '{}') as { text?: string; key?: string }
  if (kept.text === text && kept.key) return kept.key
  const key = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
  sessionStorage.setItem(ATTEMPT, JSON.stringify({ text, key }))
  return key
}
