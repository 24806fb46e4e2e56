import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { kontor } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { Notice } from '../ui/notice.tsx'
import { usePageTitle } from '../ui/page.tsx'
import { useProblem } from '../ui/problem.tsx'
import { Door } from './door.tsx'
import { fieldOf } from './field-of.ts'

const route = getRouteApi('/reset-password')

/** Where the mail leads to that whoever forgot a password asked for. The link works once. */
export function ResetPage() {
  const { t } = useLingui()
  usePageTitle(t`A new password`)
  const { token } = route.useSearch()
  const wordsOf = useProblem()
  const [isDone, setDone] = useState(false)
  const [wrong, setWrong] = useState<{ isLink: boolean; what: string }>()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const password = formText(event.currentTarget, 'password')
    try {
      await kontor.operations.resetForgotPassword({ body: { token, password } })
      setDone(true)
    } catch (error) {
      setWrong({ isLink: fieldOf(error, ['token']) !== undefined, what: wordsOf(error).what })
    }
  }
  return (
    <Door>
      <div className="form">
        <div>
          <h1>{isDone ? t`Your password is changed` : t`A new password`}</h1>
          <p className="lead">
            {isDone ? (
              <Trans>You were signed out everywhere.</Trans>
            ) : (
              <Trans>At least ten characters. A few unrelated words make a good one.</Trans>
            )}
          </p>
        </div>
        {wrong?.isLink && !isDone && (
          <Notice tone="alert" title={t`Something went wrong.`}>
            {wrong.what}
          </Notice>
        )}
        {isDone ? (
          <Link className="button main tall" to="/login">{t`Sign in`}</Link>
        ) : wrong?.isLink ? (
          <Link className="button main tall" to="/login" search={{ forgotten: true }}>{t`Ask for another link`}</Link>
        ) : (
          <form className="others" onSubmit={(event) => void submit(event)}>
            <Field
              label={t`New password`}
              name="password"
              type="password"
              autoComplete="new-password"
              required
              minLength={10}
              autoFocus
              problem={wrong?.what}
            />
            <Button type="submit" look="main">{t`Save the password`}</Button>
          </form>
        )}
      </div>
    </Door>
  )
}
