import { useLingui } from '@lingui/react/macro'
import { Status } from '../ui/status.tsx'
import { type BulkEdit, leftOf } from './types.ts'

/** How far it is, as a word with a dot. */
export function EditState({ edit }: { edit: BulkEdit }) {
  const { t } = useLingui()
  switch (edit.status) {
    case 'DRY_RUN':
      return <Status fill="half" tone="act">{t`Being tried`}</Status>
    case 'READY':
      return <span className="badge">{t`Dry run, nothing is written yet`}</span>
    case 'APPLYING':
      return <Status fill="half" tone="act">{t`Being applied`}</Status>
    case 'UNDOING':
      return <Status fill="half" tone="act">{t`Being undone`}</Status>
    case 'UNDONE':
      return <Status fill="off">{t`Undone`}</Status>
    case 'FAILED':
      return <Status fill="off" tone="alert">{t`Failed`}</Status>
    default:
      return leftOf(edit) > 0 || edit.undone > 0 ? (
        <Status fill="half" tone="wait">{t`Stopped halfway`}</Status>
      ) : (
        <Status fill="full" tone="good">{t`Applied`}</Status>
      )
  }
}
