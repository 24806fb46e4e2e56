import { useLingui } from '@lingui/react/macro'
import { Head } from '../ui/page.tsx'

export function MePage() {
  const { t } = useLingui()
  return <Head title={t`My account`} />
}
