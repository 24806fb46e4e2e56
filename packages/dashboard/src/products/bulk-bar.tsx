import { Plural, useLingui } from '@lingui/react/macro'
import { ChevronDown, CircleDot, Pencil, X } from 'lucide-react'
import { usePermissions } from '../session/permissions.ts'
import { useCommands } from '../shell/commands.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { STATUSES } from './filters.ts'
import type { Listed } from './listed.ts'
import { TagPopover } from './tag-popover.tsx'
import { useSetStatus } from './use-set-status.ts'
import { STATUS_WORDS } from './words.tsx'

type Props = {
  products: readonly Listed[]
  onEdit: () => void
  onClear: () => void
  /** Everything that the filters find, picked or not. */
  all: { count: number; run: () => void } | undefined
}

/** What can be done with the picked products. */
export function BulkBar({ products, onEdit, onClear, all }: Props) {
  const { t, i18n } = useLingui()
  const { reason } = usePermissions()
  const setStatus = useSetStatus()
  const count = products.length
  const why = reason('PRODUCTS_WRITE')
  useCommands([
    { id: 'edit-picked', label: t`Edit what is selected`, keys: 'b', icon: Pencil, reason: why, run: onEdit },
  ])
  return (
    <div className="float bulk" role="toolbar" aria-label={t`${count} selected`}>
      <b>
        <Plural value={count} one="# selected" other="# selected" />
      </b>
      <span className="rule" />
      <Button look="main" icon={Pencil} reason={why} onClick={onEdit}>{t`Edit…`}</Button>
      <Menu
        trigger={
          <Button look="quiet" icon={CircleDot} reason={why}>
            {t`Status`}
            <Icon of={ChevronDown} />
          </Button>
        }
      >
        {STATUSES.map((status) => (
          <MenuItem key={status} onClick={() => void setStatus(products, status)}>
            {i18n._(STATUS_WORDS[status])}
          </MenuItem>
        ))}
      </Menu>
      <TagPopover products={products} reason={why} />
      {all && (
        <>
          <span className="rule" />
          <Button look="quiet" className="long" reason={why} onClick={all.run}>{t`Edit all ${all.count}…`}</Button>
        </>
      )}
      <Button look="quiet" icon={X} only={t`Clear the selection`} onClick={onClear} />
    </div>
  )
}
