import { useLingui } from '@lingui/react/macro'
import { Head } from '../ui/page.tsx'
import { AuditList } from './audit-list.tsx'
import { auditPages } from './queries.ts'

/** What operators have changed, here and on the command line. */
export function OperatorAuditPage() {
  const { t } = useLingui()
  return (
    <>
      <Head title={t`Audit`} />
      <div className="page op-page">
        <AuditList of={auditPages()} />
      </div>
    </>
  )
}
