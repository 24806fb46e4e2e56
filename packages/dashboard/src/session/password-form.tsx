import { KontorError } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { useProblem } from '../ui/problem.tsx'
import { lastWay } from './last-way.ts'
import { canUsePasskeys } from './passkeys.ts'
import { useTooOften } from './use-too-often.ts'

const route = getRouteApi('/login')

/** What is kept while the second step is shown, so that whoever comes back types nothing twice. */
export type Typed = { email: string; password: string; invitation: string | undefined }

type Props = {
  typed: Typed
  onTyped: (typed: Typed) => void
  /** Fails with what the service refuses it for. */
  enter: (body: object) => Promise<void>
}

export function PasswordForm({ typed, onTyped, enter }: Props) {
  const { t } = useLingui()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [hasCode, setHasCode] = useState(typed.invitation !== undefined)
  const wordsOf = useProblem()
  const tooOften = useTooOften()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const email = formText(form, 'email')
    const password = formText(form, 'password')
    onTyped({ email, password, invitation: formText(form, 'invitation').trim() || typed.invitation })
    setBusy(true)
    setProblem(undefined)
    try {
      await enter({ provider: 'EMAIL', email, password })
      lastWay.keep('password')
    } catch (error) {
      setProblem(
        isWrong(error)
          ? t`Email or password is wrong. Both are kept as you typed them.`
          : (tooOften(error) ?? wordsOf(error).what),
      )
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="others">
      <Field
        label={t`Email`}
        name="email"
        type="email"
        autoComplete="username webauthn"
        required
        autoFocus={!lastWay.isPasskey()}
        defaultValue={typed.email}
      />
      <Field
        label={t`Password`}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        defaultValue={typed.password}
        problem={problem}
      />
      {hasCode && (
        <Field label={t`Invitation code`} name="invitation" defaultValue={typed.invitation} autoComplete="off" />
      )}
      <Button
        type="submit"
        look={canUsePasskeys() ? undefined : 'main'}
        reason={isBusy ? t`Signing in…` : undefined}
      >{t`Sign in`}</Button>
      <p className="note">
        {!hasCode && (
          <>
            <Trans>Invited? Open the link in the mail, or</Trans>{' '}
            <button type="button" className="link" onClick={() => setHasCode(true)}>{t`type its code`}</button>.{' '}
          </>
        )}
        <route.Link
          to="/login"
          search={(before) => ({ ...before, forgotten: true })}
          className="link"
        >{t`I forgot my password`}</route.Link>
      </p>
    </form>
  )
}

const isWrong = (error: unknown) =>
  error instanceof KontorError && (error.status === 401 || error.has('PASSWORD_WRONG'))
