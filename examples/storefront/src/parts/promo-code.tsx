import { useState } from 'preact/hooks'
import { choose, useChoices } from '../state/cart.ts'
import { Field } from './field.tsx'

export function PromoCode({ problem, isApplied }: { problem: string; isApplied: boolean }) {
  const { promoCode } = useChoices()
  const [typed, setTyped] = useState(promoCode)
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
            choose({ promoCode: '' })
          }}
        >
          Remove<span class="unseen"> the promo code</span>
        </button>
      </p>
    )
  }
  return (
    <form
      class="promo-form"
      onSubmit={(event) => {
        event.preventDefault()
        choose({ promoCode: typed.trim().toUpperCase() })
      }}
    >
      <Field
        label="Promo code"
        name="promo-code"
        autocomplete="off"
        maxLength={64}
        value={typed}
        problem={problem}
        onValue={setTyped}
      />
      <button class="button quiet" type="submit" disabled={!typed.trim() && !promoCode}>
        Apply
      </button>
    </form>
  )
}
