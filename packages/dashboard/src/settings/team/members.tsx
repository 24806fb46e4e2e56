import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useBusiness } from '../../session/use-business.ts'
import { useSigned } from '../../session/use-signed.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Chip } from '../../ui/chip.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FindField } from '../../ui/find-field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { type Member, membersQuery, rolesQuery } from '../queries.ts'
import { MemberSheet } from './member-sheet.tsx'

const route = getRouteApi('/signed-in/$business/settings/team')

/** Everybody who has a role, by name. */
export function Members() {
  const { t } = useLingui()
  const business = useBusiness()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  // What was found before stays until the new rows come, and nothing is added to it meanwhile.
  const list = useInfiniteQuery({ ...membersQuery(business.id, search), placeholderData: keepPreviousData })
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const columns = useColumns()
  const [at, setAt] = useState(-1)
  const open = (id: string | undefined) =>
    void navigate({ search: (now) => ({ ...now, member: id }), replace: id === undefined })
  const step = (by: number) => setAt((before) => Math.max(0, Math.min(rows.length - 1, before + by)))
  const chosen = rows[at]
  const member = rows.find(({ id }) => id === search.member)
  useCommands([
    { id: 'next-member', label: t`The next`, keys: 'j', inPalette: false, run: () => step(1) },
    { id: 'member-before', label: t`The one before`, keys: 'k', inPalette: false, run: () => step(-1) },
    { id: 'open-member', label: t`Open`, keys: 'e', inPalette: false, run: () => chosen && open(chosen.id) },
  ])
  return (
    <>
      <Filters shown={rows.length} hasMore={list.hasNextPage} />
      {list.isPending ? (
        <Bones rows={10} columns={4} />
      ) : list.error ? (
        <div className="page">
          <Problem error={list.error} onRetry={() => void list.refetch()} />
        </div>
      ) : rows.length === 0 ? (
        <div className="page">
          <Empty
            title={t`Nobody is found so`}
            action={<route.Link to="." search={{}} className="button">{t`Show everybody`}</route.Link>}
          >
            {t`People are found by any part of their name or email address.`}
          </Empty>
        </div>
      ) : (
        <DataTable
          label={t`Members`}
          className="team-table"
          rows={rows}
          columns={columns}
          idOf={({ id }) => id}
          at={at}
          onOpen={({ id }) => open(id)}
          onEnd={() => {
            if (list.hasNextPage && !list.isFetching) void list.fetchNextPage()
          }}
        />
      )}
      {member && <MemberSheet key={member.id} member={member} onClose={() => open(undefined)} />}
    </>
  )
}

function useColumns(): Column<Member>[] {
  const { t } = useLingui()
  const me = useSigned()?.userId
  return [
    {
      id: 'name',
      head: t`Name`,
      className: 'p1',
      width: '30%',
      cell: ({ id, name, email }) => (
        <>
          <route.Link to="." search={(now) => ({ ...now, member: id })} className="strong">
            {name || email || id}
          </route.Link>{' '}
          {id === me && <span className="soft">{t`(you)`}</span>}
        </>
      ),
    },
    { id: 'email', head: t`Email`, className: 'soft p3', width: '30%', cell: ({ email }) => email ?? '–' },
    {
      id: 'roles',
      head: t`Roles`,
      className: 'p4',
      cell: ({ roles, pendingRoles }) => (
        <>
          {roles.map(({ name }) => name).join(', ')}{' '}
          {pendingRoles.length > 0 && (
            <Status fill="ring" tone="wait">
              <Trans>{pendingRoles.map(({ name }) => name).join(', ')} offered</Trans>
            </Status>
          )}
        </>
      ),
    },
    {
      id: 'joined',
      head: t`Since`,
      className: 'soft p2',
      width: '8rem',
      cell: ({ joinedAt }) => <When at={joinedAt} />,
    },
  ]
}

function Filters({ shown, hasMore }: { shown: number; hasMore: boolean }) {
  const { t } = useLingui()
  const business = useBusiness()
  const { query = '', role } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: roles } = useQuery(rolesQuery(business.id))
  const setRole = (next: string | undefined) => void navigate({ search: (now) => ({ ...now, role: next }) })
  return (
    <div className="tools">
      <FindField
        label={t`Find members`}
        placeholder={t`Name or email address`}
        value={query}
        onChange={(typed) =>
          void navigate({ search: (now) => ({ ...now, query: typed.trim() || undefined }), replace: true })
        }
      />
      {role ? (
        <Chip name={t`Role`} onRemove={() => setRole(undefined)}>
          {roles?.items.find(({ id }) => id === role)?.name ?? role}
        </Chip>
      ) : (
        <select
          className="select fit"
          aria-label={t`Role`}
          value=""
          onChange={({ target }) => setRole(target.value || undefined)}
        >
          <option value="">{t`All roles`}</option>
          {roles?.items.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      <p className="end note" role="status">
        {hasMore ? <Trans>More than {shown}</Trans> : <Plural value={shown} one="# person" other="# people" />}
      </p>
    </div>
  )
}
