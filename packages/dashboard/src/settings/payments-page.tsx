import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { query } from '../api/query.ts'
import { useBusiness } from '../session/use-business.ts'
import { Bones } from '../ui/bones.tsx'
import { Notice } from '../ui/notice.tsx'
import { Head } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { Status } from '../ui/status.tsx'

/** Which account the money goes to. Only the operator sets it: whoever could change it here could take the money. */
export function PaymentsPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const { data, error, refetch } = useQuery(query(business.id, 'getPaymentAccount'))
  const provider = data?.provider === 'stripe' ? 'Stripe' : (data?.provider ?? '')
  return (
    <>
      <Head title={t`Payments`} />
      <div className="page form-page">
        {error ? (
          <Problem error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <Bones rows={3} columns={2} bleed={false} />
        ) : (
          <section className="section">
            <div className="section-head">
              <h2>{t`Where the money goes`}</h2>
            </div>
            {data.status === 'NONE' ? (
              <Notice tone="wait" title={t`No account receives money yet.`}>
                {t`Only orders that cost nothing can be placed. Ask the operator of this service to connect an account.`}
              </Notice>
            ) : (
              <>
                <dl className="pairs wide-pairs">
                  <dt>{t`Payments`}</dt>
                  <dd>
                    <Status tone="good">{t`are taken`}</Status>
                  </dd>
                  <dt>{t`Provider`}</dt>
                  <dd>{provider}</dd>
                  <dt>{t`Account`}</dt>
                  <dd>
                    {data.status === 'OWN' ? <code>{`•••• ${data.lastFour ?? ''}`}</code> : t`that of this service`}
                  </dd>
                </dl>
                <p className="note">
                  {data.status === 'OWN'
                    ? t`Compare the last four characters with those that ${provider} shows you. Nobody sees the rest.`
                    : t`All businesses here share one account; its operator passes the money on.`}
                </p>
              </>
            )}
            <p className="note">
              {t`The account can only be changed by the operator, on the command line: nobody who gets into this dashboard can lead your money elsewhere. Each change is in the audit log.`}
            </p>
          </section>
        )}
      </div>
    </>
  )
}
