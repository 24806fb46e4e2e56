import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { rolesQuery } from '../queries.ts'
import type { Mapped } from './form.ts'
import type { ProviderSettings } from './use-provider.ts'

const MOST = 100

/** Which role somebody gets for what the provider says of them. */
export function MappingFields({ settings, label }: { settings: ProviderSettings; label: string }) {
  const { t } = useLingui()
  const business = useBusiness()
  const { data } = useQuery(rolesQuery(business.id))
  const { form, change, isChanged, refusalOf, wrong } = settings
  const roles = data?.items.toSorted((one, other) => one.name.localeCompare(other.name)) ?? []
  const isAdmin = (id: string) => roles.find((role) => role.id === id)?.permissions.includes('ADMIN') ?? false
  const set = (index: number, changes: Partial<Mapped>) =>
    change({ roles: form.roles.map((one, at) => (at === index ? { ...one, ...changes } : one)) })
  const problemOf = (index: number) => (wrong.repeated.includes(index) ? t`Already added` : refusalOf(`roles.${index}`))
  return (
    <>
      <div className="form-grid">
        <Field
          label={label}
          value={form.roleClaim}
          maxLength={200}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          edited={isChanged('roleClaim')}
          problem={refusalOf('roleClaim')}
          hint={t`What your provider calls the list of somebody’s groups. Often groups or roles.`}
          onChange={({ target }) => change({ roleClaim: target.value })}
        />
      </div>
      <div className="rows">
        {form.roles.map((line, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name, and keeps its place
            key={index}
            className="row-line mapped"
          >
            <Field
              label={t`Group`}
              value={line.value}
              maxLength={200}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              placeholder="shop-editors"
              problem={problemOf(index)}
              onChange={({ target }) => set(index, { value: target.value })}
            />
            <Select
              label={t`Role`}
              value={line.roleId}
              hint={
                isAdmin(line.roleId) ? t`Whoever your provider puts into this group may do everything here.` : undefined
              }
              onChange={({ target }) => set(index, { roleId: target.value })}
            >
              <option value="">{t`Choose a role`}</option>
              {roles.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
            <Button
              look="quiet"
              icon={X}
              only={t`Remove ${line.value || '…'}`}
              onClick={() => change({ roles: form.roles.filter((_, at) => at !== index) })}
            />
          </div>
        ))}
        <div>
          <Button
            look="small"
            icon={Plus}
            reason={form.roles.length >= MOST ? t`The maximum is ${MOST}.` : undefined}
            onClick={() => change({ roles: [...form.roles, { value: '', roleId: '' }] })}
          >{t`Add a group`}</Button>
        </div>
      </div>
    </>
  )
}
