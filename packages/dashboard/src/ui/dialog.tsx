import { Dialog as Base } from '@base-ui/react/dialog'
import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'

type Props = { open: boolean; onClose: () => void; title: string; children: ReactNode }

const close = (onClose: () => void) => (open: boolean) => {
  if (!open) onClose()
}

/** A question to answer first. It may open over a sheet, never over another dialog. */
export const Dialog = ({ open, onClose, title, children }: Props) => (
  <Base.Root open={open} onOpenChange={close(onClose)}>
    <Base.Portal>
      <Base.Backdrop className="veil" />
      <Base.Popup className="popup centre dialog">
        <Base.Title render={<h2 />}>{title}</Base.Title>
        {children}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)

/** A task beside the work; on a phone a whole page. Whoever opens it gives it an address. */
export function Sheet({
  open,
  onClose,
  title,
  children,
  foot,
  wide = false,
  initialFocus,
}: Props & { foot?: ReactNode; wide?: boolean; initialFocus?: (() => HTMLElement | null) | undefined }) {
  const { t } = useLingui()
  return (
    <Base.Root open={open} onOpenChange={close(onClose)}>
      <Base.Portal>
        <Base.Backdrop className="veil" />
        <Base.Popup className={`sheet sheet-layer ${wide ? 'wide' : ''}`} initialFocus={initialFocus}>
          <header>
            <Base.Title render={<h2 />}>{title}</Base.Title>
            <Button look="quiet" icon={X} only={t`Close`} onClick={onClose} />
          </header>
          <div className="body">{children}</div>
          {foot && <footer>{foot}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
