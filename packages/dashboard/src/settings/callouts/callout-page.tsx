import { KontorError } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { invalidate, query } from '../../api/query.ts'
import { DeleteDialog } from '../../outbox/delete-dialog.tsx'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Save } from '../save.tsx'
import { SecretOnce } from '../secret-once.tsx'
import { CalloutFields } from './callout-fields.tsx'
import { CalloutState } from './state.tsx'
import { TestCall } from './test-call.tsx'
import { useCallout } from './use-callout.ts'
import { type Callout, POINTS, type Point, usePointWords } from './words.ts'

const route = getRouteApi('/signed-in/$business/settings/callouts/$point')

export function CalloutPage() {
  const { t } = useLingui()
  const { point } = route.useParams()
  const known = POINTS.find((one) => one === point)
  if (known) return <PointPage key={known} point={known} />
  return (
    <div className="page">
      <h1>{t`Checkout services`}</h1>
      <Empty
        title={t`Nothing is asked there`}
        action={
          <route.Link to="/$business/settings/callouts" params={(now) => now} className="button">
            {t`All checkout services`}
          </route.Link>
        }
      />
    </div>
  )
}

/** One place where a service is asked: who it is, and whether it answers as it should. */
function PointPage({ point }: { point: Point }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const words = usePointWords()(point)
  const { data, error, refetch } = useQuery(query(businessId, 'listCallouts'))
  const callout = data?.items.find((one) => one.point === point)
  const showDelete = (isOpen: boolean) =>
    void navigate({ search: { do: isOpen ? 'delete' : undefined }, replace: !isOpen })
  usePageTitle(words.name)
  useCommands(
    callout ? [{ id: 'delete-callout', label: t`Ask it no more`, icon: Trash2, run: () => showDelete(true) }] : [],
  )
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/settings/callouts" params={(now) => now}>{t`Checkout services`}</route.Link>
        </nav>
        <h1>{words.name}</h1>
        {data && (
          <div className="facts-line">
            <CalloutState of={callout} />
            <span className="soft">{words.sentence(callout)}</span>
          </div>
        )}
        {callout && (
          <div className="acts tight">
            <Button look="destroy" icon={Trash2} onClick={() => showDelete(true)}>{t`Delete`}</Button>
          </div>
        )}
      </header>
      {data ? (
        <Editor point={point} callout={callout} />
      ) : error ? (
        <div className="page">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : (
        <Bones rows={5} columns={2} />
      )}
      {callout && search.do === 'delete' && <DeleteCallout point={point} onClose={() => showDelete(false)} />}
    </>
  )
}

function Editor({ point, callout }: { point: Point; callout: Callout | undefined }) {
  const { t } = useLingui()
  const words = usePointWords()(point)
  const edited = useCallout(point, callout)
  const { form, made, changes, isChanged, problemOf, change } = edited
  if (made)
    return (
      <div className="page form-page">
        <SecretOnce
          secret={made.secret}
          otherwise={t`You would have to delete the service, and set it up again.`}
          onKept={edited.forgetSecret}
        >
          <Trans>The service is set up. With this secret it checks that requests come from us.</Trans>
        </SecretOnce>
      </div>
    )
  const unsaved = changes.length > 0 ? t`Save first: what is not saved is not asked.` : undefined
  return (
    <>
      <div className="page form-page">
        <p className="callouts-intro soft">{words.about}</p>
        <CalloutFields {...{ point, form, isChanged, problemOf }} onChange={change} />
        <TestCall point={point} lacks={callout ? unsaved : t`Set it up and save first.`} />
        {callout && (
          <p className="note">
            {t`Its secret is not shown again. To get another one, delete the service, and set it up again.`}
          </p>
        )}
      </div>
      <Save
        of={edited}
        reason={edited.missing}
        warning={callout ? undefined : t`Its secret is shown once, right after you save.`}
      />
    </>
  )
}

function DeleteCallout({ point, onClose }: { point: Point; onClose: () => void }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const ask = useAsk()
  const words = usePointWords()(point)
  const remove = async () => {
    const about = [`callout:${businessId}:${point}`]
    const wanted = {
      operation: 'removeCallout',
      input: { path: { point } },
      label: t`Delete: ${words.name}`,
      about,
    } as const
    try {
      await ask(wanted)
    } catch (error) {
      // The answer to the first attempt may have been lost: it is gone either way.
      if (!(error instanceof KontorError) || error.status !== 404) throw error
    }
    await invalidate(businessId, ['listCallouts', 'getCallout'])
  }
  return (
    <DeleteDialog name={t`the service`} {...{ remove, onClose }} onDeleted={onClose}>
      {t`From the next quote on it is not asked. ${words.own} Its secret is gone for good.`}
    </DeleteDialog>
  )
}
