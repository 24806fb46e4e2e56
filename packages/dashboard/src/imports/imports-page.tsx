import './imports.css'
import { useLingui } from '@lingui/react/macro'
import { Head } from '../ui/page.tsx'
import { History } from './history.tsx'
import { Upload } from './upload.tsx'

/** A file in, and what came of earlier ones. */
export function ImportsPage() {
  const { t } = useLingui()
  return (
    <div className="imports">
      <Head title={t`Import products`} facts={t`A dry run first: nothing is written until you apply it.`} />
      <Upload />
      <History />
    </div>
  )
}
