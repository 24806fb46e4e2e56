import { Plural, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { usePermissionLine } from '../../session/permission-words.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Head } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { countsQuery, type Role, rolesQuery } from '../queries.ts'

const route = getRouteApi('/signed-in/$business/settings/roles')

/** What people may do here, by role. */
export function RolesPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const navigate = route.useNavigate()
  const words = usePermissionLine()
  const { data, error, refetch } = useQuery(rolesQuery(business.id))
  const { data: counts } = useQuery(countsQuery(business.id))
  const [at, setAt] = useState(-1)
  const roles = data?.items.toSorted((one, other) => one.name.localeCompare(other.name)) ?? []
  const countOf = ({ id }: Role) => counts?.items.find(({ value }) => value === id)?.count ?? 0
  const create = () => void navigate({ to: '/$business/settings/roles/new', params: (now) => now })
  const open = ({ id }: Role) =>
    void navigate({ to: '/$business/settings/roles/$role', params: (now) => ({ ...now, role: id }) })
  const step = (by: number) => setAt((before) => Math.max(0, Math.min(roles.length - 1, before + by)))
  const chosen = roles[at]
  useCommands([
    { id: 'new-role', label: t`New role`, keys: 'n', icon: Plus, run: create },
    { id: 'next-role', label: t`The next`, keys: 'j', inPalette: false, run: () => step(1) },
    { id: 'role-before', label: t`The one before`, keys: 'k', inPalette: false, run: () => step(-1) },
    { id: 'open-role', label: t`Open`, keys: 'e', inPalette: false, run: () => chosen && open(chosen) },
  ])
  return (
    <>
      <Head title={t`Roles`}>
        <Button look="main" icon={Plus} onClick={create}>{t`New role`}</Button>
      </Head>
      {error ? (
        <div className="page">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : data ? (
        <ul className="role-list">
          {roles.map((role, index) => (
            <li key={role.id} className={index === at ? 'at' : ''}>
              <route.Link to="/$business/settings/roles/$role" params={(now) => ({ ...now, role: role.id })}>
                <b className="strong">{role.name}</b>
                <span className="soft">{words(role.permissions)}</span>
              </route.Link>
              {countOf(role) === 0 ? (
                <span className="soft">{t`nobody`}</span>
              ) : (
                <route.Link
                  to="/$business/settings/team"
                  params={(now) => now}
                  search={{ role: role.id }}
                  className="link nowrap"
                >
                  <Plural value={countOf(role)} one="# person" other="# people" />
                </route.Link>
              )}
            </li>
          ))}
        </ul>
      ) : (
        <Bones rows={4} columns={3} />
      )}
    </>
  )
}
