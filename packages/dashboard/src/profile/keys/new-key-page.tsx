import { KontorError } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { invalidate } from '../../api/query.ts'
import { mayIn } from '../../session/may-in.ts'
import { useAreas } from '../../session/permission-words.ts'
import type { Permission } from '../../session/permissions.ts'
import { businessesQuery, meQuery } from '../../session/queries.ts'
import { lastOf } from '../../shell/last-business.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LeaveDialog } from '../../ui/leave-dialog.tsx'
import { Head } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useDraft, useLeaveGuard } from '../../ui/use-draft.ts'
import { Part } from '../part.tsx'
import { type Duration, expiryOf, firstWanted, type Wanted } from './new-key.ts'
import { NewValue } from './new-value.tsx'
import { useDurations } from './use-durations.ts'

/** A key by a form that says what each choice means. Its value is shown once. */
export function NewKeyPage() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const [made, setMade] = useState<{ name: string; value: string }>()
  const [draft, setDraft] = useDraft<Wanted>('new-key')
  const { data: businesses } = useSuspenseQuery(businessesQuery())
  const wanted = draft ?? firstWanted(lastOf(businesses.items)?.id ?? '')
  const guard = useLeaveGuard(draft !== undefined)
  return (
    <>
      <nav className="crumbs over-head" aria-label={t`Where`}>
        <Link to="/profile/keys">{t`API keys`}</Link>
        <Icon of={ChevronRight} />
        {t`New key`}
      </nav>
      <Head title={made ? t`Your new key` : t`New key`} />
      {made ? (
        <div className="page steps">
          <NewValue {...made} onKept={() => void navigate({ to: '/profile/keys' })} />
        </div>
      ) : (
        <KeyForm
          wanted={wanted}
          onChange={setDraft}
          onMade={(key) => {
            setDraft(undefined)
            setMade(key)
          }}
        />
      )}
      <LeaveDialog guard={guard} />
    </>
  )
}

type FormProps = {
  wanted: Wanted
  onChange: (wanted: Wanted) => void
  onMade: (key: { name: string; value: string }) => void
}

function KeyForm({ wanted, onChange, onMade }: FormProps) {
  const { t } = useLingui()
  const { data: businesses } = useSuspenseQuery(businessesQuery())
  const durations = useDurations()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [lacks, setLacks] = useState(false)
  const change = (part: Partial<Wanted>) => onChange({ ...wanted, ...part })
  const hasNoRights = !wanted.isWhole && wanted.permissions.length === 0
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setLacks(hasNoRights)
    if (hasNoRights || isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      const body = {
        name: wanted.name.trim(),
        businessId: wanted.businessId || null,
        permissions: wanted.isWhole ? null : wanted.permissions,
        expiresAt: expiryOf(wanted.duration, Date.now()),
      }
      const { name, value } = await kontor.operations.createKey({ body })
      onMade({ name, value })
      await invalidate('-', ['listKeys'])
    } catch (cause) {
      setError(cause)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="page parts" onSubmit={(event) => void submit(event)}>
      <Part title={t`What it is for`} about={t`So that you know in a year what breaks if you revoke it.`}>
        <Field
          label={t`Name`}
          required
          autoFocus
          maxLength={200}
          autoComplete="off"
          placeholder={t`Import script`}
          value={wanted.name}
          onChange={({ target }) => change({ name: target.value })}
        />
      </Part>
      <Part title={t`Where it works`} about={t`A key of one business is refused in all others, also if it is stolen.`}>
        <Select
          label={t`Business`}
          value={wanted.businessId}
          onChange={({ target }) => change({ businessId: target.value, permissions: [] })}
        >
          {businesses.items.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          <option value="">{t`All of yours, also later ones`}</option>
        </Select>
      </Part>
      <Part
        title={t`What it may do`}
        about={t`Give it as little as it needs. If you lose a permission yourself, the key loses it with you.`}
      >
        <Rights wanted={wanted} onChange={change} />
        {lacks && hasNoRights && <p className="problem" role="alert">{t`Choose at least one.`}</p>}
      </Part>
      <Part title={t`How long`} about={t`A key that ends by itself does no harm after everybody has forgotten it.`}>
        <Select
          label={t`It ends`}
          value={wanted.duration}
          onChange={({ target }) => change({ duration: target.value as Duration })}
        >
          {durations.map(({ duration, words }) => (
            <option key={duration} value={duration}>
              {words}
            </option>
          ))}
        </Select>
      </Part>
      <div className="own-part">
        <div />
        <div className="what">
          {error !== undefined && <KeyProblem error={error} />}
          <div className="acts">
            <Button type="submit" look="main" reason={isBusy ? t`Creating…` : undefined}>{t`Make the key`}</Button>
            <Link className="button quiet" to="/profile/keys">{t`Leave it`}</Link>
          </div>
        </div>
      </div>
    </form>
  )
}

/** A lost answer may have made a key whose value nobody has seen. */
function KeyProblem({ error }: { error: unknown }) {
  const { t } = useLingui()
  const isLost = error instanceof KontorError && error.status === 0
  const kept = isLost
    ? t`What you chose is still there. If the list has a key of this name already, revoke it: nobody has its value.`
    : t`What you chose is still there.`
  return <Problem error={error} kept={kept} />
}

function Rights({ wanted, onChange }: { wanted: Wanted; onChange: (part: Partial<Wanted>) => void }) {
  const { t } = useLingui()
  const id = useId()
  const named = useAreas().flatMap((area) => area.permissions)
  const { data: me } = useSuspenseQuery(meQuery())
  const { businessId, permissions } = wanted
  const held = me.roles.filter((role) => businessId === '' || role.businessId === businessId)
  const may = (permission: Permission) => held.some((role) => mayIn(me, role.businessId)(permission))
  const toggle = (permission: Permission) =>
    onChange({
      permissions: permissions.includes(permission)
        ? permissions.filter((one) => one !== permission)
        : [...permissions, permission],
    })
  return (
    <fieldset className="rights">
      <legend className="unseen">{t`What it may do`}</legend>
      <label className="choice">
        <input
          type="radio"
          className="check radio"
          name={id}
          checked={!wanted.isWhole}
          onChange={() => onChange({ isWhole: false })}
        />
        <span>{t`Only this:`}</span>
      </label>
      <ul hidden={wanted.isWhole}>
        {named.map(({ id: permission, may: name, about }) => {
          const lacks = may(permission) ? undefined : t`You don’t have this permission in that business.`
          return (
            <li key={permission}>
              <label className="choice">
                <input
                  type="checkbox"
                  className="check"
                  checked={permissions.includes(permission)}
                  disabled={lacks !== undefined}
                  aria-describedby={`${id}-${permission}`}
                  onChange={() => toggle(permission)}
                />
                <span>
                  {name} <code className="note">{permission}</code>
                  <span className="note block" id={`${id}-${permission}`}>
                    {lacks ?? about}
                  </span>
                </span>
              </label>
            </li>
          )
        })}
      </ul>
      <label className="choice">
        <input
          type="radio"
          className="check radio"
          name={id}
          checked={wanted.isWhole}
          onChange={() => onChange({ isWhole: true })}
        />
        <span>
          {t`Whatever you may`}
          <span className="note block">
            <Trans>It also reads and changes your own account: your name, addresses and sessions.</Trans>
          </span>
        </span>
      </label>
    </fieldset>
  )
}
