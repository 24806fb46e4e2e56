import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Problem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'

type Props = {
  title: string
  /** What happens then. */
  children: ReactNode
  /** On the button that does it. */
  verb: string
  act: () => Promise<unknown>
  /** Once it is done; unless `act` has said so itself. */
  done?: string
  onClose: () => void
}

/** Asks a person, then the service. What the service refuses is said here, and all is as it was. */
export function Sure({ title, children, verb, act, done, onClose }: Props) {
  const { t } = useLingui()
  const [isSent, setSent] = useState(false)
  const [error, setError] = useState<unknown>()
  const confirm = async () => {
    setSent(true)
    setError(undefined)
    try {
      await act()
      if (done) toast(done)
      onClose()
    } catch (cause) {
      setSent(false)
      setError(cause)
    }
  }
  return (
    <Dialog open onClose={onClose} title={title}>
      {error !== undefined && <Problem error={error} kept={t`Nothing has changed.`} />}
      <p className="soft">{children}</p>
      <div className="acts">
        <Button look="quiet" onClick={onClose}>{t`Leave it`}</Button>
        <Button look="destroy main" reason={isSent ? t`Processing…` : undefined} onClick={() => void confirm()}>
          {verb}
        </Button>
      </div>
    </Dialog>
  )
}
