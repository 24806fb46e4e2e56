import { Plural, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Eye, Trash2 } from 'lucide-react'
import { DeleteDialog } from '../../outbox/delete-dialog.tsx'
import { useAsk, useAsked } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { seeAs } from '../../session/see-as.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { countsQuery, type Role, roleQuery } from '../queries.ts'
import { Save } from '../save.tsx'
import { RoleFields } from './role-fields.tsx'
import { useRole } from './use-role.ts'

const route = getRouteApi('/signed-in/$business/settings/roles/$role')

/** One role: what its people may do, how many they are, and how the dashboard looks to them. */
export function RolePage() {
  const { t } = useLingui()
  const { role: id } = route.useParams()
  const business = useBusiness()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { may } = usePermissions()
  const { data: role, error, refetch } = useQuery(roleQuery(business.id, id))
  const { data: counts } = useQuery(countsQuery(business.id))
  const isAsked = useAsked(id).length > 0
  const count = counts && (counts.items.find(({ value }) => value === id)?.count ?? 0)
  const showDelete = (isOpen: boolean) =>
    void navigate({ search: { do: isOpen ? 'delete' : undefined }, replace: !isOpen })
  const toList = () => void navigate({ to: '/$business/settings/roles', params: (now) => now })
  const lacks = role?.permissions.some((permission) => !may(permission))
    ? t`You can’t edit a role with more permissions than yours.`
    : undefined
  const held = count ? t`People have it. Give them another role first.` : undefined
  const see = () => {
    if (!role) return
    seeAs({ businessId: business.id, roleId: id, name: role.name, permissions: role.permissions })
    void navigate({ to: '/$business', params: (now) => now })
  }
  const name = role?.name ?? t`Role`
  usePageTitle(name)
  useCommands([
    { id: 'see-as', label: t`See the dashboard as this role`, keys: 'v', icon: Eye, run: see },
    {
      id: 'delete-role',
      label: t`Delete this role`,
      icon: Trash2,
      reason: lacks ?? held,
      run: () => showDelete(true),
    },
  ])
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/settings/roles" params={(now) => now}>{t`Roles`}</route.Link>
        </nav>
        <h1>{name}</h1>
        <div className="facts-line soft">
          {isAsked && <Status fill="unknown" tone="wait">{t`Processing…`}</Status>}
          {count === 0 && t`Nobody has it`}
          {count ? (
            <route.Link to="/$business/settings/team" params={(now) => now} search={{ role: id }} className="link">
              <Plural value={count} one="# person has it" other="# people have it" />
            </route.Link>
          ) : null}
        </div>
        <div className="acts tight">
          <Button icon={Eye} reason={role ? undefined : t`Loading…`} onClick={see}>{t`See as this role`}</Button>
          <Button
            look="destroy"
            icon={Trash2}
            reason={lacks ?? held}
            onClick={() => showDelete(true)}
          >{t`Delete`}</Button>
        </div>
      </header>
      {role ? (
        <Editor key={id} role={role} lacks={lacks} />
      ) : error ? (
        <div className="page">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : (
        <Bones rows={6} columns={2} />
      )}
      {role && search.do === 'delete' && (
        <DeleteRole role={role} onClose={() => showDelete(false)} onDeleted={toList} />
      )}
    </>
  )
}

function Editor({ role, lacks }: { role: Role; lacks: string | undefined }) {
  const { t } = useLingui()
  const edited = useRole(role)
  const { form, change, isChanged, refused } = edited
  const isNameless = form.name.trim() === ''
  return (
    <>
      <div className="page form-page">
        <RoleFields
          form={form}
          lacks={lacks}
          isRenamed={isChanged('name')}
          problem={isNameless ? t`Enter a name.` : refused}
          onChange={change}
        />
      </div>
      <Save
        of={edited}
        reason={lacks ?? (isNameless ? t`Enter a name.` : undefined)}
        warning={isChanged('permissions') ? t`It holds at once for everybody who has this role.` : undefined}
      />
    </>
  )
}

function DeleteRole({ role, onClose, onDeleted }: { role: Role; onClose: () => void; onDeleted: () => void }) {
  const { t } = useLingui()
  const ask = useAsk()
  const { id, name } = role
  const remove = () =>
    ask({ operation: 'deleteRole', input: { path: { id } }, label: t`Delete the role ${name}`, about: [id] })
  return (
    <DeleteDialog {...{ name, remove, onClose, onDeleted }}>
      {t`Nobody has it. Open invitations to it are withdrawn.`}
    </DeleteDialog>
  )
}
