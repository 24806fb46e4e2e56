'use client'
import { type Order as OrderRecord, paymentStatusOf } from '@kontor/sdk'
import { useEffect, useState } from 'react'
import { type Client, emptyCart, openKontor } from '../lib/cart.ts'
import { messageOf } from '../lib/message.ts'
import { formatPrice } from '../lib/prices.ts'
import type { Words } from '../lib/words.ts'

const ASK_EVERY_MS = 1_000
const ASK_TIMES = 40

/** That the shopper came back proves nothing: the order is paid when its payment status says so. */
export function Order({ client, words }: { client: Client; words: Words }) {
  const [order, setOrder] = useState<OrderRecord>()
  const [problem, setProblem] = useState('')
  const [asked, setAsked] = useState(0)
  const isPaid = order !== undefined && paymentStatusOf(order) === 'PAID'

  useEffect(() => {
    if (isPaid || asked > ASK_TIMES) return
    const ask = async () => {
      try {
        const id = new URLSearchParams(window.location.search).get('orderId') ?? ''
        const answer = await openKontor(client).orders.get(id)
        setOrder(answer)
        if (paymentStatusOf(answer) === 'PAID') emptyCart()
        setAsked(asked + 1)
      } catch (error) {
        setProblem(messageOf(error, words))
      }
    }
    const timer = window.setTimeout(() => void ask(), asked && ASK_EVERY_MS)
    return () => window.clearTimeout(timer)
  }, [asked, isPaid])

  if (problem)
    return (
      <p className="problem" role="alert">
        {problem}
      </p>
    )
  return (
    <div role="status">
      <h1>{isPaid ? words.orderPaid : asked > ASK_TIMES ? words.orderUnpaid : words.orderPending}</h1>
      {order && (
        <div className="panel">
          <p>
            {words.orderNumber} <strong>{order.number}</strong>
          </p>
          <ul className="sums">
            {order.lines.map((line) => (
              <li key={line.productId + line.variantId}>
                <span>
                  {line.quantity} × {line.name}
                </span>
                <span>{formatPrice(line.totalPrice, order.currency, client.locale)}</span>
              </li>
            ))}
            <li>
              <strong>{words.total}</strong>
              <strong>{formatPrice(order.total, order.currency, client.locale)}</strong>
            </li>
          </ul>
        </div>
      )}
    </div>
  )
}
