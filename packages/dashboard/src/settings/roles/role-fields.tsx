import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { useAreas } from '../../session/permission-words.ts'
import { type Permission, usePermissions } from '../../session/permissions.ts'
import { Field } from '../../ui/field.tsx'

export type RoleForm = { name: string; permissions: Permission[] }

type Props = {
  form: RoleForm
  /** Why nothing of it can be changed. */
  lacks?: string | undefined
  isRenamed?: boolean
  problem: string | undefined
  onChange: (changes: Partial<RoleForm>) => void
}

/** What a role is called and what its people may do, in plain words. Nobody gives what they have not. */
export function RoleFields({ form, lacks, isRenamed = false, problem, onChange }: Props) {
  const { t } = useLingui()
  const areas = useAreas()
  const isAdmin = form.permissions.includes('ADMIN')
  const toggle = (permission: Permission) => {
    const left = form.permissions.filter((one) => one !== permission)
    onChange({ permissions: (form.permissions.includes(permission) ? left : [...left, permission]).sort() })
  }
  const box = { form, lacks, toggle }
  return (
    <>
      <section className="section">
        <Field
          label={t`Name`}
          value={form.name}
          maxLength={200}
          autoComplete="off"
          edited={isRenamed}
          disabled={lacks !== undefined}
          problem={problem}
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </section>
      <section className="section">
        <div className="section-head">
          <h2>{t`What its people may do`}</h2>
        </div>
        {lacks && <p className="note">{lacks}</p>}
        <div className="areas">
          {areas.map(({ name, permissions }) => (
            <fieldset key={name}>
              <legend className="label">{name}</legend>
              {permissions.map((one) => (
                <Box key={one.id} {...box} {...one} isImplied={isAdmin && one.id !== 'ADMIN'} />
              ))}
            </fieldset>
          ))}
        </div>
        {form.permissions.includes('ORDERS_WRITE') && !isAdmin && !form.permissions.includes('ORDERS_READ') && (
          <p className="note wait-text">
            {t`Whoever works on orders without seeing them finds none in the dashboard. Both belong together.`}
          </p>
        )}
      </section>
    </>
  )
}

type BoxProps = {
  id: Permission
  may: string
  about: string
  form: RoleForm
  lacks: string | undefined
  isImplied?: boolean
  toggle: (permission: Permission) => void
}

function Box({ id, may, about, form, lacks, isImplied = false, toggle }: BoxProps) {
  const { t } = useLingui()
  const { reason } = usePermissions()
  const note = useId()
  const isOn = form.permissions.includes(id)
  const missing = reason(id) && t`You cannot give it, because you do not have it yourself.`
  const why = lacks ?? (isImplied ? t`Is part of everything.` : missing)
  return (
    <label className="choice" title={why}>
      <input
        type="checkbox"
        className="check"
        checked={isOn || isImplied}
        disabled={why !== undefined}
        aria-describedby={note}
        onChange={() => toggle(id)}
      />
      <span>
        {may}
        <span className="note" id={note}>
          {missing && !isImplied && !lacks ? `${about} ${missing}` : about}
        </span>
      </span>
    </label>
  )
}
