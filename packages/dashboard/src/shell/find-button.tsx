import { useLingui } from '@lingui/react/macro'
import { Search } from 'lucide-react'
import { Icon } from '../ui/icon.tsx'
import { Keys } from './keys.tsx'

/** Opens the palette. `isSmall`: at the top of a phone. */
export function FindButton({ onFind, isSmall = false }: { onFind: () => void; isSmall?: boolean }) {
  const { t } = useLingui()
  if (isSmall)
    return (
      <button type="button" className="theme" aria-label={t`Find or do`} onClick={onFind}>
        <Icon of={Search} big />
      </button>
    )
  return (
    <button type="button" className="find" title={t`Find or do`} onClick={onFind}>
      <Icon of={Search} />
      <span>{t`Find or do`}</span>
      <Keys keys="mod+k" />
    </button>
  )
}
