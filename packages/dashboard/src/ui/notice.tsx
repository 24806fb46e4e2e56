import { CircleAlert, Clock, Info, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

const ICONS = { wait: Clock, alert: CircleAlert, calm: Info }

/** What happened, what was kept, what to do, in that order. */
export const Notice = (props: {
  tone?: keyof typeof ICONS
  /** By default, that of the tone. */
  icon?: LucideIcon
  title: ReactNode
  children?: ReactNode
  /** A list below the text. */
  details?: ReactNode
  action?: ReactNode
}) => (
  <div className={`notice ${props.tone ?? 'wait'}`} role={props.tone === 'alert' ? 'alert' : 'status'}>
    <Icon of={props.icon ?? ICONS[props.tone ?? 'wait']} />
    <div>
      <b>{props.title}</b> {props.children && <span className="soft">{props.children}</span>}
      {props.details}
    </div>
    {props.action}
  </div>
)
