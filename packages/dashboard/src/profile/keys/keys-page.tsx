import type { Answer } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { ask } from '../../outbox/outbox.ts'
import { usePermissionLine } from '../../session/permission-words.ts'
import { businessesQuery } from '../../session/queries.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Moment } from '../moment.tsx'
import { ProfileHead } from '../profile-head.tsx'
import { keysQuery } from '../queries.ts'
import { Sure } from '../sure.tsx'

type Key = Answer<'listKeys'>['items'][number]

const SOON_SECONDS = 14 * 86_400

/** Keys with which programs work in one's name. */
export function KeysPage() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(keysQuery())
  const [revoked, setRevoked] = useState<Key>()
  useCommands([
    {
      id: 'new-key',
      label: t`New API key`,
      keys: 'n',
      icon: Plus,
      run: () => void navigate({ to: '/profile/keys/new' }),
    },
  ])
  return (
    <>
      <ProfileHead title={t`API keys`}>
        <Link className="button main" to="/profile/keys/new">
          <Icon of={Plus} />
          {t`New key`}
        </Link>
      </ProfileHead>
      <div className="page">
        <p className="intro">
          <Trans>
            With a key a program works in your name: it may do what you may, cut down to what you give it here. Never
            put one into a page or an app.
          </Trans>
        </p>
        {error ? (
          <Problem error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <Bones rows={3} columns={5} bleed={false} />
        ) : data.items.length === 0 ? (
          <Empty
            title={t`No keys yet`}
            action={<Link className="button" to="/profile/keys/new">{t`Make the first key`}</Link>}
          >
            {t`A script that imports products, an extension, or a server that renders the shop, comes in with one.`}
          </Empty>
        ) : (
          <KeyTable keys={data.items} onRevoke={setRevoked} />
        )}
      </div>
      {revoked && (
        <Sure
          title={t`Revoke ${revoked.name}?`}
          verb={t`Revoke`}
          done={t`${revoked.name} revoked`}
          act={() =>
            ask('-', {
              operation: 'deleteKey',
              input: { path: { id: revoked.id } },
              label: t`Revoke a key`,
              about: [revoked.id],
            })
          }
          onClose={() => setRevoked(undefined)}
        >
          <Trans>From this moment every program that uses it is refused. It cannot be brought back.</Trans>
        </Sure>
      )}
    </>
  )
}

function KeyTable({ keys, onRevoke }: { keys: Key[]; onRevoke: (key: Key) => void }) {
  const { t } = useLingui()
  const { data: businesses } = useSuspenseQuery(businessesQuery())
  const businessOf = ({ businessId }: Key) =>
    businessId === null
      ? t`All of yours`
      : (businesses.items.find(({ id }) => id === businessId)?.name ?? t`One that you have left`)
  return (
    <table className="table stack still key-table">
      <thead>
        <tr>
          <th>{t`Name`}</th>
          <th>{t`Business`}</th>
          <th>{t`May`}</th>
          <th>{t`Ends`}</th>
          <th>{t`Last used`}</th>
          <th>
            <span className="unseen">{t`Revoke`}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <td className="p1">
              <span className="strong break">{key.name}</span> <span className="note mono nowrap">{key.value}</span>
              <span className="only-phone note block">
                <LastUse at={key.lastUsedAt} />
              </span>
            </td>
            <td>{businessOf(key)}</td>
            <td className="p3">
              <Rights of={key} />
            </td>
            <td className="p4">
              <Ends at={key.expiresAt} />
            </td>
            <td>
              {key.lastUsedAt === null ? <span className="soft">{t`Never`}</span> : <Moment at={key.lastUsedAt} />}
            </td>
            <td className="p2 num">
              <Button look="small" aria-label={t`Revoke ${key.name}`} onClick={() => onRevoke(key)}>{t`Revoke`}</Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** On a phone, where there is no column for it. */
function LastUse({ at }: { at: number | null }) {
  if (at === null) return <Trans>Never used</Trans>
  return (
    <Trans>
      Last used <Moment at={at} />
    </Trans>
  )
}

function Rights({ of: { permissions } }: { of: Key }) {
  const { t } = useLingui()
  const line = usePermissionLine()
  return permissions === null ? t`Whatever you may` : line(permissions)
}

function Ends({ at }: { at: number | null }) {
  const { t } = useLingui()
  if (at === null) return <span className="soft">{t`Never`}</span>
  const left = at - Date.now() / 1_000
  if (left <= 0) return <Status fill="off" tone="alert">{t`Has ended`}</Status>
  return (
    <span className={left < SOON_SECONDS ? 'wait-text' : undefined}>
      <Moment at={at} />
    </span>
  )
}
