import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useProblem } from '../ui/problem.tsx'
import { staffOf } from './staff-of.ts'

const route = getRouteApi('/login')
const STATE_KEY = 'kontor:login-state'

type Words = { title: string; what: string }
export type ProviderReturn = ReturnType<typeof useProviderReturn>

/**
 * The browser is back from an identity provider. Its code works once, so it goes out of the address as soon as it is read:
 * a reload begins anew, and is no second try with it.
 */
export function useProviderReturn(enter: (body: object) => Promise<void>) {
  const { t } = useLingui()
  const wordsOf = useProblem()
  const { business, code, state, error } = route.useSearch()
  const navigate = route.useNavigate()
  const [isBusy, setBusy] = useState(code !== undefined)
  const [problem, setProblem] = useState<Words>()
  const isRead = useRef(false)

  const wordsFor = (failed: string): Words => {
    if (failed === 'access_denied' && business)
      return {
        title: t`Your company’s sign-in did not let you in here.`,
        what: t`Ask whoever looks after it: your address must be of a domain of the company, confirmed there, and one of your groups must have a role.`,
      }
    if (failed === 'access_denied')
      return {
        title: t`The sign-in was broken off, or you were not let in.`,
        what: t`Try again, or sign in another way.`,
      }
    if (failed === 'email_invalid')
      return {
        title: t`Your email address at the sign-in provider isn’t valid.`,
        what: t`Ask your administrator to correct it, then sign in again. Or use another sign-in method.`,
      }
    if (failed === 'temporarily_unavailable')
      return {
        title: t`Your company’s sign-in does not answer now.`,
        what: t`Try again shortly, or sign in another way.`,
      }
    if (failed === 'identity_too_large')
      return {
        title: t`Your company’s sign-in sent too much data.`,
        what: t`Your user ID is too long, or you’re in too many groups. Ask your administrator to send fewer groups.`,
      }
    return {
      title: t`Your company’s sign-in was not finished.`,
      what: t`Try again. If it happens again, tell whoever looks after it.`,
    }
  }
  const redeem = async () => {
    const expected = sessionStorage.getItem(STATE_KEY)
    sessionStorage.removeItem(STATE_KEY)
    if (state !== expected) return setProblem({ title: t`This sign-in was not begun here.`, what: t`Begin again.` })
    if (!code) return setProblem(wordsFor(error ?? ''))
    try {
      await enter({ provider: 'OAUTH_IDP', code, originUrl: location.origin })
      if (business) staffOf.keep(business)
    } catch (cause) {
      setProblem(wordsOf(cause))
    }
  }
  useEffect(() => {
    if ((!code && !error) || isRead.current) return
    isRead.current = true
    const search = { code: undefined, state: undefined, error: undefined }
    void navigate({ to: '.', search: (before) => ({ ...before, ...search }), replace: true })
      .then(redeem)
      .finally(() => {
        setBusy(false)
        isRead.current = false
      })
  }, [code, error])

  return {
    isBusy,
    problem,
    /** Out of the dashboard, to the provider. */
    leave({ url, state: begun }: { url: string; state: string }) {
      sessionStorage.setItem(STATE_KEY, begun)
      location.assign(url)
    },
  }
}
