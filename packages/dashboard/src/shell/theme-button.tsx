import { useLingui } from '@lingui/react/macro'
import { Sun } from 'lucide-react'
import { Icon } from '../ui/icon.tsx'
import { toggleTheme } from './theme.ts'

export function ThemeButton() {
  const { t } = useLingui()
  return (
    <button
      type="button"
      className="theme"
      aria-label={t`Light or dark`}
      title={t`Light or dark`}
      onClick={toggleTheme}
    >
      <Icon of={Sun} />
    </button>
  )
}
