import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { kontor, reserveDomain } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { Notice } from '../ui/notice.tsx'
import { useProblem } from '../ui/problem.tsx'

const route = getRouteApi('/login')

/** Says the same whether or not there is such an account. */
export function ForgottenForm() {
  const { t } = useLingui()
  const wordsOf = useProblem()
  const [outcome, setOutcome] = useState<{ email?: string; problem?: string }>({})
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const email = formText(event.currentTarget, 'email')
    try {
      await kontor.operations.forgotPassword({ body: { email, reserveDomain } })
      setOutcome({ email })
    } catch (error) {
      setOutcome({ problem: wordsOf(error).what })
    }
  }
  return (
    <form className="form" onSubmit={(event) => void submit(event)}>
      <div>
        <h1>{t`A new password`}</h1>
        <p className="lead">
          <Trans>We mail you a link with which you choose one.</Trans>
        </p>
      </div>
      {outcome.email ? (
        <Notice tone="calm" title={t`Look into your mail.`}>
          {t`If ${outcome.email} has an account, a link is on its way.`}
        </Notice>
      ) : (
        <div className="others">
          <Field
            label={t`Email`}
            name="email"
            type="email"
            autoComplete="username"
            required
            autoFocus
            problem={outcome.problem}
          />
          <Button type="submit" look="main">{t`Send the link`}</Button>
        </div>
      )}
      <p className="note">
        <route.Link
          to="/login"
          search={(before) => ({ ...before, forgotten: undefined })}
          className="link"
        >{t`Back to signing in`}</route.Link>
      </p>
    </form>
  )
}
