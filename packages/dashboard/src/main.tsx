import './styles/index.css'
import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/client.ts'
import { activate, chosenLanguage } from './i18n/i18n.ts'
import { openOutboxOf } from './outbox/outbox.ts'
import { router } from './router.tsx'
import { takeDevLogin } from './session/dev-login.ts'
import { followOtherTabs, sessionStore } from './session/session.ts'
import { applyTheme } from './shell/theme.ts'

// A newer version was released, and the part that this page wants is gone.
addEventListener('vite:preloadError', () => location.reload())

type RouteId = keyof typeof router.routesById

applyTheme()
await activate(chosenLanguage())
followSession()
followOtherTabs()
await takeDevLogin()

// The page's own part comes beside the session, not after it.
for (const { routeId } of router.matchRoutes(router.latestLocation) as { routeId: RouteId }[])
  void router.loadRouteChunk(router.routesById[routeId])
void router.load()

const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root.')
createRoot(root).render(
  <StrictMode>
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
)

/** A new person: goes on with what they had asked. Nobody any more: nothing of theirs stays, and the door opens. */
function followSession(): void {
  let userId: string | undefined
  sessionStore.subscribe(() => {
    const { signed } = sessionStore.get()
    if (signed?.userId === userId) return
    const wasSignedIn = userId !== undefined
    userId = signed?.userId
    void openOutboxOf(userId)
    if (!wasSignedIn) return
    queryClient.clear()
    void router.invalidate()
  })
}
