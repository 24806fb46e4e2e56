import type { KontorError, PublicCollection } from '@kontor/sdk'
import { useId, useState } from 'preact/hooks'
import { money } from '../state/catalog.ts'
import { useLetters } from '../state/content.ts'
import { kontor, useMarket } from '../state/kontor.ts'
import { detailOf } from '../state/quote.ts'
import { Field } from './field.tsx'
import { wordsOf } from './notices.tsx'
import { useWaking } from './use-waking.ts'

type Plan = NonNullable<PublicCollection['plans']>[number]

const isFree = ({ price }: Plan) => !price?.amount

/** Sign-up for the newsletter, if there is one. A paid plan leads to a payment page. */
export function Newsletter() {
  const letters = useLetters().value?.found
  const market = useMarket()
  const [email, setEmail] = useState('')
  const [planId, setPlanId] = useState('')
  const [state, setState] = useState<{ isSending?: boolean; done?: string; error?: KontorError }>({})
  useWaking(() => setState({}))
  const plans = letters?.plans ?? []
  const plan = plans.find(({ id }) => id === planId) ?? plans.find(isFree) ?? plans[0]

  async function subscribe(event: Event) {
    event.preventDefault()
    if (!letters || state.isSending) return
    setState({ isSending: true })
    const { origin } = window.location
    const urls = { returnUrl: `${origin}/journal?subscribed=1`, cancelUrl: `${origin}/journal` }
    const asked = { email, planId: plan?.id, market: market?.id, ...(plan && !isFree(plan) && urls) }
    try {
      const made = await kontor.newsletters.subscribe(letters.id, asked)
      if ('checkoutUrl' in made) return window.location.assign(made.checkoutUrl)
      const isPending = made.status === 'PENDING'
      setState({
        done: isPending
          ? `Look into your inbox: we wrote to ${email}. Your letters begin once you press the link in that mail.`
          : `Thank you. The next letter goes to ${email}.`,
      })
    } catch (error) {
      setState({ error: error as KontorError })
    }
  }

  // The place is kept while the newsletter is looked for, so that nothing jumps.
  return (
    <section class="letters" aria-labelledby="letters">
      <h2 id="letters">{letters?.name ?? 'Letters from the harbour'}</h2>
      <p>{letters?.description || 'New goods, old knots, and what the tide brought in.'}</p>
      <div aria-live="polite">
        {state.done ? (
          <p class="done">{state.done}</p>
        ) : (
          <form onSubmit={(event) => void subscribe(event)}>
            {plans.length > 1 && <Plans plans={plans} chosen={plan} choose={setPlanId} />}
            <div class="letters-form">
              <Field
                label="Email for the newsletter"
                hideLabel
                type="email"
                name="newsletter-email"
                autocomplete="email"
                placeholder="you@example.com"
                required
                value={email}
                problem={state.error && (detailOf(state.error, 'email') || wordsOf(state.error))}
                onValue={setEmail}
              />
              <button class="button" type="submit" disabled={!letters || state.isSending}>
                Sign up
              </button>
            </div>
          </form>
        )}
      </div>
    </section>
  )
}

type PlansProps = { plans: readonly Plan[]; chosen: Plan | undefined; choose: (id: string) => void }

function Plans({ plans, chosen, choose }: PlansProps) {
  const group = useId()
  return (
    <fieldset class="methods plans">
      <legend class="unseen">Plan</legend>
      {plans.map(({ id, name, description, price }) => (
        <label key={id}>
          <input type="radio" name={group} checked={id === chosen?.id} onChange={() => choose(id)} />
          <span>
            {name}
            {description && <small>{description}</small>}
          </span>
          <span>
            {price?.amount
              ? `${money(price.amount, price.currency)} a ${price.interval === 'YEARLY' ? 'year' : 'month'}`
              : 'Free'}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
