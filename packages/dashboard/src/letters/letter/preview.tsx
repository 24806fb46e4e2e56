import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { Contrast, Laptop, type LucideIcon, Smartphone, Type } from 'lucide-react'
import type { ReactNode } from 'react'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Icon } from '../../ui/icon.tsx'
import type { Look } from '../search.ts'
import type { Preview as Mail } from '../types.ts'
import { Frame } from './frame.tsx'

const route = getRouteApi('/signed-in/$business/letters/$entry')

/** What a reader gets, as the service makes it; `instead` where it can make none. */
export function Preview({ mail, instead }: { mail: Mail | undefined; instead: ReactNode }) {
  const { t } = useLingui()
  const { as } = route.useSearch()
  const navigate = route.useNavigate()
  const looks: { as: Look | undefined; name: string; icon: LucideIcon; keys: string }[] = [
    { as: undefined, name: t`Desktop`, icon: Laptop, keys: '1' },
    { as: 'phone', name: t`Phone`, icon: Smartphone, keys: '2' },
    { as: 'dark', name: t`Dark`, icon: Contrast, keys: '3' },
    { as: 'text', name: t`Text`, icon: Type, keys: '4' },
  ]
  const show = (look: Look | undefined) =>
    void navigate({ search: (before) => ({ ...before, as: look }), replace: true, resetScroll: false })
  useCommands(
    looks.map((look) => ({
      id: `as-${look.as ?? 'desktop'}`,
      label: t`Preview: ${look.name}`,
      keys: look.keys,
      icon: look.icon,
      run: () => show(look.as),
    })),
  )
  return (
    <aside className="preview" aria-label={t`Preview`}>
      <div className="preview-head">
        <nav className="segment" aria-label={t`Look at it as on`}>
          {looks.map((look) => (
            <route.Link
              key={look.name}
              to="."
              search={(before) => ({ ...before, as: look.as })}
              replace
              resetScroll={false}
              aria-current={look.as === as ? 'true' : undefined}
              activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
            >
              <Icon of={look.icon} />
              {look.name}
            </route.Link>
          ))}
        </nav>
        {mail && <span className="note">{t`as a reader named Ada gets it`}</span>}
      </div>
      {mail ? <Shown mail={mail} as={as} /> : instead}
    </aside>
  )
}

function Shown({ mail: { subject, html, text }, as }: { mail: Mail; as: Look | undefined }) {
  const { t } = useLingui()
  const { name } = useBusiness()
  return (
    <div className={`shown ${as ?? 'desktop'}`}>
      <div className="inbox">
        <span className="face big" aria-hidden="true">
          {initialsOf(name)}
        </span>
        <p>
          <b className="strong">{name}</b>
          <br />
          {subject || <span className="alert-text">{t`no subject`}</span>}
        </p>
      </div>
      {as === 'text' ? (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long line is scrolled by keys
        <pre className="mail-text" tabIndex={0} aria-label={t`The letter as plain text`}>
          {text}
        </pre>
      ) : (
        <Frame html={html} title={t`The letter: ${subject}`} isDark={as === 'dark'} />
      )}
    </div>
  )
}

const initialsOf = (name: string) =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('')
