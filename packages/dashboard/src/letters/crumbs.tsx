import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { Icon } from '../ui/icon.tsx'
import { newsletterQuery } from './queries.ts'

/** Letters, the newsletter, and what is between it and this page. */
export function Crumbs({ newsletter, children }: { newsletter?: string | undefined; children?: ReactNode }) {
  const { t } = useLingui()
  const business = useBusiness()
  const params = { business: addressOf(business) }
  const { data } = useQuery({ ...newsletterQuery(business.id, newsletter ?? ''), enabled: newsletter !== undefined })
  return (
    <nav className="crumbs" aria-label={t`Where`}>
      <Link to="/$business/letters" params={params}>{t`Letters`}</Link>
      <Icon of={ChevronRight} />
      {data && newsletter && (
        <>
          <Link to="/$business/letters" params={params} search={{ newsletter }}>
            {data.name}
          </Link>
          <Icon of={ChevronRight} />
        </>
      )}
      {children}
    </nav>
  )
}
