import './webhooks.css'
import { Plural, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Head } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { DeveloperHint } from './developer-hint.tsx'
import { type Endpoint, useEndpoints } from './queries.ts'
import { EndpointState, nameOf, useListensTo } from './words.tsx'

const route = getRouteApi('/signed-in/$business/settings/webhooks')

/** Who is told what happens here, and whether they hear it. */
export function WebhooksPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const navigate = route.useNavigate()
  const { data, error, refetch } = useEndpoints(business.id)
  const columns = useColumns()
  const [at, setAt] = useState(-1)
  const endpoints = data?.items ?? []
  const create = () => void navigate({ to: '/$business/settings/webhooks/new', params: (now) => now })
  const open = ({ id }: Endpoint) =>
    void navigate({ to: '/$business/settings/webhooks/$endpoint', params: (now) => ({ ...now, endpoint: id }) })
  const step = (by: number) => setAt((before) => Math.max(0, Math.min(endpoints.length - 1, before + by)))
  const chosen = endpoints[at]
  useCommands([
    { id: 'new-endpoint', label: t`New endpoint`, keys: 'n', icon: Plus, run: create },
    { id: 'next-endpoint', label: t`The next`, keys: 'j', inPalette: false, run: () => step(1) },
    { id: 'endpoint-before', label: t`The one before`, keys: 'k', inPalette: false, run: () => step(-1) },
    { id: 'open-endpoint', label: t`Open`, keys: 'e', inPalette: false, run: () => chosen && open(chosen) },
  ])
  const isEmpty = data !== undefined && endpoints.length === 0
  return (
    <>
      <Head
        title={t`Webhooks`}
        facts={endpoints.length > 0 && <Plural value={endpoints.length} one="# endpoint" other="# endpoints" />}
      >
        <Button look="main" icon={Plus} onClick={create}>{t`New endpoint`}</Button>
      </Head>
      {error && !data ? (
        <div className="page">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : !data ? (
        <Bones rows={4} columns={4} />
      ) : isEmpty ? (
        <div className="page">
          <Empty
            title={t`Nobody is told yet`}
            action={<Button icon={Plus} onClick={create}>{t`Name the first address`}</Button>}
          >
            {t`An endpoint is the address of another program: a warehouse, an accounting, a chat. It is told within seconds what happens here, such as an order that was paid, and nothing is lost while it is away.`}
          </Empty>
          <DeveloperHint />
        </div>
      ) : (
        <>
          <DataTable
            label={t`Webhooks`}
            className="webhooks-table"
            rows={endpoints}
            columns={columns}
            idOf={({ id }) => id}
            at={at}
            onOpen={open}
          />
          <div className="page dev-below">
            <details>
              <summary className="link">{t`For whoever writes the other side`}</summary>
              <DeveloperHint />
            </details>
          </div>
        </>
      )}
    </>
  )
}

function useColumns(): Column<Endpoint>[] {
  const { t } = useLingui()
  const { number } = useFormat()
  const listensTo = useListensTo()
  return [
    {
      id: 'address',
      head: t`Address`,
      className: 'p1',
      width: '34%',
      cell: (endpoint) => (
        <route.Link
          to="/$business/settings/webhooks/$endpoint"
          params={(now) => ({ ...now, endpoint: endpoint.id })}
          className="strong"
          title={endpoint.description || endpoint.url}
        >
          {nameOf(endpoint)}
        </route.Link>
      ),
    },
    { id: 'types', head: t`Listens to`, className: 'soft p3', cell: ({ types }) => listensTo(types) },
    {
      id: 'state',
      head: t`How it fares`,
      className: 'p4',
      width: '14rem',
      cell: (endpoint) => <EndpointState of={endpoint} />,
    },
    {
      id: 'behind',
      head: t`Behind`,
      className: 'num',
      width: '6rem',
      cell: ({ isEnabled, behind }) => (isEnabled ? number(behind) : '–'),
    },
  ]
}
