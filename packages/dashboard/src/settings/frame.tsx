import './settings.css'
import { useLingui as useCatalogue } from '@lingui/react'
import { useLingui } from '@lingui/react/macro'
import { Link, Outlet, useMatches, useNavigate } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { usePermissions } from '../session/permissions.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { useCommands } from '../shell/commands.ts'
import { Icon } from '../ui/icon.tsx'
import { Notice } from '../ui/notice.tsx'
import { Head } from '../ui/page.tsx'
import { PAGES } from './pages.ts'

/** The pages of which this person may see anything, with their names. */
function usePages() {
  const { i18n } = useCatalogue()
  const { mayAny } = usePermissions()
  return PAGES.map((page) => ({
    ...page,
    name: i18n._(page.label),
    words: i18n._(page.about),
    isOpen: mayAny(...page.needs),
  }))
}

/** What stands around every page of the settings: the others. */
export function SettingsFrame() {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  const navigate = useNavigate()
  const { reason } = usePermissions()
  const pages = usePages()
  const place = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' })
  const page = pages.find(({ to }) => `${place}/`.startsWith(`${to}/`))
  const shown = pages.filter(({ isOpen }) => isOpen)
  useCommands(
    shown.map(({ to, name, icon }) => ({
      id: `settings ${to}`,
      label: t`Settings: ${name}`,
      icon,
      run: () => void navigate({ to, params: { business } }),
    })),
  )
  if (!page) return <Outlet />
  return (
    <div className="settings">
      <Link to="/$business/settings" params={{ business }} className="settings-back">
        <Icon of={ChevronLeft} />
        {t`Settings`}
      </Link>
      <nav className="settings-nav" aria-label={t`Settings`}>
        {shown.map(({ to, name, icon }) => (
          <Link key={to} to={to} params={{ business }}>
            <Icon of={icon} />
            <span>{name}</span>
          </Link>
        ))}
      </nav>
      <div className="settings-page">
        {page.isOpen ? (
          <Outlet />
        ) : (
          <>
            <Head title={page.name} />
            <div className="page">
              <Notice tone="calm" title={t`Your role does not show this page.`}>
                {reason(page.needs[0] ?? 'ADMIN')}
              </Notice>
            </div>
          </>
        )}
      </div>
    </div>
  )
}

/** All pages with what they hold: the way in, on a phone above all. */
export function SettingsIndexPage() {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  const pages = usePages()
  return (
    <>
      <Head title={t`Settings`} />
      <ul className="settings-list">
        {pages
          .filter(({ isOpen }) => isOpen)
          .map(({ to, name, words, icon }) => (
            <li key={to}>
              <Link to={to} params={{ business }}>
                <Icon of={icon} />
                <span>
                  <b className="strong">{name}</b>
                  <span className="note">{words}</span>
                </span>
              </Link>
            </li>
          ))}
      </ul>
    </>
  )
}
