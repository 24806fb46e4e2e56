import { KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useRef, useState } from 'react'
import { useAsk } from '../../outbox/use-outbox.ts'
import { usePermissionLine } from '../../session/permission-words.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { Sheet } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { rolesQuery } from '../queries.ts'

type Draft = { email: string; roleId: string }

/** An invitation by mail, to an address and with a role. */
export function InviteSheet({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const words = usePermissionLine()
  const { may } = usePermissions()
  const { data: roles } = useQuery(rolesQuery(business.id))
  const [draft, setDraft] = useDraft<Draft>(`invite:${business.id}`)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const { email, roleId } = draft ?? { email: '', roleId: '' }
  const refused = error instanceof KontorError ? error.details.find(({ field }) => field === 'email') : undefined
  const change = (changes: Partial<Draft>) => {
    setError(undefined)
    setDraft({ email, roleId, ...changes })
  }
  const reason = isSending
    ? t`Processing…`
    : !/^\S+@\S+\.\S+$/.test(email.trim())
      ? t`Type an email address first.`
      : !roleId
        ? t`Choose a role first.`
        : undefined
  const send = async (event: FormEvent) => {
    event.preventDefault()
    if (reason) return
    setSending(true)
    const to = email.trim()
    try {
      await ask({
        operation: 'createInvitation',
        input: { body: { email: to, roleId } },
        label: t`Invite ${to}`,
        about: [business.id],
      })
      setDraft(undefined)
      toast(t`${to} invited`)
      onClose()
    } catch (cause) {
      setError(cause)
    } finally {
      setSending(false)
    }
  }
  const foot = (
    <div className="flex gap-2 justify-end">
      <Button look="quiet" onClick={onClose}>{t`Close`}</Button>
      <Button look="main" type="submit" form={id} reason={reason}>{t`Send the invitation`}</Button>
    </div>
  )
  return (
    <Sheet open onClose={onClose} title={t`Invite somebody`} foot={foot} initialFocus={() => field.current}>
      {error !== undefined && !refused && <Problem error={error} kept={t`Nobody was invited.`} />}
      <form id={id} className="sheet-form" onSubmit={(event) => void send(event)}>
        <Field
          ref={field}
          label={t`Email address`}
          type="email"
          autoComplete="off"
          value={email}
          problem={refused?.message}
          hint={t`They get a link that is good for seven days, and come in with an account of this address.`}
          onChange={({ target }) => change({ email: target.value })}
        />
        <fieldset className="role-choices">
          <legend className="label">{t`Role`}</legend>
          {roles?.items
            .toSorted((one, other) => one.name.localeCompare(other.name))
            .map((role) => {
              const lacks = role.permissions.every(may)
                ? undefined
                : t`You can’t assign a role with more permissions than yours.`
              return (
                <label key={role.id} className="choice" title={lacks}>
                  <input
                    type="radio"
                    className="check radio"
                    name={`${id}-role`}
                    checked={roleId === role.id}
                    disabled={lacks !== undefined}
                    onChange={() => change({ roleId: role.id })}
                  />
                  <span>
                    {role.name}
                    <span className="note">{lacks ?? words(role.permissions)}</span>
                  </span>
                </label>
              )
            })}
          <p className="note">{t`None fits? Make one under Settings, Roles first. What you typed stays here.`}</p>
        </fieldset>
      </form>
    </Sheet>
  )
}
