import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Building2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { kontor } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

const route = getRouteApi('/login')
const STATE_KEY = 'kontor:login-state'

/** Only where the service has an identity provider. The browser comes back here with a code. */
export function ProviderButton({ enter }: { enter: (body: object) => Promise<void> }) {
  const { t } = useLingui()
  const { code, state } = route.useSearch()
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
    enter({ provider: 'OAUTH_IDP', code, originUrl }).catch((error: Error) => setProblem(error.message))
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
