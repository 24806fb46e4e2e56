import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { invalidate } from '../../api/query.ts'
import { Button } from '../../ui/button.tsx'
import { Head } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SecurityCrumbs } from './crumbs.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

/** Ten new ones in the place of those before. Opening the page changes nothing, the button does. */
export function CodesPage() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const [codes, setCodes] = useState<string[]>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const make = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const { recoveryCodes } = await kontor.operations.renewRecoveryCodes()
      setCodes(recoveryCodes)
      await invalidate('-', ['getSecondFactor'])
    } catch (cause) {
      setError(cause)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <SecurityCrumbs>{t`Recovery codes`}</SecurityCrumbs>
      <Head title={codes ? t`Keep these ten codes` : t`New recovery codes`} />
      <div className="page steps">
        {error !== undefined && <Problem error={error} kept={t`The codes that you have still work.`} />}
        {codes ? (
          <RecoveryCodes codes={codes} onKept={() => void navigate({ to: '/profile/security' })} />
        ) : (
          <>
            <p>
              <Trans>
                You get ten new codes. Those that you have kept until now stop working at once, also on paper.
              </Trans>
            </p>
            <div className="own-done">
              <Button
                look="main"
                reason={isBusy ? t`Creating…` : undefined}
                onClick={() => void make()}
              >{t`Make ten new codes`}</Button>
            </div>
          </>
        )}
      </div>
    </>
  )
}
