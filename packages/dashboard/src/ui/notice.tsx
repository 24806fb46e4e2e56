import { CircleAlert, Clock, Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

const ICONS = { wait: Clock, alert: CircleAlert, calm: Info }

/** What happened, what was kept, what to do, in that order. */
export const Notice = (props: {
  tone?: keyof typeof ICONS
  title: ReactNode
  children?: ReactNode
  action?: ReactNode
}) => (
  <div className={`notice ${props.tone ?? 'wait'}`} role={props.tone === 'alert' ? 'alert' : 'status'}>
    <Icon of={ICONS[props.tone ?? 'wait']} />
    <div>
      <b>{props.title}</b> {props.children && <span className="soft">{props.children}</span>}
    </div>
    {props.action}
  </div>
)
