import { etagOf } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { DeleteDialog } from '../../outbox/delete-dialog.tsx'
import { useAsk } from '../../outbox/use-outbox.ts'
import type { Entry } from '../queries.ts'

type Props = { entry: Entry; title: string; onClose: () => void; onDeleted: () => void }

export function DeleteEntry({ entry, title, onClose, onDeleted }: Props) {
  const { t } = useLingui()
  const ask = useAsk()
  const { id } = entry
  const remove = () =>
    ask({
      operation: 'deleteEntry',
      input: { path: { id } },
      label: t`Delete ${title}`,
      about: [id],
      ifMatch: etagOf(entry),
    })
  return (
    <DeleteDialog {...{ name: title, remove, onClose, onDeleted }}>
      {t`All of its versions go with it. To take it from the shop and keep it, archive it.`}
    </DeleteDialog>
  )
}
