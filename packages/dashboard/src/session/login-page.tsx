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
import { type Ended, SecondStep } from './second-step.tsx'
import { type Challenge, signIn } from './session.ts'
import { staffOf } from './staff-of.ts'
import { useEnter } from './use-enter.ts'
import { useProviderReturn } from './use-provider-return.ts'

const route = getRouteApi('/login')

/** A passkey, or a password, or the identity provider; then a second factor, for whoever has one. */
export function LoginPage() {
  const { t } = useLingui()
  usePageTitle(t`Sign in`)
  const { forgotten, invitation, business, to } = route.useSearch()
  const greeting = useGreeting()
  const typed = useRef<Typed>({ email: '', password: '', invitation })
  const [asked, setAsked] = useState<Challenge>()
  const [ended, setEnded] = useState<Ended>()
  const land = useEnter()
  const enter = async (body: object) => {
    setEnded(undefined)
    const challenge = await signIn(body)
    if (challenge) setAsked(challenge)
    else await land(typed.current.invitation)
  }
  const came = useProviderReturn(enter)
  const goBack = (why?: Ended) => {
    setAsked(undefined)
    setEnded(why)
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
  const staff = business ?? staffOf.get()
  const provider = <ProviderButton businessId={staff} isSent={business !== undefined} to={to} came={came} />
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
        {ended && (
          <Notice
            tone="wait"
            title={
              ended === 'late'
                ? t`The second step took longer than five minutes.`
                : t`Those were too many wrong ones for one sign-in.`
            }
          >
            {typed.current.email === '' ? t`Sign in once more.` : t`Sign in once more: what you typed is still there.`}
          </Notice>
        )}
        {staff && provider}
        <PasskeyButton enter={enter} look={staff ? undefined : 'main'} />
        <PasswordForm typed={typed.current} onTyped={(next) => (typed.current = next)} enter={enter} />
        {!staff && provider}
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
