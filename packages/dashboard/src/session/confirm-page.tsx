import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { kontor, reserveDomain } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { Notice } from '../ui/notice.tsx'
import { usePageTitle } from '../ui/page.tsx'
import { useProblem } from '../ui/problem.tsx'
import { afterConfirm } from './after-confirm.ts'
import { Door } from './door.tsx'

const route = getRouteApi('/confirm')

type Outcome = { is: 'asked' } | { is: 'done'; to: string | undefined } | { is: 'refused'; problem: string }

/** Where the mail leads to that asks whether an address is one's own. */
export function ConfirmPage() {
  const { t } = useLingui()
  usePageTitle(t`Confirm your address`)
  const { token } = route.useSearch()
  const wordsOf = useProblem()
  const [outcome, setOutcome] = useState<Outcome>({ is: 'asked' })
  const confirm = async () => {
    try {
      await kontor.operations.confirmEmail({ body: { token } })
      setOutcome({ is: 'done', to: afterConfirm.take() })
    } catch (error) {
      setOutcome({ is: 'refused', problem: wordsOf(error).what })
    }
  }
  return (
    <Door>
      <div className="form">
        {outcome.is === 'done' ? (
          <>
            <div>
              <h1>{t`Your address is confirmed`}</h1>
              <p className="lead">
                <Trans>Your account is ready. Sign in, or close this page.</Trans>
              </p>
            </div>
            <Link className="button main tall" to="/login" search={{ to: outcome.to }}>{t`Sign in`}</Link>
          </>
        ) : (
          <>
            <div>
              <h1>{t`Confirm your address`}</h1>
              <p className="lead">
                <Trans>One press, and your account is ready.</Trans>
              </p>
            </div>
            {outcome.is === 'refused' ? (
              <Again problem={outcome.problem} />
            ) : (
              <Button
                look="main"
                className="tall"
                autoFocus
                onClick={() => void confirm()}
              >{t`Confirm my address`}</Button>
            )}
          </>
        )}
      </div>
    </Door>
  )
}

/** Says the same whether or not there is such an account. */
function Again({ problem }: { problem: string }) {
  const { t } = useLingui()
  const wordsOf = useProblem()
  const [outcome, setOutcome] = useState<{ email?: string; problem?: string }>({})
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const email = formText(event.currentTarget, 'email')
    try {
      await kontor.operations.resendConfirmation({ body: { email, reserveDomain } })
      setOutcome({ email })
    } catch (error) {
      setOutcome({ problem: wordsOf(error).what })
    }
  }
  if (outcome.email)
    return (
      <Notice tone="calm" title={t`Look into your mail.`}>
        {t`If ${outcome.email} waits for it, another link is on its way.`}
      </Notice>
    )
  return (
    <>
      <Notice tone="alert" title={t`Something went wrong.`}>
        {problem}
      </Notice>
      <form className="others" onSubmit={(event) => void submit(event)}>
        <Field label={t`Email`} name="email" type="email" autoComplete="username" required problem={outcome.problem} />
        <Button type="submit">{t`Send another link`}</Button>
      </form>
    </>
  )
}
