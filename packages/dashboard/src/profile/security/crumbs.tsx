import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { Icon } from '../../ui/icon.tsx'

export function SecurityCrumbs({ children }: { children: string }) {
  const { t } = useLingui()
  return (
    <nav className="crumbs over-head" aria-label={t`Where`}>
      <Link to="/profile/security">{t`Security`}</Link>
      <Icon of={ChevronRight} />
      {children}
    </nav>
  )
}
