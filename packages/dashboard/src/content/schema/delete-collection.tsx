import { etagOf } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { DeleteDialog } from '../../outbox/delete-dialog.tsx'
import { useAsk } from '../../outbox/use-outbox.ts'
import type { Collection } from '../queries.ts'

type Props = { collection: Collection; onClose: () => void; onDeleted: () => void }

/** The service refuses it while there are entries: nothing goes that somebody wrote. */
export function DeleteCollection({ collection, onClose, onDeleted }: Props) {
  const { t } = useLingui()
  const ask = useAsk()
  const { id, name } = collection
  const remove = () =>
    ask({
      operation: 'deleteCollection',
      input: { path: { id } },
      label: t`Delete the collection ${name}`,
      about: [id],
      ifMatch: etagOf(collection),
    })
  return (
    <DeleteDialog {...{ name, remove, onClose, onDeleted }}>
      {t`Only a collection without entries can be deleted. To take it from the shop, archive it.`}
    </DeleteDialog>
  )
}
