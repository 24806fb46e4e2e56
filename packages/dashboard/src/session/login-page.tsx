import { KontorError } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { Building2 } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { kontor } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { Notice } from '../ui/notice.tsx'
import { usePageTitle } from '../ui/page.tsx'
import { useProblem } from '../ui/problem.tsx'
import { Door } from './door.tsx'
import { ForgottenForm } from './forgotten-form.tsx'
import { signIn } from './session.ts'

const route = getRouteApi('/login')
const STATE_KEY = 'kontor:login-state'

/** Email and password, the identity provider, an invitation, a forgotten password. */
export function LoginPage() {
  const { t } = useLingui()
  const search = route.useSearch()
  const greeting = useGreeting()
  usePageTitle(t`Sign in`)
  return (
    <Door>
      {search.forgotten ? (
        <ForgottenForm />
      ) : (
        <div className="form">
          <div>
            <h1>{greeting}</h1>
            <p className="lead">
              {search.invitation ? (
                <Trans>Sign in to accept your invitation.</Trans>
              ) : (
                <Trans>Sign in. You will be where you left off.</Trans>
              )}
            </p>
          </div>
          <PasswordForm />
          <ProviderButton />
        </div>
      )}
    </Door>
  )
}

function PasswordForm() {
  const { t } = useLingui()
  const enter = useEnter()
  const { invitation } = route.useSearch()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const wordsOf = useProblem()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const email = formText(form, 'email')
    const password = formText(form, 'password')
    const code = formText(form, 'invitation').trim()
    setBusy(true)
    setProblem(undefined)
    try {
      await signIn({ provider: 'EMAIL', email, password })
      await enter(code || invitation)
    } catch (error) {
      setProblem(isWrong(error) ? t`Email or password is wrong. Both are kept as you typed them.` : wordsOf(error).what)
    } finally {
      setBusy(false)
    }
  }
  const [hasCode, setHasCode] = useState(invitation !== undefined)
  return (
    <form onSubmit={(event) => void submit(event)} className="others">
      <Field label={t`Email`} name="email" type="email" autoComplete="username" required autoFocus />
      <Field
        label={t`Password`}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        problem={problem}
      />
      {hasCode && <Field label={t`Invitation code`} name="invitation" defaultValue={invitation} autoComplete="off" />}
      <Button type="submit" look="main" reason={isBusy ? t`Signing in` : undefined}>{t`Sign in`}</Button>
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

/** Only where the service has an identity provider. The browser comes back here with a code. */
function ProviderButton() {
  const { t } = useLingui()
  const { code, state } = route.useSearch()
  const enter = useEnter()
  const [problem, setProblem] = useState<string>()
  const originUrl = location.origin
  const { data } = useQuery({
    queryKey: ['-', 'getLoginUrl'],
    queryFn: () =>
      kontor.operations.getLoginUrl({
        query: { provider: 'OAUTH_IDP', originUrl, redirectUrl: `${originUrl}/admin/login` },
      }),
    staleTime: 5 * 60_000,
    enabled: !code,
  })
  useEffect(() => {
    if (!code) return
    const expected = sessionStorage.getItem(STATE_KEY)
    sessionStorage.removeItem(STATE_KEY)
    if (state !== expected) return setProblem(t`This sign-in was not begun here. Begin again.`)
    signIn({ provider: 'OAUTH_IDP', code, originUrl }).then(
      () => enter(),
      (error: Error) => setProblem(error.message),
    )
  }, [code])
  if (problem) return <Notice tone="alert" title={problem} />
  if (!data) return null
  const leave = () => {
    sessionStorage.setItem(STATE_KEY, data.state)
    location.assign(data.url)
  }
  return (
    <>
      <p className="or">{t`or`}</p>
      <Button className="tall" icon={Building2} onClick={leave}>{t`Continue with your company’s sign-in`}</Button>
    </>
  )
}

/** To where one was going; with an invitation, it is accepted first. */
function useEnter() {
  const router = useRouter()
  const { to } = route.useSearch()
  return async (invitation?: string) => {
    if (invitation) await kontor.operations.acceptInvitation({ body: { token: invitation } })
    await router.invalidate()
    router.history.push(to?.startsWith('/') && !to.startsWith('//') ? to : '/admin/')
  }
}

function useGreeting() {
  const { t } = useLingui()
  const hour = new Date().getHours()
  if (hour < 11) return t`Good morning`
  return hour < 18 ? t`Good day` : t`Good evening`
}

const isWrong = (error: unknown) =>
  error instanceof KontorError && (error.status === 401 || error.has('PASSWORD_WRONG'))
