import { useLingui } from '@lingui/react/macro'
import { Status } from '../ui/status.tsx'
import type { Import } from './types.ts'

/** How far it is, as a word with a dot. */
export function ImportState({ of: { status, kept, failed } }: { of: Import }) {
  const { t } = useLingui()
  switch (status) {
    case 'RECEIVING':
      return <Status fill="half" tone="act">{t`Arriving`}</Status>
    case 'DRY_RUN':
      return <Status fill="half" tone="act">{t`Being tried`}</Status>
    case 'READY':
      return <span className="badge">{t`Dry run, nothing is written yet`}</span>
    case 'RUNNING':
      return <Status fill="half" tone="act">{t`Being imported`}</Status>
    case 'UNDOING':
      return <Status fill="half" tone="act">{t`Being undone`}</Status>
    case 'UNDONE':
      return <Status fill="off">{kept > 0 ? t`Undone in part` : t`Undone`}</Status>
    case 'DISCARDED':
      return <Status fill="off">{t`Discarded`}</Status>
    case 'STOPPED':
      return <Status fill="half" tone="wait">{t`Stopped halfway`}</Status>
    default:
      return failed > 0 ? (
        <Status fill="half" tone="wait">{t`Imported, some lines were wrong`}</Status>
      ) : (
        <Status fill="full" tone="good">{t`Imported`}</Status>
      )
  }
}
