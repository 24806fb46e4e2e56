import { useLingui } from '@lingui/react/macro'
import { Head } from '../ui/page.tsx'

export function ProductsPage() {
  const { t } = useLingui()
  return <Head title={t`Products`} />
}
