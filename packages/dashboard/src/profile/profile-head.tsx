import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Head } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'

/** The name of the page, and the other pages of the profile. */
export function ProfileHead({ title, children }: { title: string; children?: ReactNode }) {
  const { t } = useLingui()
  return (
    <div className="own-head">
      <Head title={title}>{children}</Head>
      <Tabs label={t`Profile`}>
        <Link to="/profile" activeOptions={{ exact: true }}>{t`Profile`}</Link>
        <Link to="/profile/security">{t`Security`}</Link>
        <Link to="/profile/sessions">{t`Sessions`}</Link>
        <Link to="/profile/keys">{t`API keys`}</Link>
      </Tabs>
    </div>
  )
}
