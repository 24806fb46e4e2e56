import './bulk-edits.css'
import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { Icon } from '../ui/icon.tsx'
import { Head } from '../ui/page.tsx'
import { Earlier } from './earlier.tsx'

/** The history. */
export function BulkEditsPage() {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  return (
    <>
      <Head title={t`Bulk edits`}>
        <Link to="/$business/bulk-edits/new" params={{ business }} className="button main">
          <Icon of={Plus} />
          {t`New bulk edit`}
        </Link>
      </Head>
      <Earlier />
    </>
  )
}
