import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { AccountPage } from './pages/account.tsx'
import { CartPage } from './pages/cart.tsx'
import { CheckoutPage } from './pages/checkout.tsx'
import { ConfirmPage } from './pages/confirm.tsx'
import { EntryPage } from './pages/entry.tsx'
import { HomePage } from './pages/home.tsx'
import { JournalPage } from './pages/journal.tsx'
import { ListPage } from './pages/list.tsx'
import { OrderPage } from './pages/order.tsx'
import { OrdersPage } from './pages/orders.tsx'
import { ProductPage } from './pages/product.tsx'
import { ResetPasswordPage } from './pages/reset-password.tsx'
import { Footer } from './parts/footer.tsx'
import { Header } from './parts/header.tsx'
import { Notice, Problem } from './parts/notices.tsx'
import { OfflineBar } from './parts/offline-bar.tsx'
import { announcement } from './state/cart.ts'
import { businessId, useBusiness } from './state/kontor.ts'
import { match, usePlace } from './state/router.ts'
import { useStore } from './state/store.ts'

/** The first that fits; `:x` is handed over as `id`. */
const ROUTES: [pattern: string, page: (props: { id: string }) => ComponentChildren][] = [
  ['/', HomePage],
  ['/shop', () => <ListPage />],
  ['/shop/:slug', ({ id }) => <ListPage key={id} slug={id} />],
  ['/products/:slug', ({ id }) => <ProductPage key={id} slug={id} />],
  ['/cart', CartPage],
  ['/checkout', CheckoutPage],
  ['/orders', OrdersPage],
  ['/orders/:id', ({ id }) => <OrderPage key={id} id={id} />],
  ['/journal', JournalPage],
  ['/journal/:slug', ({ id }) => <EntryPage key={id} name={id} />],
  ['/account', AccountPage],
  ['/confirm', ConfirmPage],
  ['/reset-password', ResetPasswordPage],
]

export function App() {
  const { path } = usePlace()
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  // Whoever uses a keyboard or a screen reader starts at the new page, not where the link was.
  useEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [path])

  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <OfflineBar />
      <Header />
      <main id="main" ref={main} tabIndex={-1}>
        {businessId ? <Page path={path} /> : <NoBusiness />}
      </main>
      <Footer />
      <p class="unseen" aria-live="polite">
        {useStore(announcement)}
      </p>
    </>
  )
}

function Page({ path }: { path: string }) {
  const { value, error, reload } = useBusiness()
  if (error && !value) return error.status === 404 ? <Closed /> : <Problem error={error} retry={reload} />
  for (const [pattern, Shown] of ROUTES) {
    const id = match(pattern, path)
    if (id !== undefined) return <Shown id={id} />
  }
  return (
    <Notice title="There is no such page" action={{ href: '/', label: 'Back to the shop' }}>
      The address may be mistyped, or the page has moved.
    </Notice>
  )
}

const Closed = () => (
  <Notice title="This shop is not open">
    There is no such business, or not everybody may read it. Its owner opens it with <code>storefront.isPublic</code>.
  </Notice>
)

const NoBusiness = () => (
  <Notice title="No shop yet">
    Start the service with <code>npm run dev</code> and fill it with <code>npm run cli -- demo</code>. This page then
    finds the business by itself. Or set <code>KONTOR_URL</code> and <code>KONTOR_BUSINESS_ID</code>.
  </Notice>
)
