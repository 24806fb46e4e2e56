import { KontorError } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link, useNavigate } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { invalidate } from '../../api/query.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { atOnce } from '../at-once.ts'
import { SecretOnce } from '../secret-once.tsx'
import { EMPTY, EndpointFields, type EndpointForm } from './endpoint-fields.tsx'
import { problemsOf } from './problems.ts'
import { nameOf } from './words.tsx'

/** An address that is told from now on what happens. Its secret is shown once. */
export function NewEndpointPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const address = addressOf(business)
  const navigate = useNavigate()
  const [kept, setDraft] = useDraft<EndpointForm>(`new-endpoint:${business.id}`)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const [made, setMade] = useState<{ id: string; url: string; secret: string | null }>()
  const form = kept ?? EMPTY
  const refused = problemsOf(error)
  const reason = isSending
    ? t`Processing…`
    : form.url.trim() === ''
      ? t`Type an address first.`
      : form.types.length === 0
        ? t`Choose what it is told of.`
        : undefined
  usePageTitle(t`New endpoint`)
  const show = (id: string) =>
    void navigate({ to: '/$business/settings/webhooks/$endpoint', params: { business: address, endpoint: id } })
  const create = async () => {
    if (reason || made) return
    setSending(true)
    setError(undefined)
    try {
      const body = { url: form.url.trim(), types: form.types, description: form.description.trim() }
      const path = { businessId: business.id }
      setMade(await atOnce(business.id, () => kontor.operations.createWebhookEndpoint({ path, body })))
      setDraft(undefined)
      await invalidate(business.id, ['listWebhookEndpoints'])
    } catch (cause) {
      setError(cause)
    } finally {
      setSending(false)
    }
  }
  useCommands([
    {
      id: 'create-endpoint',
      label: t`Create the endpoint`,
      keys: 'mod+Enter',
      icon: Check,
      reason,
      run: () => void create(),
    },
  ])
  const name = made && nameOf(made)
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <Link to="/$business/settings/webhooks" params={{ business: address }}>{t`Webhooks`}</Link>
        </nav>
        <h1>{made ? t`Its secret` : t`New endpoint`}</h1>
        {!made && (
          <>
            <p className="facts-line soft hide-phone">
              {kept ? t`Kept in this tab until it is created` : t`It is told what happens from then on`}
            </p>
            <div className="acts">
              {kept && <Button look="quiet" onClick={() => setDraft(undefined)}>{t`Start over`}</Button>}
              <Button look="main" reason={reason} onClick={() => void create()}>{t`Create the endpoint`}</Button>
            </div>
          </>
        )}
      </header>
      <div className="page form-page">
        {made ? (
          <SecretOnce
            secret={made.secret}
            otherwise={t`You would have to make another one for this endpoint.`}
            onKept={() => show(made.id)}
          >
            <Trans>
              <b className="break">{name}</b> is told from now on. With this secret it checks that requests come from
              us.
            </Trans>
          </SecretOnce>
        ) : (
          <>
            {error !== undefined && Object.keys(refused).length === 0 && <NotMade error={error} />}
            <EndpointFields
              form={form}
              problemOf={(field) => refused[field]}
              onChange={(changes) => {
                setError(undefined)
                setDraft({ ...form, ...changes })
              }}
            />
          </>
        )}
      </div>
    </>
  )
}

/** A lost answer may have made an endpoint whose secret nobody has seen. */
function NotMade({ error }: { error: unknown }) {
  const { t } = useLingui()
  const isLost = error instanceof KontorError && error.status === 0
  const kept = isLost
    ? t`What you entered is kept. If the list has this address already, make another secret for it: nobody has seen the first.`
    : t`Nothing was created. Your changes are still here.`
  return <Problem error={error} kept={kept} />
}
