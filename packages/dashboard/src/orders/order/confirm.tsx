import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

type Props = {
  open: boolean
  title: string
  action: string
  isDestroying?: boolean
  onDo: () => void
  onClose: () => void
  children: ReactNode
}

/** Asks before something that cannot be taken back. */
export function Confirm({ open, title, action, isDestroying = false, onDo, onClose, children }: Props) {
  const { t } = useLingui()
  return (
    <Dialog {...{ open, onClose, title }}>
      <p className="soft">{children}</p>
      <div className="acts">
        <Button look="quiet" onClick={onClose}>{t`Leave it`}</Button>
        <Button look={isDestroying ? 'destroy main' : 'main'} onClick={onDo}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
