import { useLingui } from '@lingui/react/macro'
import { Head } from '../ui/page.tsx'

export function OperatorPage() {
  const { t } = useLingui()
  return <Head title={t`Operator`} />
}
