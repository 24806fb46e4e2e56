import { useLingui } from '@lingui/react/macro'
import { Columns3 } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { Menu, MenuCheck } from '../ui/menu.tsx'
import { COLUMN_NAMES } from './columns.tsx'
import { COLUMNS, type ColumnId } from './filters.ts'

export function ColumnMenu({
  shown,
  onChange,
}: {
  shown: ReadonlySet<ColumnId>
  onChange: (shown: ColumnId[]) => void
}) {
  const { t, i18n } = useLingui()
  return (
    <Menu align="end" trigger={<Button look="quiet small" icon={Columns3} only={t`Columns`} />}>
      {COLUMNS.map((id) => (
        <MenuCheck
          key={id}
          checked={shown.has(id)}
          onChange={(isOn) => onChange(COLUMNS.filter((one) => (one === id ? isOn : shown.has(one))))}
        >
          {i18n._(COLUMN_NAMES[id])}
        </MenuCheck>
      ))}
    </Menu>
  )
}
