import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { Icon } from '../ui/icon.tsx'

export function Crumbs() {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  return (
    <nav className="crumbs" aria-label={t`Where`}>
      <Link to="/$business/bulk-edits" params={{ business }}>{t`Bulk edits`}</Link>
      <Icon of={ChevronRight} />
    </nav>
  )
}
