import '../promos.css'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { DeleteDialog } from '../../outbox/delete-dialog.tsx'
import { useAsk, useAsked } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { LeaveDialog } from '../../ui/leave-dialog.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Status } from '../../ui/status.tsx'
import { useLeaveGuard } from '../../ui/use-draft.ts'
import { type Promo, promoQuery } from '../queries.ts'
import { PromoState, usePromoWords } from '../words.tsx'
import { PromoFields } from './promo-fields.tsx'
import { TryCart } from './try-cart.tsx'
import { usePromo } from './use-promo.ts'
import { UsesFacts } from './uses-facts.tsx'

const route = getRouteApi('/signed-in/$business/promo-codes/$promo')

/** One code: what it gives, who used it, and what it does to a cart. */
export function PromoPage() {
  const { t } = useLingui()
  const { promo: id } = route.useParams()
  const business = useBusiness()
  const { reason } = usePermissions()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { gives } = usePromoWords()
  const { data: promo, error, refetch } = useQuery(promoQuery(business.id, id))
  const isAsked = useAsked(id).length > 0
  const lacks = reason('PROMOS_WRITE')
  const showDelete = (isOpen: boolean) =>
    void navigate({ search: { do: isOpen ? 'delete' : undefined }, replace: !isOpen })
  const code = promo?.code ?? t`Promo code`
  usePageTitle(code)
  useCommands([
    { id: 'delete-promo', label: t`Delete this code`, icon: Trash2, reason: lacks, run: () => showDelete(true) },
  ])
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/promo-codes" params={(now) => now} search={{}}>{t`Promo codes`}</route.Link>
        </nav>
        <h1>{code}</h1>
        {promo && (
          <div className="facts-line soft">
            {isAsked ? <Status fill="unknown" tone="wait">{t`Processing…`}</Status> : <PromoState promo={promo} />}
            <span>
              <Trans>gives {gives(promo)}</Trans>
            </span>
          </div>
        )}
        <div className="acts tight">
          <Button look="destroy" icon={Trash2} reason={lacks} onClick={() => showDelete(true)}>{t`Delete`}</Button>
        </div>
      </header>
      {promo ? (
        <Editor key={id} promo={promo} lacks={lacks} />
      ) : error ? (
        <div className="page">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : (
        <Bones rows={6} columns={3} />
      )}
      {promo && search.do === 'delete' && (
        <DeletePromo
          promo={promo}
          onClose={() => showDelete(false)}
          onDeleted={() => void navigate({ to: '/$business/promo-codes', params: (now) => now, search: {} })}
        />
      )}
    </>
  )
}

function Editor({ promo, lacks }: { promo: Promo; lacks: string | undefined }) {
  const { t } = useLingui()
  const { form, body, changed, changes, problemOf, isWrong, isSaving, change, save, discard, sheet } = usePromo(promo)
  const guard = useLeaveGuard(changes.length > 0)
  const isShort = body.maxRedemptions != null && body.maxRedemptions < promo.redemptions
  return (
    <>
      <div className="record">
        <div className="work">
          <PromoFields {...{ form, changed, problemOf, lacks }} onChange={change} />
          <TryCart promo={body} isWrong={isWrong} isChanged={changes.length > 0} saved={promo} />
        </div>
        <UsesFacts promo={promo} />
      </div>
      <SaveBar
        changes={changes}
        warning={isShort ? t`It was used more often than that already: nobody else can use it.` : undefined}
        isSaving={isSaving}
        reason={lacks ?? (isWrong ? t`Fix the errors in the form.` : undefined)}
        onSave={() => void save()}
        onDiscard={discard}
      />
      <LeaveDialog guard={guard} />
      {sheet}
    </>
  )
}

function DeletePromo({ promo, onClose, onDeleted }: { promo: Promo; onClose: () => void; onDeleted: () => void }) {
  const { t } = useLingui()
  const ask = useAsk()
  const { id, code } = promo
  const remove = () =>
    ask({ operation: 'deletePromoCode', input: { path: { id } }, label: t`Delete the code ${code}`, about: [id] })
  return (
    <DeleteDialog {...{ name: code, remove, onClose, onDeleted }}>
      {promo.redemptions > 0
        ? t`Nobody can use it any more. Orders that used it keep their discount.`
        : t`Nobody has used it. Nobody can use it any more.`}
    </DeleteDialog>
  )
}
