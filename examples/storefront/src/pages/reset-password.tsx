import { useState } from 'preact/hooks'
import { Field } from '../parts/field.tsx'
import { FormProblem, Notice } from '../parts/notices.tsx'
import { useTitle } from '../parts/title.ts'
import { useForm } from '../parts/use-form.ts'
import { kontor } from '../state/kontor.ts'
import { usePlace } from '../state/router.ts'

export function ResetPasswordPage() {
  const token = usePlace().query.get('token') ?? ''
  const [isDone, setDone] = useState(false)
  useTitle('A new password')
  const form = useForm({ password: '' }, async ({ password }) => {
    await kontor.operations.resetForgotPassword({ body: { token, password } })
    setDone(true)
  })
  if (isDone) {
    return (
      <Notice title="Your password is changed" action={{ href: '/account', label: 'Log in' }}>
        You are logged out everywhere else.
      </Notice>
    )
  }
  return (
    <div class="wrap section narrow form-page">
      <form class="stack" onSubmit={form.submit}>
        <h1>A new password</h1>
        <Field
          label="Password"
          type="password"
          autocomplete="new-password"
          minLength={10}
          required
          hint="10 characters or more."
          {...form.field('password')}
        />
        {form.problem && <FormProblem>{form.problem}</FormProblem>}
        <button class="button wide" type="submit" disabled={form.isSending}>
          Change it
        </button>
      </form>
    </div>
  )
}
