import './profile.css'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ShieldCheck, Smartphone, UserRoundKey } from 'lucide-react'
import { queryClient } from '../api/client.ts'
import { askForProof } from '../api/proof.ts'
import { businessesQuery } from '../session/queries.ts'
import { useBusiness } from '../session/use-business.ts'
import { Bones } from '../ui/bones.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { usePageTitle } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { passkeysQuery, secondFactorQuery } from './queries.ts'

const LOOK_MS = 5_000

/** A business in which roles count only after a second factor, for somebody who has not shown one. */
export function ShutPage() {
  const { t } = useLingui()
  const { name } = useBusiness()
  usePageTitle(t`A second factor is wanted`)
  // Once it was shown, here or in another tab, the business is open: whoever looks at this page need not ask.
  useQuery({ ...businessesQuery(), refetchInterval: LOOK_MS })
  const factor = useQuery(secondFactorQuery())
  const passkeys = useQuery(passkeysQuery())
  const error = factor.error ?? passkeys.error
  const retry = () => void Promise.all([factor.refetch(), passkeys.refetch()])
  const isKnown = factor.data !== undefined && passkeys.data !== undefined
  const hasOne = factor.data?.isOn || (passkeys.data?.items.length ?? 0) > 0
  return (
    <div className="page shut">
      <Icon of={ShieldCheck} big />
      <h1>{t`${name} wants a second factor`}</h1>
      <p className="soft">
        <Trans>
          Whoever works here shows more than a password: a passkey, or a code of an authenticator app. Your role is
          still yours, and counts as soon as you have shown one.
        </Trans>
      </p>
      {error ? (
        <Problem error={error} onRetry={retry} />
      ) : !isKnown ? (
        <Bones rows={2} columns={1} bleed={false} />
      ) : hasOne ? (
        <Show />
      ) : (
        <SetUp />
      )}
    </div>
  )
}

function Show() {
  const { t } = useLingui()
  const show = async () => {
    if (await askForProof()) await queryClient.invalidateQueries()
  }
  return (
    <>
      <p>
        <Trans>
          You have one. It was not asked for when you came in, because you signed in before, or with a password alone.
        </Trans>
      </p>
      <div className="acts">
        <Button look="main" icon={ShieldCheck} autoFocus onClick={() => void show()}>{t`Show it now`}</Button>
      </div>
    </>
  )
}

function SetUp() {
  const { t } = useLingui()
  return (
    <>
      <p>
        <Trans>You have none yet. Either takes two minutes; then come back here.</Trans>
      </p>
      <div className="acts">
        <Link className="button main" to="/profile/security">
          <Icon of={UserRoundKey} />
          {t`Add a passkey`}
        </Link>
        <Link className="button" to="/profile/security/app">
          <Icon of={Smartphone} />
          {t`Set up an app`}
        </Link>
      </div>
    </>
  )
}
