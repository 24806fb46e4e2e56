import './profile.css'
import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { Anchor, LogOut } from 'lucide-react'
import { businessesQuery } from '../session/queries.ts'
import { signOut } from '../session/session.ts'
import { Frame } from '../shell/frame.tsx'
import { ThemeButton } from '../shell/theme-button.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

/** The frame of the business that one comes from; somebody who works in none has a line above the page. */
export function ProfileFrame() {
  const { data } = useSuspenseQuery(businessesQuery())
  return data.items.length > 0 ? <Frame /> : <Alone />
}

function Alone() {
  const { t } = useLingui()
  return (
    <div className="alone">
      <header>
        <Link to="/start">
          <Icon of={Anchor} />
          Kontor
        </Link>
        <ThemeButton />
        <Button look="quiet" icon={LogOut} onClick={() => void signOut()}>{t`Sign out`}</Button>
      </header>
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  )
}
