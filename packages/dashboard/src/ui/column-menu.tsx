import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { Columns3 } from 'lucide-react'
import { Button } from './button.tsx'
import { Menu, MenuCheck } from './menu.tsx'

type Props<Id extends string> = {
  columns: readonly Id[]
  names: Record<Id, MessageDescriptor>
  shown: ReadonlySet<Id>
  onChange: (shown: Id[]) => void
}

export function ColumnMenu<Id extends string>({ columns, names, shown, onChange }: Props<Id>) {
  const { t, i18n } = useLingui()
  return (
    <Menu align="end" trigger={<Button look="quiet small" icon={Columns3} only={t`Columns`} />}>
      {columns.map((id) => (
        <MenuCheck
          key={id}
          checked={shown.has(id)}
          onChange={(isOn) => onChange(columns.filter((one) => (one === id ? isOn : shown.has(one))))}
        >
          {i18n._(names[id])}
        </MenuCheck>
      ))}
    </Menu>
  )
}
