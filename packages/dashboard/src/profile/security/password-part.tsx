import { KontorError } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { fieldOf } from '../../session/field-of.ts'
import { meQuery } from '../../session/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { Part } from '../part.tsx'

/** A password is never kept in this browser: it goes to the service at once, and not by the outbox. */
export function PasswordPart() {
  const { t } = useLingui()
  const wordsOf = useProblem()
  const { data: me } = useSuspenseQuery(meQuery())
  const [wrong, setWrong] = useState<{ field: string; what: string }>()
  const [isBusy, setBusy] = useState(false)
  const problemOf = (field: string) => (wrong?.field === field ? wrong.what : undefined)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const body = { oldPassword: formText(form, 'oldPassword'), newPassword: formText(form, 'newPassword') }
    setBusy(true)
    setWrong(undefined)
    try {
      await kontor.operations.changePassword({ body })
      form.reset()
      toast(t`Password changed. You’re signed out on all other devices.`)
    } catch (error) {
      const isOld = error instanceof KontorError && error.has('PASSWORD_WRONG')
      const field = isOld ? 'oldPassword' : (fieldOf(error, ['oldPassword', 'newPassword']) ?? 'newPassword')
      setWrong({ field, what: isOld ? t`This is not your current password.` : wordsOf(error).what })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Part
      title={t`Password`}
      about={<Trans>Changing it signs you out everywhere else. Passkeys and the app stay as they are.</Trans>}
    >
      <form className="stack" onSubmit={(event) => void submit(event)}>
        {/* Password managers want to know whose it is. */}
        <input type="email" name="email" autoComplete="username" value={me.email ?? ''} readOnly hidden />
        <Field
          label={t`Current password`}
          name="oldPassword"
          type="password"
          autoComplete="current-password"
          required
          problem={problemOf('oldPassword')}
        />
        <Field
          label={t`New password`}
          name="newPassword"
          type="password"
          autoComplete="new-password"
          required
          minLength={10}
          hint={t`At least ten characters. A few unrelated words make a good one.`}
          problem={problemOf('newPassword')}
        />
        <div>
          <Button type="submit" reason={isBusy ? t`Changing…` : undefined}>{t`Change the password`}</Button>
        </div>
      </form>
    </Part>
  )
}
