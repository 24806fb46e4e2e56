import { useLingui } from '@lingui/react/macro'
import { Link, useNavigate } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useUpToDate } from '../live/up-to-date.tsx'
import { OutboxButton, useResumedToasts } from '../outbox/outbox-button.tsx'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { Dot } from '../ui/status.tsx'
import { FindButton } from './find-button.tsx'
import { Person } from './person.tsx'
import { Switcher } from './switcher.tsx'
import { ThemeButton } from './theme-button.tsx'
import { useSections } from './use-sections.ts'

/** 216 px; a rail of 56 on a tablet; not there on a phone. */
export function Side({ onFind }: { onFind: () => void }) {
  const { t } = useLingui()
  const sections = useSections()
  const business = addressOf(useBusiness())
  const { words, fill, tone } = useUpToDate()
  useResumedToasts()
  return (
    <aside className="side">
      <div className="side-in">
        <Switcher />
        <FindButton onFind={onFind} />
        <nav className="nav" aria-label={t`Sections`}>
          {sections.map(({ to, name, icon, isSub }) => (
            <Link
              key={to}
              to={to}
              params={{ business }}
              title={name}
              className={isSub ? 'sub' : ''}
              activeOptions={{ exact: to === '/$business' }}
            >
              {!isSub && <Icon of={icon} />}
              <span>{name}</span>
            </Link>
          ))}
        </nav>
        <div className="side-foot">
          <OutboxButton />
          <p className="up-to-date" title={words}>
            <Dot fill={fill} tone={tone} />
            <span>{words}</span>
          </p>
          <div className="who-row">
            <Person />
            <ThemeButton />
          </div>
        </div>
      </div>
    </aside>
  )
}

export function PhoneTop({ onFind }: { onFind: () => void }) {
  return (
    <header className="phone-top">
      <Switcher />
      <div className="end">
        <OutboxButton isSmall />
        <ThemeButton />
        <FindButton onFind={onFind} isSmall />
        <Person isSmall />
      </div>
    </header>
  )
}

/** As many as have room for their names. */
const AT_FOOT = 5

/** The sections at the foot, where a thumb reaches them; those without room there are behind the last one. */
export function PhoneNav() {
  const { t } = useLingui()
  const sections = useSections()
  const business = addressOf(useBusiness())
  const navigate = useNavigate()
  const shown = sections.length > AT_FOOT ? sections.filter(({ isSub }) => !isSub).slice(0, AT_FOOT - 1) : sections
  const rest = sections.filter((section) => !shown.includes(section))
  return (
    <nav className="phone-nav" aria-label={t`Sections`}>
      {shown.map(({ to, name, icon }) => (
        <Link key={to} to={to} params={{ business }} activeOptions={{ exact: to === '/$business' }}>
          <Icon of={icon} />
          <span className="cut">{name}</span>
        </Link>
      ))}
      {rest.length > 0 && (
        <Menu
          align="end"
          trigger={
            <button type="button">
              <Icon of={Ellipsis} />
              <span className="cut">{t`More`}</span>
            </button>
          }
        >
          {rest.map(({ to, name, icon }) => (
            <MenuItem key={to} icon={icon} onClick={() => void navigate({ to, params: { business } })}>
              {name}
            </MenuItem>
          ))}
        </Menu>
      )}
    </nav>
  )
}
