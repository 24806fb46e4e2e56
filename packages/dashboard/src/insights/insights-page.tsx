import { useLingui } from '@lingui/react/macro'
import { Head } from '../ui/page.tsx'

export function InsightsPage() {
  const { t } = useLingui()
  return <Head title={t`Insights`} />
}
