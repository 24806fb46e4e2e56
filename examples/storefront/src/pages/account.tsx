import { useState } from 'preact/hooks'
import { LoginForm, RegisterForm } from '../parts/account-forms.tsx'
import { Problem } from '../parts/notices.tsx'
import { useTitle } from '../parts/title.ts'
import { forgetDetails } from '../state/checkout.ts'
import { kontor, useSession } from '../state/kontor.ts'
import { forget, useLoad } from '../state/use-load.ts'

type View = 'login' | 'register'

/** Guest or not: the cart is kept here, and the service gives the guest's orders to the account. */
export function AccountPage() {
  const session = useSession()
  useTitle('Account')
  return session && !session.isGuest ? <SignedIn userId={session.userId} /> : <SignedOut />
}

function SignedOut() {
  const [view, setView] = useState<View>('login')
  const [mailedTo, setMailedTo] = useState('')
  return (
    <div class="wrap section narrow form-page">
      <div class="tabs" role="group" aria-label="Account">
        <button type="button" aria-pressed={view === 'login'} onClick={() => setView('login')}>
          Log in
        </button>
        <button type="button" aria-pressed={view === 'register'} onClick={() => setView('register')}>
          New here
        </button>
      </div>
      {view === 'login' ? (
        <LoginForm mailedTo={mailedTo} />
      ) : (
        <RegisterForm
          done={(email) => {
            setMailedTo(email)
            setView('login')
          }}
        />
      )}
    </div>
  )
}

function SignedIn({ userId }: { userId: string }) {
  const { value: me, error, reload } = useLoad(`me:${userId}`, () => kontor.me.get())
  const [isLeaving, setLeaving] = useState(false)
  if (error && !me) return <Problem error={error} retry={reload} />

  async function leave() {
    setLeaving(true)
    try {
      await kontor.session.logout()
    } catch {
      // The service was not told. Here it is over all the same.
    }
    forget('me')
    forget('order')
    forgetDetails()
    setLeaving(false)
  }
  return (
    <div class="wrap section narrow form-page">
      <h1>{me?.name ? `Good to see you, ${me.name}` : 'Your account'}</h1>
      <p class="remark">{me ? `You are logged in as ${me.email ?? ''}.` : ' '}</p>
      <p class="after">
        <a class="button" href="/orders">
          Your orders
        </a>
        <button class="button quiet" type="button" disabled={isLeaving} onClick={() => void leave()}>
          Log out
        </button>
      </p>
    </div>
  )
}
