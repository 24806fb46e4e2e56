import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download, Eraser } from 'lucide-react'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { useNameOf } from '../name.ts'
import { customerQuery } from '../queries.ts'
import { useExport } from '../use-export.ts'
import { Comments } from './comments.tsx'
import { EraseSheet } from './erase-sheet.tsx'
import { Facts } from './facts.tsx'
import { Orders } from './orders.tsx'

const route = getRouteApi('/signed-in/$business/customers/$customer')

/** One person: what they ordered and spent, where it went, what the team has noted. */
export function CustomerPage() {
  const { t } = useLingui()
  const { customer: userId } = route.useParams()
  const business = useBusiness()
  const { reason } = usePermissions()
  const nameOf = useNameOf()
  const file = useExport()
  const { data: customer, error, refetch } = useQuery(customerQuery(business.id, userId))
  const name = customer ? nameOf(customer) : t`Customer`
  const exportReason = reason('ADMIN') ?? (file.isBusy ? t`Preparing the file…` : undefined)
  const navigate = route.useNavigate()
  const isErasing = route.useSearch().do === 'erase'
  const showErase = (open: boolean) => void navigate({ search: { do: open ? 'erase' : undefined }, replace: !open })
  const eraseWords = customer?.isErased ? t`Erase the rest` : t`Erase`
  const exportOne = () => void file.one(userId)
  usePageTitle(name)
  useCommands([
    {
      id: 'export-customer',
      label: t`Export all about this customer`,
      icon: Download,
      reason: exportReason,
      run: exportOne,
    },
    { id: 'erase-customer', label: eraseWords, icon: Eraser, reason: reason('ADMIN'), run: () => showErase(true) },
  ])
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/customers" params={(now) => now}>{t`Customers`}</route.Link>
        </nav>
        <h1>{name}</h1>
        {customer && (
          <div className="facts-line soft">
            {customer.isErased ? (
              <Status fill="off">{t`Erased`}</Status>
            ) : customer.isGuest ? (
              <Status fill="ring">{t`Guest`}</Status>
            ) : (
              <Status fill="full" tone="act">{t`Has an account`}</Status>
            )}
          </div>
        )}
        <div className="acts tight">
          <Button icon={Download} reason={exportReason} onClick={exportOne}>{t`Export`}</Button>
          {customer && (
            <Button look="destroy" icon={Eraser} reason={reason('ADMIN')} onClick={() => showErase(true)}>
              {eraseWords}
            </Button>
          )}
        </div>
      </header>
      {error && !customer ? (
        <div className="page">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : customer ? (
        <div className="record">
          <div className="work">
            {customer.isErased && (
              <div className="section">
                <Notice tone="calm" title={t`This customer was erased.`}>
                  <Trans>
                    By the team, or with their account. Sums and orders stay for the books; name, addresses and comments
                    are gone. Orders that were in work then may still name them: erase the rest once they have ended.
                  </Trans>
                </Notice>
              </div>
            )}
            <Orders customer={customer} />
            {!customer.isErased && <Comments userId={userId} />}
          </div>
          <Facts customer={customer} />
        </div>
      ) : (
        <Bones rows={6} columns={5} />
      )}
      {customer && isErasing && <EraseSheet customer={customer} onClose={() => showErase(false)} />}
    </>
  )
}
