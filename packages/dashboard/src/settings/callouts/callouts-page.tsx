import './callouts.css'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { query } from '../../api/query.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Bones } from '../../ui/bones.tsx'
import { Head } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { CalloutState } from './state.tsx'
import { POINTS, usePointWords } from './words.ts'

const route = getRouteApi('/signed-in/$business/settings/callouts')

/** Who is asked while somebody buys: for taxes, for shipping prices, and whether the cart may be bought. */
export function CalloutsPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const wordsOf = usePointWords()
  const { data, error, refetch } = useQuery(query(business.id, 'listCallouts'))
  return (
    <>
      <Head title={t`Checkout services`} />
      {error && !data ? (
        <div className="page">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : !data ? (
        <Bones rows={3} columns={3} />
      ) : (
        <>
          <p className="page callouts-intro soft">
            {t`While somebody buys, a program of yours or of a provider can be asked. Without one, the settings of your markets count.`}
          </p>
          <ul className="role-list callout-list">
            {POINTS.map((point) => {
              const callout = data.items.find((one) => one.point === point)
              const words = wordsOf(point)
              return (
                <li key={point}>
                  <route.Link to="/$business/settings/callouts/$point" params={(now) => ({ ...now, point })}>
                    <b className="strong">{words.name}</b>
                    <span>
                      {words.sentence(callout)}
                      <span className="note block">{words.about}</span>
                    </span>
                  </route.Link>
                  <CalloutState of={callout} />
                </li>
              )
            })}
          </ul>
        </>
      )}
    </>
  )
}
