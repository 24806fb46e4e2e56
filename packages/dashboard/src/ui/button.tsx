import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, MouseEvent } from 'react'
import { Icon } from './icon.tsx'

type Look = 'main' | 'quiet' | 'destroy' | 'destroy main' | 'quiet small' | 'small'

type Props = Omit<ComponentProps<'button'>, 'className'> & {
  look?: Look | undefined
  icon?: LucideIcon | undefined
  /** Only the icon is shown; this is its name. */
  only?: string | undefined
  /** Why it cannot be pressed now. It stays where it is, can be reached by keyboard, and says so. */
  reason?: string | undefined
  className?: string | undefined
}

export function Button({ look, icon, only, reason, className = '', children, onClick, ...rest }: Props) {
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (reason) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <button
      type="button"
      {...rest}
      className={`button ${look ?? ''} ${only ? 'only' : ''} ${className}`}
      aria-label={only ? (reason ? `${only}. ${reason}` : only) : rest['aria-label']}
      title={reason ?? only ?? rest.title}
      aria-disabled={reason ? true : undefined}
      onClick={press}
    >
      {icon && <Icon of={icon} />}
      {children}
      {reason && !only && <span className="unseen">. {reason}</span>}
    </button>
  )
}
