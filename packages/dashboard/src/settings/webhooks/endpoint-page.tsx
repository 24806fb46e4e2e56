import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { Ellipsis, KeyRound, Power, PowerOff, Radio, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { DeleteDialog } from '../../outbox/delete-dialog.tsx'
import { useAsk, useAsked } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem, MenuRule } from '../../ui/menu.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem, useProblem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { toast } from '../../ui/toast.tsx'
import { Save } from '../save.tsx'
import { Deliveries } from './deliveries.tsx'
import { EndpointFacts } from './endpoint-facts.tsx'
import { EndpointFields } from './endpoint-fields.tsx'
import { PingAnswer, usePing } from './ping.tsx'
import { type Endpoint, useEndpoint } from './queries.ts'
import { ReplaySheet } from './replay-sheet.tsx'
import { useEndpointForm } from './use-endpoint-form.ts'
import { EndpointState, nameOf, useLacks } from './words.tsx'

const route = getRouteApi('/signed-in/$business/settings/webhooks/$endpoint')

/** One endpoint: how it fares, what did not arrive, and what it is told of. */
export function EndpointPage() {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { endpoint: id } = route.useParams()
  const { data, error, refetch } = useEndpoint(businessId, id)
  const name = data ? nameOf(data) : t`Endpoint`
  usePageTitle(name)
  if (data) return <Shown key={id} of={data} />
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/settings/webhooks" params={(now) => now}>{t`Webhooks`}</route.Link>
        </nav>
        <h1>{name}</h1>
      </header>
      {error ? (
        <div className="page">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : (
        <Bones rows={6} columns={4} />
      )}
    </>
  )
}

function Shown({ of: endpoint }: { of: Endpoint }) {
  const { t } = useLingui()
  const { tab, do: doing } = route.useSearch()
  const navigate = route.useNavigate()
  const { ofEndpoint } = useLacks()
  const lacks = ofEndpoint(endpoint)
  const isAsked = useAsked(endpoint.id).length > 0
  const ping = usePing(endpoint)
  const open = (task: 'delete' | 'replay' | undefined) =>
    void navigate({ search: (now) => ({ ...now, do: task }), replace: task === undefined })
  return (
    <>
      <header className="head endpoint-head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/settings/webhooks" params={(now) => now}>{t`Webhooks`}</route.Link>
        </nav>
        <h1 className="break">{nameOf(endpoint)}</h1>
        <div className="facts-line">
          <EndpointState of={endpoint} />
          {isAsked && <Status fill="unknown" tone="wait">{t`Processing…`}</Status>}
          {endpoint.description && <span className="soft">{endpoint.description}</span>}
        </div>
        <Acts endpoint={endpoint} lacks={lacks} ping={ping} onDelete={() => open('delete')} />
      </header>
      <PingAnswer of={ping} />
      <EndpointFacts of={endpoint} />
      <Tabs label={t`Parts`}>
        <route.Link
          to="."
          search={{}}
          aria-current={tab ? undefined : 'page'}
          activeOptions={{ exact: true }}
        >{t`Deliveries`}</route.Link>
        <route.Link
          to="."
          search={{ tab: 'settings' }}
          aria-current={tab ? 'page' : undefined}
          activeOptions={{ exact: true }}
        >
          {t`Address and events`}
        </route.Link>
      </Tabs>
      {tab === 'settings' ? (
        <Editor endpoint={endpoint} lacks={lacks} />
      ) : (
        <Deliveries of={endpoint} lacks={lacks} onReplay={() => open('replay')} />
      )}
      {doing === 'replay' && <ReplaySheet of={endpoint} lacks={lacks} onClose={() => open(undefined)} />}
      {doing === 'delete' && <DeleteEndpoint of={endpoint} onClose={() => open(undefined)} />}
    </>
  )
}

type ActsProps = {
  endpoint: Endpoint
  lacks: string | undefined
  ping: ReturnType<typeof usePing>
  onDelete: () => void
}

function Acts({ endpoint, lacks, ping, onDelete }: ActsProps) {
  const { t } = useLingui()
  const navigate = route.useNavigate()
  const { isEnabled } = endpoint
  const { toggle, isSent } = useToggle(endpoint)
  const whyNot = lacks ?? (isSent ? t`Processing…` : undefined)
  const rotate = () =>
    void navigate({ to: '/$business/settings/webhooks/$endpoint/secret', params: (now) => now, search: {} })
  const toggleLabel = isEnabled ? t`Switch off` : t`Switch on`
  const toggleIcon = isEnabled ? PowerOff : Power
  useCommands([
    { id: 'ping', label: t`Send a test event`, keys: 'p', icon: Radio, reason: ping.reason, run: ping.send },
    { id: 'toggle-endpoint', label: toggleLabel, icon: toggleIcon, reason: whyNot, run: toggle },
    { id: 'rotate-secret', label: t`Make another secret`, icon: KeyRound, reason: lacks, run: rotate },
    { id: 'delete-endpoint', label: t`Delete this endpoint`, icon: Trash2, run: onDelete },
  ])
  return (
    <div className="acts tight">
      <Button icon={Radio} reason={ping.reason} onClick={ping.send}>{t`Send a test event`}</Button>
      {!isEnabled && <Button look="main" icon={Power} reason={whyNot} onClick={toggle}>{t`Switch on`}</Button>}
      <Menu align="end" trigger={<Button icon={Ellipsis} only={t`More to do`} />}>
        {isEnabled && <MenuItem icon={PowerOff} reason={whyNot} onClick={toggle}>{t`Switch off`}</MenuItem>}
        <MenuItem icon={KeyRound} reason={lacks} onClick={rotate}>{t`Make another secret`}</MenuItem>
        <MenuRule />
        <MenuItem icon={Trash2} onClick={onDelete}>{t`Delete`}</MenuItem>
      </Menu>
    </div>
  )
}

function useToggle(endpoint: Endpoint) {
  const { t } = useLingui()
  const ask = useAsk()
  const wordsOf = useProblem()
  const [isSent, setSent] = useState(false)
  const { id, isEnabled } = endpoint
  const name = nameOf(endpoint)
  const change = async () => {
    setSent(true)
    try {
      await ask({
        operation: 'updateWebhookEndpoint',
        input: { path: { id }, body: { isEnabled: !isEnabled } },
        label: isEnabled ? t`Switch off ${name}` : t`Switch on ${name}`,
        about: [id],
      })
      toast(
        isEnabled
          ? t`It is told nothing any more. What happens meanwhile can be sent later.`
          : t`It is told what happens from now on. What it missed can be sent again.`,
      )
    } catch (error) {
      toast(t`Couldn’t save. ${wordsOf(error).what}`)
    } finally {
      setSent(false)
    }
  }
  return { isSent, toggle: () => void change() }
}

function Editor({ endpoint, lacks }: { endpoint: Endpoint; lacks: string | undefined }) {
  const { t } = useLingui()
  const edited = useEndpointForm(endpoint)
  const { form, change, isChanged, problemOf } = edited
  const missing =
    form.url.trim() === ''
      ? t`It needs an address.`
      : form.types.length === 0
        ? t`Choose what it is told of.`
        : undefined
  return (
    <>
      <div className="page form-page endpoint-form">
        <EndpointFields {...{ form, lacks, isChanged, problemOf }} onChange={change} />
      </div>
      <Save
        of={edited}
        reason={lacks ?? missing}
        warning={isChanged('url') ? t`What waits is sent to the new address, with the same secret.` : undefined}
      />
    </>
  )
}

function DeleteEndpoint({ of: endpoint, onClose }: { of: Endpoint; onClose: () => void }) {
  const { t } = useLingui()
  const ask = useAsk()
  const navigate = route.useNavigate()
  const { id } = endpoint
  const name = nameOf(endpoint)
  const remove = () =>
    ask({ operation: 'deleteWebhookEndpoint', input: { path: { id } }, label: t`Delete ${name}`, about: [id] })
  const onDeleted = () => void navigate({ to: '/$business/settings/webhooks', params: (now) => now, search: {} })
  return (
    <DeleteDialog {...{ name, remove, onClose, onDeleted }}>
      <Trans>
        It is told nothing any more, what waits is not sent, and its secret is gone for good. To stop for a while,
        switch it off instead.
      </Trans>
    </DeleteDialog>
  )
}
