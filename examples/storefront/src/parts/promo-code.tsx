import type { KontorError, QuoteRequest } from '@kontor/sdk'
import { useState } from 'preact/hooks'
import { choose, useChoices } from '../state/cart.ts'
import { detailOf, takePromoCode } from '../state/quote.ts'
import { Field } from './field.tsx'
import { wordsOf } from './notices.tsx'

/** `problem` is about a code that counted before. */
type PromoProps = { request: QuoteRequest | undefined; problem: string; isApplied: boolean }

export function PromoCode({ request, problem, isApplied }: PromoProps) {
  const { promoCode } = useChoices()
  const [typed, setTyped] = useState(promoCode)
  const [refused, setRefused] = useState('')
  const [isAsking, setAsking] = useState(false)

  async function apply(event: Event) {
    event.preventDefault()
    const code = typed.trim().toUpperCase()
    if (!request || isAsking) return
    setAsking(true)
    setRefused('')
    try {
      if (code) await takePromoCode(request, code)
      else choose({ promoCode: '' })
    } catch (failure) {
      const error = failure as KontorError
      choose({ promoCode: '' })
      setRefused(detailOf(error, 'promoCode') || wordsOf(error))
    }
    setAsking(false)
  }

  if (promoCode && !problem) {
    return (
      <p class="promo" role="status">
        <span>
          <strong>{promoCode}</strong> {isApplied ? 'is taken off.' : ''}
        </span>
        <button
          class="link"
          type="button"
          onClick={() => {
            setTyped('')
            setRefused('')
            choose({ promoCode: '' })
          }}
        >
          Remove<span class="unseen"> the promo code</span>
        </button>
      </p>
    )
  }
  return (
    <form class="promo-form" onSubmit={(event) => void apply(event)}>
      <Field
        label="Promo code"
        name="promo-code"
        autocomplete="off"
        maxLength={64}
        value={typed}
        problem={refused || problem}
        onValue={(text) => {
          setTyped(text)
          setRefused('')
        }}
      />
      <button class="button quiet" type="submit" disabled={isAsking || (!typed.trim() && !promoCode)}>
        Apply
      </button>
    </form>
  )
}
