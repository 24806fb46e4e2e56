import { useLingui } from '@lingui/react/macro'
import { Head } from '../ui/page.tsx'

export function LettersPage() {
  const { t } = useLingui()
  return <Head title={t`Letters`} />
}
