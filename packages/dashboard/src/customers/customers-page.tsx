import { useLingui } from '@lingui/react/macro'
import { Head } from '../ui/page.tsx'

export function CustomersPage() {
  const { t } = useLingui()
  return <Head title={t`Customers`} />
}
