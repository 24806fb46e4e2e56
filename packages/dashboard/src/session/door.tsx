import { useLingui } from '@lingui/react/macro'
import { Anchor } from 'lucide-react'
import type { ReactNode } from 'react'
import { choose, LANGUAGES, type Language } from '../i18n/i18n.ts'
import { ThemeButton } from '../shell/theme-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Harbour } from './harbour.tsx'

/** What stands around signing in and choosing a business. */
export function Door({ children }: { children: ReactNode }) {
  const { i18n } = useLingui()
  const other = (Object.keys(LANGUAGES) as Language[]).find((language) => language !== i18n.locale) ?? 'en'
  return (
    <div className="login">
      <main className="door" id="main">
        <header>
          <Icon of={Anchor} />
          Kontor
          <ThemeButton />
        </header>
        {children}
        <footer className="note">
          <span>{location.host}</span>
          <button type="button" className="link plain" lang={other} onClick={() => void choose(other)}>
            {LANGUAGES[other]}
          </button>
        </footer>
      </main>
      <Harbour />
    </div>
  )
}
