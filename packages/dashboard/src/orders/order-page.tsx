import { useLingui } from '@lingui/react/macro'
import { Head } from '../ui/page.tsx'

export function OrderPage() {
  const { t } = useLingui()
  return <Head title={t`Order`} />
}
