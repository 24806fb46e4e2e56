import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Problem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'

type Props = {
  name: string
  /** Asks the service. */
  remove: () => Promise<unknown>
  onClose: () => void
  onDeleted: () => void
  /** What goes with it, and what stays. */
  children: ReactNode
}

/** Asks a person, then the service; what the service refuses is said here, and the record is still there. */
export function DeleteDialog({ name, remove, onClose, onDeleted, children }: Props) {
  const { t } = useLingui()
  const [isSent, setIsSent] = useState(false)
  const [error, setError] = useState<unknown>()
  const confirm = async () => {
    setIsSent(true)
    setError(undefined)
    try {
      await remove()
      toast(t`${name} deleted`)
      onDeleted()
    } catch (cause) {
      setIsSent(false)
      setError(cause)
    }
  }
  return (
    <Dialog open onClose={onClose} title={t`Delete ${name}?`}>
      {error !== undefined && <Problem error={error} kept={t`Nothing was deleted.`} />}
      <p className="soft">{children}</p>
      <div className="acts">
        <Button look="quiet" onClick={onClose}>{t`Keep it`}</Button>
        <Button
          look="destroy main"
          reason={isSent ? t`Processing…` : undefined}
          onClick={() => void confirm()}
        >{t`Delete`}</Button>
      </div>
    </Dialog>
  )
}
