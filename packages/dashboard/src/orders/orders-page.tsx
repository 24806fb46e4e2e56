import { useLingui } from '@lingui/react/macro'
import { UpToDate } from '../live/up-to-date.tsx'
import { Head } from '../ui/page.tsx'

export function OrdersPage() {
  const { t } = useLingui()
  return <Head title={t`Orders`} facts={<UpToDate />} />
}
