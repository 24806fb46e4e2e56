import { Menu as Base } from '@base-ui/react/menu'
import type { LucideIcon } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** What a button opens: a list of things to do. */
export const Menu = ({
  trigger,
  children,
  align = 'start',
}: {
  trigger: ReactElement
  children: ReactNode
  align?: 'start' | 'end'
}) => (
  <Base.Root modal={false}>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner className="menu-layer" align={align} sideOffset={4} collisionPadding={8}>
        <Base.Popup className="menu">{children}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

type ItemProps = {
  icon?: LucideIcon
  end?: ReactNode
  reason?: string | undefined
  onClick: () => void
  children: ReactNode
}

export const MenuItem = ({ icon, end, reason, onClick, children }: ItemProps) => (
  <Base.Item className="item" disabled={reason !== undefined} title={reason} onClick={onClick}>
    {icon && <Icon of={icon} />}
    <span className="cut">{children}</span>
    {(reason ?? end) && <span className="end note">{reason ?? end}</span>}
  </Base.Item>
)

export const MenuCheck = (props: { checked: boolean; onChange: (checked: boolean) => void; children: ReactNode }) => (
  <Base.CheckboxItem className="item" checked={props.checked} onCheckedChange={props.onChange} closeOnClick={false}>
    <input type="checkbox" className="check" checked={props.checked} readOnly tabIndex={-1} aria-hidden="true" />
    <span className="cut">{props.children}</span>
  </Base.CheckboxItem>
)

export const MenuRule = () => <Base.Separator render={<hr />} />
