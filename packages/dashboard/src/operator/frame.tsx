import './operator.css'
import { KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useMatches, useNavigate } from '@tanstack/react-router'
import {
  Building2,
  CirclePause,
  Database,
  Keyboard,
  ListChecks,
  type LucideIcon,
  Mail,
  MailWarning,
  ScrollText,
  Search,
  Trash2,
} from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useOwnFormat } from '../profile/moment.tsx'
import { useCommands, useKeyboard } from '../shell/commands.ts'
import { FindButton } from '../shell/find-button.tsx'
import { useOwnCommands } from '../shell/own-commands.ts'
import { Person } from '../shell/person.tsx'
import { Places } from '../shell/switcher.tsx'
import { ThemeButton } from '../shell/theme-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Dot } from '../ui/status.tsx'
import { overviewQuery } from './queries.ts'
import { Refused } from './refused.tsx'
import { goToStop } from './stops.ts'
import { needsSomebody } from './words.tsx'

const KeysDialog = lazy(() => import('../shell/keys-dialog.tsx').then(({ KeysDialog }) => ({ default: KeysDialog })))
const Palette = lazy(() => import('./palette.tsx').then(({ OperatorPalette }) => ({ default: OperatorPalette })))

type Part = {
  to: '/operator' | '/operator/jobs' | '/operator/sends' | '/operator/cells' | '/operator/audit'
  name: string
  icon: LucideIcon
  keys: string
  /** How many of it need somebody. */
  count: number
}

/** What stands around the screens of an operator. Whoever may not see them is told what to do. */
export function OperatorFrame() {
  const { t } = useLingui()
  const { error } = useQuery(overviewQuery())
  const refusal = error instanceof KontorError && error.status === 403 ? error : undefined
  const parts = useParts()
  const [open, setOpen] = useState<'palette' | 'keys'>()
  const close = () => setOpen(undefined)
  const find = () => setOpen('palette')
  useKeyboard()
  useOperatorCommands(refusal ? [] : parts, { onFind: find, onKeys: () => setOpen('keys') })
  return (
    <>
      <a className="skip" href="#main">{t`Skip to content`}</a>
      <div className="shell operator">
        <aside className="side">
          <div className="side-in">
            <Places name={t`Operator`} />
            {!refusal && <FindButton onFind={find} />}
            <nav className="nav" aria-label={t`Sections`}>
              {!refusal && parts.map((part) => <PartLink key={part.to} part={part} />)}
            </nav>
            <div className="side-foot">
              {!refusal && <LastLook />}
              <div className="who-row">
                <Person />
                <ThemeButton />
              </div>
            </div>
          </div>
        </aside>
        <header className="phone-top">
          <Places name={t`Operator`} />
          <div className="end">
            <ThemeButton />
            {!refusal && <FindButton onFind={find} isSmall />}
            <Person isSmall />
          </div>
        </header>
        <main id="main" tabIndex={-1}>
          {refusal ? <Refused refusal={refusal} /> : <Outlet />}
        </main>
        <nav className="phone-nav" aria-label={t`Sections`}>
          {!refusal && parts.map((part) => <PartLink key={part.to} part={part} isPhone />)}
        </nav>
      </div>
      {open === 'keys' && (
        <Suspense>
          <KeysDialog onClose={close} />
        </Suspense>
      )}
      {open === 'palette' && !refusal && (
        <Suspense>
          <Palette onClose={close} />
        </Suspense>
      )}
    </>
  )
}

function useParts(): Part[] {
  const { t } = useLingui()
  const { data } = useQuery(overviewQuery())
  const { deadJobs = 0, stoppedSends = 0 } = data?.totals ?? {}
  const away = data?.cells.filter(needsSomebody).length ?? 0
  return [
    { to: '/operator', name: t`Businesses`, icon: Building2, keys: 'g b', count: 0 },
    { to: '/operator/jobs', name: t`Jobs`, icon: ListChecks, keys: 'g j', count: deadJobs },
    { to: '/operator/sends', name: t`Sends`, icon: Mail, keys: 'g s', count: stoppedSends },
    { to: '/operator/cells', name: t`Cells`, icon: Database, keys: 'g c', count: away },
    { to: '/operator/audit', name: t`Audit`, icon: ScrollText, keys: 'g a', count: 0 },
  ]
}

function PartLink({ part: { to, name, icon, count }, isPhone = false }: { part: Part; isPhone?: boolean }) {
  const { number } = useOwnFormat()
  const place = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' })
  // The page of one business belongs to the list of them, which is at the root.
  const isOpen = to === '/operator' ? /^\/operator\/?($|businesses)/.test(place) : place.startsWith(to)
  return (
    <Link
      to={to}
      title={isPhone ? undefined : name}
      activeOptions={{ exact: true, includeSearch: false }}
      aria-current={isOpen ? 'page' : undefined}
    >
      <Icon of={icon} />
      <span className="cut">{name}</span>
      {count > 0 && <span className={isPhone ? 'bubble' : 'count person'}>{number(count)}</span>}
    </Link>
  )
}

/** How old what is on the screen may be. */
function LastLook() {
  const { t } = useLingui()
  const format = useOwnFormat()
  const { dataUpdatedAt, isError } = useQuery(overviewQuery())
  if (dataUpdatedAt === 0) return null
  const time = format.time(dataUpdatedAt / 1_000)
  const words = isError ? t`Not reached since ${time}` : t`As of ${time}`
  return (
    <p className="up-to-date" title={words}>
      <Dot fill={isError ? 'unknown' : 'full'} tone={isError ? 'wait' : 'good'} />
      <span className="nowrap">{words}</span>
    </p>
  )
}

/** Whoever is refused, and so has no parts, has nothing to find either. */
function useOperatorCommands(parts: readonly Part[], { onFind, onKeys }: Record<'onFind' | 'onKeys', () => void>) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const own = useOwnCommands()
  const keys = { id: 'keys', label: t`Show the keys`, keys: '?', icon: Keyboard, run: onKeys }
  const steps = [
    { id: 'find', label: t`Find or do`, keys: 'mod+k', icon: Search, inPalette: false, run: onFind },
    { id: 'next-stop', label: t`Next row`, keys: 'j', inPalette: false, run: () => goToStop(1) },
    { id: 'last-stop', label: t`Row before`, keys: 'k', inPalette: false, run: () => goToStop(-1) },
  ]
  const views = [
    {
      id: 'all-businesses',
      label: t`Show all businesses`,
      icon: Building2,
      run: () => void navigate({ to: '/operator', search: { show: 'all' } }),
    },
    {
      id: 'suspended',
      label: t`Show suspended businesses`,
      icon: CirclePause,
      run: () => void navigate({ to: '/operator', search: { show: 'suspended' } }),
    },
    {
      id: 'deleting',
      label: t`Show businesses that are going to be deleted`,
      icon: Trash2,
      run: () => void navigate({ to: '/operator', search: { show: 'deleting' } }),
    },
    {
      id: 'paused-sends',
      label: t`Show paused sends`,
      icon: MailWarning,
      run: () => void navigate({ to: '/operator/sends', search: { state: 'PAUSED' } }),
    },
  ]
  const places = parts.map(({ to, name, icon, keys }) => ({
    id: `go ${to}`,
    label: t`Go to ${name}`,
    keys,
    icon,
    run: () => void navigate({ to }),
  }))
  useCommands(parts.length === 0 ? [keys] : [...steps, ...places, ...views, keys, ...own], true)
}
