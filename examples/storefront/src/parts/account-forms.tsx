import { useState } from 'preact/hooks'
import { kontor } from '../state/kontor.ts'
import { forget } from '../state/use-load.ts'
import { Field } from './field.tsx'
import { FormProblem } from './notices.tsx'
import { useForm } from './use-form.ts'

/** Links in mails lead back to this shop. */
const reserveDomain = window.location.origin

export function LoginForm({ mailedTo }: { mailedTo: string }) {
  const [said, setSaid] = useState(mailedTo ? `We sent a mail to ${mailedTo}. Open its link, then log in here.` : '')
  const form = useForm({ email: mailedTo, password: '' }, async ({ email, password }) => {
    await kontor.session.login({ email, password })
    forget('order')
  })
  const { email } = form.values
  const isUnconfirmed = form.error?.has('NOT_CONFIRMED')

  const mail = (what: 'resendConfirmation' | 'forgotPassword') => () =>
    void kontor.operations[what]({ body: { email, reserveDomain } }).then(
      () => setSaid(`If ${email} has an account, there is a mail on its way.`),
      () => setSaid('The mail could not be sent. Try again in a moment.'),
    )
  return (
    <form class="stack" onSubmit={form.submit}>
      <h1>Log in</h1>
      {said && (
        <p class="remark" role="status">
          {said}
        </p>
      )}
      <Field label="Email" type="email" autocomplete="email" required {...form.field('email')} />
      <Field label="Password" type="password" autocomplete="current-password" required {...form.field('password')} />
      {form.problem && <FormProblem>{form.problem}</FormProblem>}
      <button class="button wide" type="submit" disabled={form.isSending}>
        {form.isSending ? 'One moment …' : 'Log in'}
      </button>
      {isUnconfirmed ? (
        <button class="link" type="button" onClick={mail('resendConfirmation')}>
          Send the mail again
        </button>
      ) : (
        <button class="link" type="button" disabled={!email.includes('@')} onClick={mail('forgotPassword')}>
          Forgot the password? Type your email above, then press here
        </button>
      )}
    </form>
  )
}

export function RegisterForm({ done }: { done: (email: string) => void }) {
  const form = useForm({ name: '', email: '', password: '' }, async ({ name, email, password }) => {
    await kontor.session.register({ name: name.trim() || undefined, email, password, reserveDomain })
    done(email)
  })
  return (
    <form class="stack" onSubmit={form.submit}>
      <h1>Make an account</h1>
      <p class="remark">Your cart stays as it is, and what you ordered so far comes along.</p>
      <Field label="Name" autocomplete="name" {...form.field('name')} />
      <Field label="Email" type="email" autocomplete="email" required {...form.field('email')} />
      <Field
        label="Password"
        type="password"
        autocomplete="new-password"
        minLength={10}
        required
        hint="10 characters or more. Three words that do not belong together are good."
        {...form.field('password')}
      />
      {form.problem && <FormProblem>{form.problem}</FormProblem>}
      <button class="button wide" type="submit" disabled={form.isSending}>
        {form.isSending ? 'One moment …' : 'Make the account'}
      </button>
    </form>
  )
}
