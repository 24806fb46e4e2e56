import { KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Building2 } from 'lucide-react'
import { useEffect } from 'react'
import { kontor } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { useProblem } from '../ui/problem.tsx'
import { staffOf } from './staff-of.ts'
import type { ProviderReturn } from './use-provider-return.ts'

type Props = {
  /** Whose staff come in here; undefined: the provider of the service, where it has one. */
  businessId: string | undefined
  /** By its address: their company has sent them here. Else they came in this way last time. */
  isSent: boolean
  to: string | undefined
  came: ProviderReturn
}

/** The company's own sign-in. The browser comes back to this page, with a code or with what went wrong. */
export function ProviderButton({ businessId, isSent, to, came }: Props) {
  const { t } = useLingui()
  const wordsOf = useProblem()
  const originUrl = location.origin
  const isStaff = businessId !== undefined
  const { data, error } = useQuery({
    queryKey: ['-', 'getLoginUrl', { businessId, to }],
    queryFn: () => {
      const back = new URL('/admin/login', originUrl)
      if (to) back.searchParams.set('to', to)
      if (businessId) back.searchParams.set('business', businessId)
      return kontor.operations.getLoginUrl({
        query: { provider: 'OAUTH_IDP', originUrl, redirectUrl: back.href, ...(businessId && { businessId }) },
      })
    },
    staleTime: 5 * 60_000,
    enabled: !came.isBusy,
  })
  // Where there is no provider, nobody misses it; whoever was sent here by their company does.
  const isMissed = isSent && error instanceof KontorError
  const isGone = isStaff && !isSent && error instanceof KontorError && error.status === 422
  useEffect(() => {
    if (isGone) staffOf.forget()
  }, [isGone])
  const leave = () => {
    if (data) came.leave(data)
  }
  return (
    <>
      {came.problem && (
        <Notice tone="alert" title={came.problem.title}>
          {came.problem.what}
        </Notice>
      )}
      {isMissed && !came.problem && (
        <Notice tone="alert" title={t`The sign-in of your company cannot be used now.`}>
          {wordsOf(error).what}
        </Notice>
      )}
      {(data || came.isBusy) && (
        <>
          {!isStaff && <p className="or">{t`or`}</p>}
          <Button
            className="tall"
            look={isStaff ? 'main' : undefined}
            icon={Building2}
            reason={came.isBusy ? t`Signing in…` : undefined}
            onClick={leave}
          >{t`Continue with your company’s sign-in`}</Button>
          {isStaff && <p className="or">{t`or`}</p>}
        </>
      )}
    </>
  )
}
