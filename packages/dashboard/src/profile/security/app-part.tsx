import { KontorError } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../outbox/outbox.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Moment } from '../moment.tsx'
import { Part } from '../part.tsx'
import { secondFactorQuery } from '../queries.ts'
import { Sure } from '../sure.tsx'

/** From so few on it is time for new ones. */
const FEW = 3

/** The authenticator app: six digits after the password. */
export function AppPart() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(secondFactorQuery())
  const [isRemoving, setRemoving] = useState(false)
  const remove = () =>
    ask('-', { operation: 'removeSecondFactor', input: {}, label: t`Remove the authenticator app` }).catch(
      (error: unknown) => {
        // There is none: an answer was lost, or another tab was quicker.
        if (!(error instanceof KontorError && error.has('WRONG_STATE'))) throw error
      },
    )
  return (
    <Part
      title={t`Authenticator app`}
      about={
        <Trans>
          After the password you type six digits that an app on your phone shows. Somebody who has found out your
          password does not get in.
        </Trans>
      }
    >
      {error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Bones rows={1} columns={2} bleed={false} />
      ) : data.since === null ? (
        <>
          <p>
            <Status fill="off">{t`Not set up`}</Status>
          </p>
          <div>
            <Link className="button" to="/profile/security/app">{t`Set it up`}</Link>
          </div>
        </>
      ) : (
        <>
          <p>
            <Status fill="full" tone="good">
              <span>
                <Trans>
                  Set up, since <Moment at={data.since} />
                </Trans>
              </span>
            </Status>
          </p>
          <p className={data.recoveryCodesLeft <= FEW ? 'alert-text' : 'soft'}>
            <Plural
              value={data.recoveryCodesLeft}
              _0="You have no recovery code left. Make new ones: without your phone they are the only way in."
              one="You have # recovery code left. Make new ones."
              other="You have # recovery codes left, for the day on which your phone is not there."
            />
          </p>
          <div className="acts">
            <Link className="button" to="/profile/security/recovery-codes">{t`New recovery codes`}</Link>
            <Button look="quiet" onClick={() => setRemoving(true)}>{t`Remove the app`}</Button>
          </div>
          <p className="note">
            <Trans>Another phone, or the old one is lost? Remove the app, then set it up on the new one.</Trans>
          </p>
        </>
      )}
      {isRemoving && (
        <Sure
          title={t`Remove the authenticator app?`}
          verb={t`Remove the app`}
          done={t`Authenticator app removed. You sign in with your password only.`}
          act={remove}
          onClose={() => setRemoving(false)}
        >
          <Trans>
            Then your password alone signs you in, and the recovery codes are gone. All other sessions end. In
            businesses that want a second factor your role no longer counts.
          </Trans>
        </Sure>
      )}
    </Part>
  )
}
