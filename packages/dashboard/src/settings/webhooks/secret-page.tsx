import { KontorError } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { invalidate } from '../../api/query.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { atOnce } from '../at-once.ts'
import { SecretOnce } from '../secret-once.tsx'
import { useEndpoint } from './queries.ts'
import { nameOf, useLacks } from './words.tsx'

const route = getRouteApi('/signed-in/$business/settings/webhooks/$endpoint/secret')
const HOURS = [24, 12, 6, 1, 0] as const

/** Another secret for an endpoint, shown once. The old one goes on for some hours, so that nothing is refused meanwhile. */
export function SecretPage() {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { endpoint: id } = route.useParams()
  const navigate = route.useNavigate()
  const { ofEndpoint } = useLacks()
  const { data: endpoint, error: unread, refetch } = useEndpoint(businessId, id)
  const [kept, setKept] = useDraft<number>(`rotate:${id}`)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const [made, setMade] = useState<{ secret: string | null }>()
  const hours = kept ?? 24
  const name = endpoint ? nameOf(endpoint) : t`Endpoint`
  const reason = (endpoint && ofEndpoint(endpoint)) ?? (isSending ? t`Processing…` : undefined)
  usePageTitle(t`Another secret`)
  const toEndpoint = () => void navigate({ to: '/$business/settings/webhooks/$endpoint', params: (now) => now })
  const rotate = async (event: FormEvent) => {
    event.preventDefault()
    if (reason) return
    setSending(true)
    setError(undefined)
    try {
      const wanted = { path: { businessId, id }, body: { keepOldHours: hours } }
      setMade(await atOnce(businessId, () => kontor.operations.rotateWebhookSecret(wanted)))
      setKept(undefined)
      await invalidate(businessId, ['getWebhookEndpoint', 'listWebhookEndpoints'])
    } catch (cause) {
      setError(cause)
    } finally {
      setSending(false)
    }
  }
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/settings/webhooks" params={(now) => now}>{t`Webhooks`}</route.Link>
          {' / '}
          <route.Link to="/$business/settings/webhooks/$endpoint" params={(now) => now} className="break">
            {name}
          </route.Link>
        </nav>
        <h1>{t`Another secret`}</h1>
      </header>
      <div className="page form-page">
        {made ? (
          <SecretOnce secret={made.secret} otherwise={t`You would have to make yet another one.`} onKept={toEndpoint}>
            <Trans>
              This is the new secret of <b className="break">{name}</b>.
            </Trans>
          </SecretOnce>
        ) : unread && !endpoint ? (
          <Problem error={unread} onRetry={() => void refetch()} />
        ) : !endpoint ? (
          <Bones rows={3} columns={2} bleed={false} />
        ) : (
          <form className="section secret-form" onSubmit={(event) => void rotate(event)}>
            {error !== undefined && <NotRotated error={error} />}
            <p className="soft">
              <Trans>
                Make another one when somebody who should not has seen it, or who knew it has left. Until the old one
                ends, requests are signed with both, so your program can change over in between.
              </Trans>
            </p>
            <Select
              label={t`The old secret works`}
              value={String(hours)}
              onChange={({ target }) => setKept(Number(target.value))}
            >
              {HOURS.map((one) => (
                <option key={one} value={one}>
                  {one === 0 ? t`not any more` : one === 1 ? t`for another hour` : t`for another ${one} hours`}
                </option>
              ))}
            </Select>
            {hours === 0 && (
              <p className="note wait-text">
                {t`Your program refuses every request until it has the new one. What it refuses is tried again.`}
              </p>
            )}
            <div className="acts">
              <Button look="main" type="submit" reason={reason}>{t`Make another secret`}</Button>
              <Button look="quiet" onClick={toEndpoint}>{t`Leave it`}</Button>
            </div>
          </form>
        )}
      </div>
    </>
  )
}

/** A lost answer may have made a secret that nobody has seen. */
function NotRotated({ error }: { error: unknown }) {
  const { t } = useLingui()
  const isLost = error instanceof KontorError && error.status === 0
  return (
    <Problem
      error={error}
      kept={
        isLost
          ? t`It may have been made all the same, and nobody has seen it: make another one.`
          : t`The old secret still works.`
      }
    />
  )
}
