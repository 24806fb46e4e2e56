import { Trans, useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Download, Printer } from 'lucide-react'
import { useState } from 'react'
import { meQuery } from '../../session/queries.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { useLeaveGuard } from '../../ui/use-draft.ts'

/** Shown this once. Whoever leaves without having kept them is asked. */
export function RecoveryCodes({ codes, onKept }: { codes: string[]; onKept: () => void }) {
  const { t } = useLingui()
  const { data: me } = useSuspenseQuery(meQuery())
  const email = me.email ?? ''
  const [isKept, setKept] = useState(false)
  const [isDone, setDone] = useState(false)
  const guard = useLeaveGuard(!isDone)
  const title = t`Recovery codes for ${email} at ${location.host}`
  const text = [title, '', ...codes, ''].join('\n')
  const finish = () => {
    setDone(true)
    setTimeout(onKept) // after the guard has heard of it
  }
  return (
    <div className="own-codes">
      <p>
        <Trans>
          When your phone is lost or broken, one of these signs you in in its place. Each works once. They are shown now
          and never again: print them, or put them where you keep your passwords.
        </Trans>
      </p>
      <h2 className="only-print">{title}</h2>
      <ul className="mono" aria-label={t`Recovery codes`}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="acts">
        <CopyButton text={codes.join('\n')} onCopied={() => setKept(true)}>{t`Copy`}</CopyButton>
        <Button
          icon={Download}
          onClick={() => {
            saveFile(new Blob([text], { type: 'text/plain' }), 'kontor-recovery-codes.txt')
            setKept(true)
          }}
        >{t`Download`}</Button>
        <Button
          icon={Printer}
          onClick={() => {
            setKept(true)
            print()
          }}
        >{t`Print`}</Button>
      </div>
      <div className="own-done">
        <Button
          look="main"
          reason={isKept ? undefined : t`Copy, download or print them first.`}
          onClick={finish}
        >{t`I have kept them`}</Button>
        {!isKept && <p className="note">{t`Copy, download or print them first.`}</p>}
      </div>
      <Dialog
        open={guard.status === 'blocked'}
        onClose={() => guard.reset?.()}
        title={t`Leave without the recovery codes?`}
      >
        <p className="soft">
          <Trans>They are not shown again. Without them and without your phone you do not get in.</Trans>
        </p>
        <div className="acts">
          <Button look="quiet" onClick={() => guard.proceed?.()}>{t`Leave without them`}</Button>
          <Button look="main" onClick={() => guard.reset?.()}>{t`Stay`}</Button>
        </div>
      </Dialog>
    </div>
  )
}
