import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Anchor, Check, ChevronDown, Plus, Radar, ShieldCheck } from 'lucide-react'
import { useConfirm } from '../session/other-businesses.tsx'
import { businessesQuery, meQuery } from '../session/queries.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem, MenuRule } from '../ui/menu.tsx'

/** Which business one works in. */
export function Switcher() {
  const { id, name } = useBusiness()
  return <Places name={name} openId={id} />
}

/** Where one is, and where else one may go. Without an open business one is in the part for operators. */
export function Places({ name, openId }: { name: string; openId?: string }) {
  const { t } = useLingui()
  const { data } = useSuspenseQuery(businessesQuery())
  const { data: me } = useSuspenseQuery(meQuery())
  const navigate = useNavigate()
  const confirm = useConfirm()
  const trigger = (
    <button type="button" className="switcher" title={name}>
      <Icon of={openId === undefined ? Radar : Anchor} />
      <span className="cut">{name}</span>
      <Icon of={ChevronDown} />
    </button>
  )
  const open = <Check className="icon" aria-label={t`Open`} />
  return (
    <Menu trigger={trigger}>
      {data.items.map((one) => (
        <MenuItem
          key={one.id}
          icon={Anchor}
          end={one.id === openId ? open : undefined}
          onClick={() => void navigate({ to: '/$business', params: { business: addressOf(one) } })}
        >
          {one.name}
        </MenuItem>
      ))}
      {data.items.length > 0 && <MenuRule />}
      {me.isOperator && (
        <MenuItem
          icon={Radar}
          end={openId === undefined ? open : undefined}
          onClick={() => void navigate({ to: '/operator' })}
        >{t`Operator`}</MenuItem>
      )}
      {me.needsConfirmation && (
        <MenuItem
          icon={ShieldCheck}
          onClick={() => void confirm()}
        >{t`Confirm it’s you to see all businesses`}</MenuItem>
      )}
      <MenuItem icon={Plus} onClick={() => void navigate({ to: '/start' })}>{t`Another business`}</MenuItem>
    </Menu>
  )
}
