import type { KontorError } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ShieldCheck, Smartphone, UserRoundKey } from 'lucide-react'
import { askForProof } from '../api/proof.ts'
import { passkeysQuery, secondFactorQuery } from '../profile/queries.ts'
import { meQuery } from '../session/queries.ts'
import { Bones } from '../ui/bones.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { usePageTitle } from '../ui/page.tsx'
import { readAgain } from './queries.ts'

/** Why somebody does not get in, and how they do. */
export const Refused = ({ refusal }: { refusal: KontorError }) =>
  refusal.has('SECOND_FACTOR_REQUIRED') ? <FactorMissing /> : <NoOperator />

function NoOperator() {
  const { t } = useLingui()
  usePageTitle(t`For operators`)
  const { data: me } = useSuspenseQuery(meQuery())
  const command = `npm run cli -- user operator add ${me.email ?? ''}`
  return (
    <div className="page op-refused">
      <Icon of={ShieldCheck} big />
      <h1>{t`This is for operators of the service`}</h1>
      <p className="soft">
        <Trans>
          Your account is not one of them, or you came in through the sign-in of a business. Whoever hosts the service
          makes you an operator with this command, on the server:
        </Trans>
      </p>
      <pre className="op-error">{command}</pre>
      <div className="acts">
        <CopyButton text={command}>{t`Copy the command`}</CopyButton>
        <Button onClick={() => void readAgain()}>{t`Look again`}</Button>
        <Link to="/" className="button quiet">{t`Back to the businesses`}</Link>
      </div>
    </div>
  )
}

function FactorMissing() {
  const { t } = useLingui()
  usePageTitle(t`Operators need a second factor`)
  const factor = useQuery(secondFactorQuery())
  const passkeys = useQuery(passkeysQuery())
  const isKnown = factor.data !== undefined && passkeys.data !== undefined
  const hasOne = factor.data?.isOn === true || (passkeys.data?.items.length ?? 0) > 0
  const show = async () => {
    if (await askForProof()) await readAgain()
  }
  return (
    <div className="page op-refused">
      <Icon of={ShieldCheck} big />
      <h1>{t`Operators need a second factor`}</h1>
      <p className="soft">
        <Trans>
          You are an operator. What you do here concerns every business, so a password alone does not open it: a passkey
          or a code of an authenticator app does.
        </Trans>
      </p>
      {!isKnown ? (
        <Bones rows={1} columns={1} bleed={false} />
      ) : hasOne ? (
        <div className="acts">
          <Button look="main" icon={ShieldCheck} autoFocus onClick={() => void show()}>{t`Show it now`}</Button>
        </div>
      ) : (
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
      )}
    </div>
  )
}
