import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Anchor, Check, ChevronDown, Plus } from 'lucide-react'
import { businessesQuery } from '../session/queries.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem, MenuRule } from '../ui/menu.tsx'

/** Which business one works in. */
export function Switcher() {
  const { t } = useLingui()
  const business = useBusiness()
  const { data } = useSuspenseQuery(businessesQuery())
  const navigate = useNavigate()
  const trigger = (
    <button type="button" className="switcher" title={business.name}>
      <Icon of={Anchor} />
      <span className="cut">{business.name}</span>
      <Icon of={ChevronDown} />
    </button>
  )
  return (
    <Menu trigger={trigger}>
      {data.items.map((one) => (
        <MenuItem
          key={one.id}
          icon={Anchor}
          end={one.id === business.id ? <Check className="icon" aria-label={t`Open`} /> : undefined}
          onClick={() => void navigate({ to: '/$business', params: { business: addressOf(one) } })}
        >
          {one.name}
        </MenuItem>
      ))}
      <MenuRule />
      <MenuItem icon={Plus} onClick={() => void navigate({ to: '/start' })}>{t`Another business`}</MenuItem>
    </Menu>
  )
}
