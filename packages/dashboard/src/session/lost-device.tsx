import { Trans, useLingui } from '@lingui/react/macro'
import { KeyRound, UserRoundKey } from 'lucide-react'
import { Button } from '../ui/button.tsx'

type Props = {
  hasPasskey: boolean
  onChoose: (way: 'PASSKEY' | 'RECOVERY_CODE') => void
  onBack: () => void
}

/** The ways in without the device, the quickest first. */
export function LostDevice({ hasPasskey, onChoose, onBack }: Props) {
  const { t } = useLingui()
  return (
    <div className="form">
      <div>
        <h1>{t`Without your device`}</h1>
        <p className="lead">
          <Trans>There is a way in. The first of these that you have is the quickest.</Trans>
        </p>
      </div>
      <ol className="ways-in">
        <li>
          <h2>{t`One of your ten recovery codes`}</h2>
          <p className="note">
            <Trans>You printed them or kept them when you set up the app. Each works once.</Trans>
          </p>
          <Button icon={KeyRound} onClick={() => onChoose('RECOVERY_CODE')}>{t`Use a recovery code`}</Button>
        </li>
        {hasPasskey && (
          <li>
            <h2>{t`A passkey`}</h2>
            <p className="note">
              <Trans>On another device of yours, or on a security key.</Trans>
            </p>
            <Button icon={UserRoundKey} onClick={() => onChoose('PASSKEY')}>{t`Use a passkey`}</Button>
          </li>
        )}
        <li>
          <h2>{t`Whoever runs this service`}</h2>
          <p className="note">
            <Trans>
              Write to them from your own address. Once they are sure that it is you, they take the second factor off
              your account, and a mail tells you so. Then your password is enough, and you set up the new device.
            </Trans>
          </p>
        </li>
      </ol>
      <p className="note">
        <button type="button" className="link" onClick={onBack}>{t`I have found it`}</button>
      </p>
    </div>
  )
}
