import { useLingui } from '@lingui/react/macro'
import { Head } from '../ui/page.tsx'

export function SettingsPage() {
  const { t } = useLingui()
  return <Head title={t`Settings`} />
}
