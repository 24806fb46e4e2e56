import { Popover as Base } from '@base-ui/react/popover'
import type { ReactElement, ReactNode } from 'react'

type Props = {
  trigger: ReactElement
  label: string
  open: boolean
  onOpenChange: (open: boolean) => void
  children: ReactNode
}

/** A small form beside its button. */
export const Popover = ({ trigger, label, open, onOpenChange, children }: Props) => (
  <Base.Root open={open} onOpenChange={onOpenChange}>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner className="menu-layer" align="start" sideOffset={4} collisionPadding={8}>
        <Base.Popup className="menu" aria-label={label}>
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
