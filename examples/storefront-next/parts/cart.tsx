'use client'
import type { Quote, ShippingMethod } from '@kontor/sdk'
import { useEffect, useState } from 'react'
import { type CartLine, type Client, openKontor, setQuantity, useCart } from '../lib/cart.ts'
import { messageOf } from '../lib/message.ts'
import { formatPrice } from '../lib/prices.ts'
import type { Words } from '../lib/words.ts'
import { CheckoutForm } from './checkout-form.tsx'

type Props = { client: Client; shippingMethods: ShippingMethod[]; words: Words }

const itemsOf = (lines: readonly CartLine[]) =>
  lines.map(({ productId, variantId, quantity }) => ({ productId, variantId, quantity }))

/** Lines, what they cost, and the checkout. Prices are always the service's: each change asks for a quote. */
export function Cart({ client, shippingMethods, words }: Props) {
  const lines = useCart()
  const [shippingMethodId, setShippingMethodId] = useState(shippingMethods[0]?.id)
  const [quote, setQuote] = useState<Quote>()
  const [problem, setProblem] = useState('')

  useEffect(() => {
    if (!lines?.length) return
    const leaving = new AbortController()
    openKontor(client)
      .quote({ items: itemsOf(lines), shippingMethodId }, { signal: leaving.signal })
      .then(
        (answer) => {
          setQuote(answer)
          setProblem('')
        },
        (error: unknown) => {
          if (leaving.signal.aborted) return
          setQuote(undefined)
          setProblem(messageOf(error, words))
        },
      )
    return () => leaving.abort()
  }, [lines, shippingMethodId])

  if (!lines) return null
  if (lines.length === 0) return <p className="notice">{words.cartEmpty}</p>
  const inWords = (amount: number) => (quote ? formatPrice(amount, quote.currency, client.locale) : '')
  return (
    <div className="cart">
      <div>
        <ul className="lines">
          {lines.map((line, index) => (
            <li key={line.productId + line.variantId}>
              {line.image && <img src={line.image} alt="" width={96} height={96} />}
              <a href={`/${client.locale}/p/${line.slug}?variant=${line.variantId}`}>
                {line.name}
                {line.variantName && <span className="soft">{line.variantName}</span>}
              </a>
              <input
                type="number"
                min={1}
                max={99}
                aria-label={`${words.quantity}: ${line.name}`}
                value={line.quantity}
                onChange={({ target }) => setQuantity(line, Math.max(1, Math.min(99, target.valueAsNumber || 1)))}
              />
              <span className="line-price">{inWords(quote?.lines[index]?.totalPrice ?? 0)}</span>
              <button className="plain" type="button" onClick={() => setQuantity(line, 0)}>
                {words.remove}
              </button>
            </li>
          ))}
        </ul>
        <fieldset className="shipping">
          <legend>{words.shipping}</legend>
          {shippingMethods.map(({ id, name }) => (
            <label className="check" key={id}>
              <input
                type="radio"
                name="shipping"
                checked={id === shippingMethodId}
                onChange={() => setShippingMethodId(id)}
              />
              {name}
            </label>
          ))}
        </fieldset>
      </div>
      <div className="panel">
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        {quote && (
          <dl className="sums">
            <Sum name={words.subtotal} amount={inWords(quote.subtotal)} />
            {quote.discount > 0 && <Sum name={words.discount} amount={`−${inWords(quote.discount)}`} />}
            <Sum name={words.shipping} amount={inWords(quote.shipping)} />
            {quote.tax > 0 && <Sum name={words.tax} amount={inWords(quote.tax)} />}
            <Sum name={words.total} amount={inWords(quote.total)} isAll />
            {quote.taxIncluded > 0 && <Sum name={words.includesTax} amount={inWords(quote.taxIncluded)} />}
          </dl>
        )}
        <CheckoutForm client={client} items={itemsOf(lines)} shippingMethodId={shippingMethodId} words={words} />
      </div>
    </div>
  )
}

const Sum = ({ name, amount, isAll }: { name: string; amount: string; isAll?: boolean }) => (
  <div className={isAll ? 'all' : undefined}>
    <dt>{name}</dt>
    <dd>{amount}</dd>
  </div>
)
