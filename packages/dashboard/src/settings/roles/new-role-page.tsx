import { KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { Link, useNavigate } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { useAsk } from '../../outbox/use-outbox.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { RoleFields, type RoleForm } from './role-fields.tsx'

const EMPTY: RoleForm = { name: '', permissions: [] }

export function NewRolePage() {
  const { t } = useLingui()
  const business = useBusiness()
  const address = addressOf(business)
  const navigate = useNavigate()
  const ask = useAsk()
  const about = `new-role:${business.id}`
  const [kept, setDraft] = useDraft<RoleForm>(about)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const form = kept ?? EMPTY
  const reason = isSending ? t`Processing…` : form.name.trim() === '' ? t`Enter a name.` : undefined
  const refused = error instanceof KontorError ? error.details.find(({ field }) => field === 'name') : undefined
  usePageTitle(t`New role`)
  const create = async () => {
    if (reason) return
    setSending(true)
    setError(undefined)
    try {
      const body = { name: form.name.trim(), permissions: form.permissions }
      const made = await ask({
        operation: 'createRole',
        input: { body },
        label: t`New role ${body.name}`,
        about: [about],
      })
      setDraft(undefined)
      toast(t`${made.name} created`)
      void navigate({ to: '/$business/settings/roles/$role', params: { business: address, role: made.id } })
    } catch (cause) {
      setError(cause)
    } finally {
      setSending(false)
    }
  }
  useCommands([
    {
      id: 'create-role',
      label: t`Create the role`,
      keys: 'mod+Enter',
      icon: Check,
      reason,
      run: () => void create(),
    },
  ])
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <Link to="/$business/settings/roles" params={{ business: address }}>{t`Roles`}</Link>
        </nav>
        <h1>{t`New role`}</h1>
        <p className="facts-line soft hide-phone">
          {kept ? t`Kept in this tab until it is created` : t`Nobody has it before you give it to them`}
        </p>
        <div className="acts">
          {kept && <Button look="quiet" onClick={() => setDraft(undefined)}>{t`Start over`}</Button>}
          <Button look="main" reason={reason} onClick={() => void create()}>{t`Create the role`}</Button>
        </div>
      </header>
      <div className="page form-page">
        {error !== undefined && !refused && (
          <Problem error={error} kept={t`Nothing was created. Your changes are still here.`} />
        )}
        <RoleFields
          form={form}
          problem={refused?.message}
          onChange={(changes) => {
            setError(undefined)
            setDraft({ ...form, ...changes })
          }}
        />
      </div>
    </>
  )
}
