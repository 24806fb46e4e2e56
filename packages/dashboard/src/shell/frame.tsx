import { useLingui } from '@lingui/react/macro'
import { Outlet, useParams } from '@tanstack/react-router'
import { Keyboard, Package, Search } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Live } from '../live/live.tsx'
import { ConnectionStatus } from '../live/up-to-date.tsx'
import { useIsUnderWay } from '../media/upload/under-way.ts'
import { useSeenAs } from '../session/see-as.ts'
import { useBusiness } from '../session/use-business.ts'
import { useCommands, useKeyboard } from './commands.ts'
import { PhoneNav, PhoneTop, Side } from './navigation.tsx'
import { useOwnCommands } from './own-commands.ts'
import { NotForYou } from './problems.tsx'
import { useGo } from './use-go.ts'
import { useLacking, useSections } from './use-sections.ts'

/** Only while there is something to upload: it goes on wherever one goes, and after a reload. */
const Tray = lazy(() => import('../media/upload/tray.tsx').then(({ Tray }) => ({ default: Tray })))
const SeenAsBar = lazy(() => import('./seen-as-bar.tsx').then(({ SeenAsBar }) => ({ default: SeenAsBar })))
const KeysDialog = lazy(() => import('./keys-dialog.tsx').then(({ KeysDialog }) => ({ default: KeysDialog })))
const Palette = lazy(() => import('./palette.tsx').then(({ Palette }) => ({ default: Palette })))

/** Only where a business wants a second factor. */
const Shut = lazy(() => import('../profile/shut-page.tsx').then(({ ShutPage }) => ({ default: ShutPage })))

/** What stands around every screen of a business, and around one's own account. */
export function Frame() {
  const { t } = useLingui()
  const business = useBusiness()
  const [open, setOpen] = useState<'palette' | 'keys'>()
  const lacking = useLacking()
  const isSeen = useSeenAs()?.businessId === business.id
  const isOfBusiness = useParams({ strict: false }).business !== undefined
  const isShut = business.isShut && isOfBusiness
  const isUploading = useIsUnderWay()
  const close = () => setOpen(undefined)
  useKeyboard()
  useFrameCommands({ onFind: () => setOpen('palette'), onKeys: () => setOpen('keys') })
  return (
    <Live businessId={business.id}>
      <a className="skip" href="#main">{t`Skip to content`}</a>
      <div className="shell">
        <Side onFind={() => setOpen('palette')} />
        <PhoneTop onFind={() => setOpen('palette')} />
        <main id="main" tabIndex={-1}>
          {isSeen && (
            <Suspense>
              <SeenAsBar />
            </Suspense>
          )}
          {isShut ? (
            <Suspense>
              <Shut />
            </Suspense>
          ) : lacking ? (
            <NotForYou needs={lacking} />
          ) : (
            <Outlet />
          )}
        </main>
        <PhoneNav />
        <ConnectionStatus />
      </div>
      {isUploading && (
        <Suspense>
          <Tray />
        </Suspense>
      )}
      {open === 'keys' && (
        <Suspense>
          <KeysDialog onClose={close} />
        </Suspense>
      )}
      {open === 'palette' && (
        <Suspense>
          <Palette onClose={close} />
        </Suspense>
      )}
    </Live>
  )
}

function useFrameCommands({ onFind, onKeys }: { onFind: () => void; onKeys: () => void }) {
  const { t } = useLingui()
  const go = useGo()
  const sections = useSections()
  const own = useOwnCommands()
  const everywhere = [
    { id: 'find', label: t`Find or do`, keys: 'mod+k', icon: Search, inPalette: false, run: onFind },
    { id: 'keys', label: t`Show the keys`, keys: '?', icon: Keyboard, run: onKeys },
    ...sections.map(({ to, name, keys, icon }) => ({
      id: `go ${to}`,
      label: t`Go to ${name}`,
      keys,
      icon,
      run: () => go.to(to),
    })),
    ...(sections.some(({ to }) => to === '/$business/orders')
      ? [{ id: 'to-pack', label: t`Go to what is to pack`, keys: 'g t', icon: Package, run: go.toPack }]
      : []),
    ...own,
  ]
  useCommands(everywhere, true)
}
