import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { Notice } from '../ui/notice.tsx'
import { usePageTitle } from '../ui/page.tsx'
import { Door } from './door.tsx'
import { ForgottenForm } from './forgotten-form.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { PasswordForm, type Typed } from './password-form.tsx'
import { ProviderButton } from './provider-button.tsx'
import { SecondStep } from './second-step.tsx'
import { type Challenge, signIn } from './session.ts'
import { useEnter } from './use-enter.ts'

const route = getRouteApi('/login')

/** A passkey, or a password, or the identity provider; then a second factor, for whoever has one. */
export function LoginPage() {
  const { t } = useLingui()
  usePageTitle(t`Sign in`)
  const { forgotten, invitation } = route.useSearch()
  const greeting = useGreeting()
  const typed = useRef<Typed>({ email: '', password: '', invitation })
  const [asked, setAsked] = useState<Challenge>()
  const [isLate, setLate] = useState(false)
  const land = useEnter()
  const navigate = route.useNavigate()
  const enter = async (body: object) => {
    setLate(false)
    const challenge = await signIn(body)
    if (challenge) setAsked(challenge)
    else await land(typed.current.invitation)
  }
  const goBack = (why?: { isLate: boolean }) => {
    setAsked(undefined)
    setLate(why?.isLate ?? false)
    // A code of the identity provider works once.
    void navigate({ to: '.', search: (before) => ({ ...before, code: undefined, state: undefined }), replace: true })
  }
  if (forgotten)
    return (
      <Door>
        <ForgottenForm />
      </Door>
    )
  if (asked)
    return (
      <Door>
        <SecondStep key={asked.challenge} asked={asked} enter={enter} onBack={goBack} />
      </Door>
    )
  return (
    <Door>
      <div className="form">
        <div>
          <h1>{greeting}</h1>
          <p className="lead">
            {invitation ? (
              <Trans>Sign in to accept your invitation.</Trans>
            ) : (
              <Trans>Sign in. You will be where you left off.</Trans>
            )}
          </p>
        </div>
        {isLate && (
          <Notice tone="wait" title={t`The second step took longer than five minutes.`}>
            {t`Sign in once more: what you typed is still there.`}
          </Notice>
        )}
        <PasskeyButton enter={enter} />
        <PasswordForm typed={typed.current} onTyped={(next) => (typed.current = next)} enter={enter} />
        <ProviderButton enter={enter} />
      </div>
    </Door>
  )
}

function useGreeting() {
  const { t } = useLingui()
  const hour = new Date().getHours()
  if (hour < 11) return t`Good morning`
  return hour < 18 ? t`Good day` : t`Good evening`
}
