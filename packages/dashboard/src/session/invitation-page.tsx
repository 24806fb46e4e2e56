import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { kontor, queryClient } from '../api/client.ts'
import { query } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { usePageTitle } from '../ui/page.tsx'
import { useProblem } from '../ui/problem.tsx'
import { Door } from './door.tsx'
import { businessesQuery, meQuery } from './queries.ts'
import { signOut } from './session.ts'
import { addressOf } from './use-business.ts'
import { useSigned } from './use-signed.ts'

const route = getRouteApi('/invitation')

/** Where the invitation mail leads to: whoever is signed in accepts, anybody else signs in or makes an account. */
export function InvitationPage() {
  const { t } = useLingui()
  usePageTitle(t`Invitation`)
  const signed = useSigned()
  return (
    <Door>
      <div className="form">{signed ? <Accept /> : <Enter />}</div>
    </Door>
  )
}

function Enter() {
  const { t } = useLingui()
  const { token } = route.useSearch()
  const to = `/admin/invitation?token=${encodeURIComponent(token)}`
  return (
    <>
      <div>
        <h1>{t`You are invited`}</h1>
        <p className="lead">
          <Trans>Come in with the address that the mail was sent to.</Trans>
        </p>
      </div>
      <Link className="button main tall" to="/login" search={{ to }}>{t`I have an account`}</Link>
      <p className="or">{t`or`}</p>
      <div className="others">
        <Link className="button" to="/register" search={{ to }}>{t`Make an account`}</Link>
      </div>
      <p className="note">
        <Trans>The invitation works for seven days. Nothing is accepted until you say so.</Trans>
      </p>
    </>
  )
}

function Accept() {
  const { t } = useLingui()
  const { token } = route.useSearch()
  const { data: me } = useQuery(meQuery())
  const { data: invited } = useQuery(query('-', 'listMyInvitations'))
  const { accept, problem, isBusy } = useAccept()
  const only = invited?.items.length === 1 ? invited.items[0] : undefined
  const email = me?.email ?? ''
  return (
    <>
      <div>
        <h1>{only ? t`You are invited to ${only.business.name}` : t`You are invited`}</h1>
        <p className="lead">{only ? <Trans>You work there as {only.role.name}.</Trans> : t`Accept, and you are in.`}</p>
      </div>
      {problem && (
        <Notice tone="alert" title={t`Something went wrong.`}>
          {problem}
        </Notice>
      )}
      <Button
        look="main"
        className="tall"
        autoFocus
        reason={isBusy ? t`Accepting…` : undefined}
        onClick={() => void accept(token)}
      >{t`Accept the invitation`}</Button>
      <p className="note">
        <Trans>You are signed in as {email}.</Trans>{' '}
        <button type="button" className="link" onClick={() => void signOut()}>{t`Come in as somebody else`}</button>
      </p>
    </>
  )
}

/** Accepts, and opens the business that was not there before. */
function useAccept() {
  const router = useRouter()
  const wordsOf = useProblem()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const accept = async (token: string) => {
    setBusy(true)
    try {
      const before = await queryClient.fetchQuery(businessesQuery())
      await kontor.operations.acceptInvitation({ body: { token } })
      await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === '-' })
      const after = await queryClient.fetchQuery({ ...businessesQuery(), staleTime: 0 })
      const known = new Set(before.items.map(({ id }) => id))
      const joined = after.items.find(({ id }) => !known.has(id))
      await (joined
        ? router.navigate({ to: '/$business', params: { business: addressOf(joined) } })
        : router.navigate({ to: '/' }))
    } catch (error) {
      setProblem(wordsOf(error).what)
    } finally {
      setBusy(false)
    }
  }
  return { accept, problem, isBusy }
}
