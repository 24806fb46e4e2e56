import { useLingui } from '@lingui/react/macro'
import { Head } from '../ui/page.tsx'

export function MediaPage() {
  const { t } = useLingui()
  return <Head title={t`Media`} />
}
