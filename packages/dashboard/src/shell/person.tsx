import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Languages, LogOut, Monitor, Moon, ShieldCheck, Sun, User } from 'lucide-react'
import { choose, LANGUAGES, type Language } from '../i18n/i18n.ts'
import { meQuery } from '../session/queries.ts'
import { signOut } from '../session/session.ts'
import { Menu, MenuItem, MenuRule } from '../ui/menu.tsx'
import { setTheme, useTheme } from './theme.ts'

export const initialsOf = (name: string) =>
  name
    .split(/\s+/)
    .flatMap((word) => word[0] ?? [])
    .filter((_, at, all) => at === 0 || at === all.length - 1)
    .join('')
    .toUpperCase()

/** Who is signed in: profile, language, theme, sign out. */
export function Person({ isSmall = false }: { isSmall?: boolean }) {
  const { t, i18n } = useLingui()
  const { data: me } = useSuspenseQuery(meQuery())
  const theme = useTheme()
  const navigate = useNavigate()
  const name = me.name || me.email || t`Me`
  const trigger = isSmall ? (
    <button type="button" className="theme" title={name}>
      <span className="face" aria-hidden="true">
        {initialsOf(name)}
      </span>
      <span className="unseen">{name}</span>
    </button>
  ) : (
    <button type="button" className="who" title={name}>
      <span className="face">{initialsOf(name)}</span>
      <span className="cut">{name}</span>
    </button>
  )
  const current = (isIt: boolean) => (isIt ? '✓' : undefined)
  return (
    <Menu trigger={trigger} align={isSmall ? 'end' : 'start'}>
      <MenuItem icon={User} onClick={() => void navigate({ to: '/profile' })}>{t`Your profile`}</MenuItem>
      <MenuItem icon={ShieldCheck} onClick={() => void navigate({ to: '/profile/security' })}>{t`Security`}</MenuItem>
      <MenuRule />
      {(Object.keys(LANGUAGES) as Language[]).map((language) => (
        <MenuItem
          key={language}
          icon={Languages}
          end={current(i18n.locale === language)}
          onClick={() => void choose(language)}
        >
          {LANGUAGES[language]}
        </MenuItem>
      ))}
      <MenuRule />
      <MenuItem icon={Sun} end={current(theme === 'light')} onClick={() => setTheme('light')}>{t`Light`}</MenuItem>
      <MenuItem icon={Moon} end={current(theme === 'dark')} onClick={() => setTheme('dark')}>{t`Dark`}</MenuItem>
      <MenuItem
        icon={Monitor}
        end={current(theme === 'system')}
        onClick={() => setTheme('system')}
      >{t`As the system`}</MenuItem>
      <MenuRule />
      <MenuItem icon={LogOut} onClick={() => void signOut()}>{t`Sign out`}</MenuItem>
    </Menu>
  )
}
