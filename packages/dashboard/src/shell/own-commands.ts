import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { KeyRound, Laptop, LogOut, ShieldCheck, Sun, User } from 'lucide-react'
import { signOut } from '../session/session.ts'
import type { Command } from './commands.ts'
import { toggleTheme } from './theme.ts'

/** What a person can do wherever they are: their account, the theme, signing out. */
export function useOwnCommands(): Command[] {
  const { t } = useLingui()
  const navigate = useNavigate()
  const profile = [
    { to: '/profile', label: t`Go to your profile`, icon: User },
    { to: '/profile/security', label: t`Go to passkeys, app and password`, icon: ShieldCheck },
    { to: '/profile/sessions', label: t`Go to your sessions`, icon: Laptop },
    { to: '/profile/keys', label: t`Go to your API keys`, icon: KeyRound },
  ] as const
  return [
    ...profile.map(({ to, label, icon }) => ({ id: `go ${to}`, label, icon, run: () => void navigate({ to }) })),
    { id: 'theme', label: t`Light or dark`, icon: Sun, run: toggleTheme },
    { id: 'sign-out', label: t`Sign out`, icon: LogOut, run: () => void signOut() },
  ]
}
