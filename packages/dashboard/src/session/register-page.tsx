import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
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
import { fieldOf } from './field-of.ts'

const route = getRouteApi('/register')

/** An account, for somebody who was invited. Its address has to be confirmed before it opens anything. */
export function RegisterPage() {
  const { t } = useLingui()
  usePageTitle(t`Make an account`)
  const { to } = route.useSearch()
  const [email, setEmail] = useState<string>()
  return (
    <Door>
      <div className="form">
        <div>
          <h1>{email ? t`Look into your mail` : t`Make an account`}</h1>
          <p className="lead">
            {email ? (
              <Trans>A link for {email} is on its way. It works for one hour.</Trans>
            ) : (
              <Trans>With the address that the invitation was sent to.</Trans>
            )}
          </p>
        </div>
        {email ? (
          <Notice tone="calm" title={t`Your invitation is kept.`}>
            {t`Open the link in this browser, and you go on where you were.`}
          </Notice>
        ) : (
          <RegisterForm onDone={setEmail} />
        )}
        <p className="note">
          <route.Link to="/login" search={{ to }} className="link">{t`I have an account`}</route.Link>
        </p>
      </div>
    </Door>
  )
}

function RegisterForm({ onDone }: { onDone: (email: string) => void }) {
  const { t } = useLingui()
  const { to } = route.useSearch()
  const wordsOf = useProblem()
  const [wrong, setWrong] = useState<{ field: string; what: string }>()
  const [isBusy, setBusy] = useState(false)
  const problemOf = (field: string) => (wrong?.field === field ? wrong.what : undefined)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const [name, email, password] = ['name', 'email', 'password'].map((field) => formText(event.currentTarget, field))
    setBusy(true)
    try {
      await kontor.operations.register({
        body: {
          provider: 'EMAIL_REGISTER',
          email: email ?? '',
          password: password ?? '',
          name: name ?? '',
          reserveDomain,
        },
      })
      if (to) afterConfirm.keep(to)
      onDone(email ?? '')
    } catch (error) {
      setWrong({ field: fieldOf(error, ['email', 'name']) ?? 'password', what: wordsOf(error).what })
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="others" onSubmit={(event) => void submit(event)}>
      <Field label={t`Name`} name="name" autoComplete="name" required autoFocus problem={problemOf('name')} />
      <Field label={t`Email`} name="email" type="email" autoComplete="username" required problem={problemOf('email')} />
      <Field
        label={t`Password`}
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={10}
        hint={t`At least ten characters. A few unrelated words make a good one.`}
        problem={problemOf('password')}
      />
      <Button type="submit" look="main" reason={isBusy ? t`Creating…` : undefined}>{t`Make the account`}</Button>
    </form>
  )
}
