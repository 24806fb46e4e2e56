import type { KontorError } from '@kontor/sdk'
import { useState } from 'preact/hooks'
import { FormProblem, wordsOf } from '../parts/notices.tsx'
import { useTitle } from '../parts/title.ts'
import { kontor } from '../state/kontor.ts'
import { usePlace } from '../state/router.ts'

/** Where the mailed link leads. It waits for a button: mail scanners follow links, too. */
export function ConfirmPage() {
  const token = usePlace().query.get('token') ?? ''
  const [state, setState] = useState<{ step: 'asked' | 'sending' | 'done'; error?: KontorError }>({ step: 'asked' })
  useTitle('Confirm your email')

  async function confirm() {
    setState({ step: 'sending' })
    try {
      await kontor.operations.confirmEmail({ body: { token } })
      setState({ step: 'done' })
    } catch (error) {
      setState({ step: 'asked', error: error as KontorError })
    }
  }
  if (state.step === 'done') {
    return (
      <div class="notice" role="status">
        <h1>Your email is confirmed</h1>
        <p>You can log in now.</p>
        <a class="button" href="/account">
          Log in
        </a>
      </div>
    )
  }
  return (
    <div class="notice">
      <h1>Is this your email?</h1>
      <p>One press, and your account is ready.</p>
      <button class="button" type="button" disabled={state.step === 'sending'} onClick={() => void confirm()}>
        Yes, confirm it
      </button>
      {state.error && (
        <FormProblem>
          {state.error.has('TOKEN_EXPIRED') || state.error.has('TOKEN_INVALID')
            ? 'This link does not work any more. Log in to get a new mail.'
            : wordsOf(state.error)}
        </FormProblem>
      )}
    </div>
  )
}
