import { etagOf } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { kontor } from '../api/client.ts'
import { saveMerged } from '../merge/save.ts'
import { useMerge } from '../merge/use-merge.tsx'
import { useAsk } from '../outbox/use-outbox.ts'
import { useBusiness } from '../session/use-business.ts'
import type { SavedView, ViewState } from './queries.ts'

type Fields = Pick<SavedView, 'name' | 'filters' | 'columns' | 'isShared'>

const fieldsOf = ({ name, filters, columns, isShared }: SavedView): Fields => ({ name, filters, columns, isShared })

/** Saves, changes and deletes views. A colleague may change a shared one at the same time: both changes count. */
export function useChangeView(list: SavedView['list']) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const ask = useAsk()
  const names = { name: t`Name`, filters: t`Filters`, columns: t`Columns`, isShared: t`Shared` }
  const { decide, sheet } = useMerge<Fields>((field) => names[field])

  const create = (made: ViewState & { name: string; isShared: boolean }) =>
    ask({ operation: 'createSavedView', input: { body: { list, ...made } }, label: t`Save the view ${made.name}` })

  const update = (view: SavedView, changes: Partial<Fields>) => {
    const path = { businessId, id: view.id }
    return saveMerged<Fields, SavedView>({
      base: fieldsOf(view),
      mine: { ...fieldsOf(view), ...changes },
      etag: undefined,
      write: (body, ifMatch) =>
        ask({
          operation: 'updateSavedView',
          input: { path: { id: view.id }, body },
          label: t`Change the view ${view.name}`,
          about: [view.id],
          ifMatch,
        }),
      read: async () => {
        const now = await kontor.operations.getSavedView({ path })
        return { value: fieldsOf(now), etag: etagOf(now) }
      },
      decide,
    })
  }

  const remove = ({ id, name }: SavedView) =>
    ask({ operation: 'deleteSavedView', input: { path: { id } }, label: t`Delete the view ${name}`, about: [id] })

  return { create, update, remove, sheet }
}
