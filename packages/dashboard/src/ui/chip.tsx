import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** A filter that is on: its name, its value, and a way to take it off. */
export function Chip({ name, children, onRemove }: { name: string; children: ReactNode; onRemove: () => void }) {
  const { t } = useLingui()
  return (
    <span className="chip">
      <span>{name}</span>
      {children}
      <button type="button" aria-label={t`Remove the filter ${name}`} onClick={onRemove}>
        <Icon of={X} />
      </button>
    </span>
  )
}
