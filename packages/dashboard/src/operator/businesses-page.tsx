import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useOwnFormat } from '../profile/moment.tsx'
import { Bones } from '../ui/bones.tsx'
import { Head } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { BusinessList } from './business-list.tsx'
import { ServiceNotices } from './cell-notices.tsx'
import { DeadJobs } from './jobs/dead-jobs.tsx'
import { overviewQuery } from './queries.ts'
import type { Overview } from './types.ts'
import { hasNoWorker, needsSomebody } from './words.tsx'

/** The first thing an operator sees: what needs them, then everything else. */
export function BusinessesPage() {
  const { t } = useLingui()
  const format = useOwnFormat()
  const overview = useQuery(overviewQuery())
  const title = useTitle(overview.data)
  const now = (overview.dataUpdatedAt || Date.now()) / 1_000
  if (!overview.data)
    return (
      <>
        <Head title={t`Businesses`} />
        <div className="page">
          {overview.error ? (
            <Problem error={overview.error} onRetry={() => void overview.refetch()} />
          ) : (
            <Bones rows={8} columns={4} bleed={false} />
          )}
        </div>
      </>
    )
  return (
    <>
      <Head title={title} facts={`${format.weekday(now)}, ${format.time(now)}`} />
      <div className="op-home">
        <div className="op-now">
          {overview.error && <Problem error={overview.error} onRetry={() => void overview.refetch()} />}
          <ServiceNotices overview={overview.data} />
          <DeadJobs />
        </div>
        <BusinessList overview={overview.data} />
      </div>
    </>
  )
}

/** The worst of it in one line. */
function useTitle(overview: Overview | undefined): string {
  const { t } = useLingui()
  const { number } = useOwnFormat()
  if (!overview) return t`Businesses`
  const { totals, cells } = overview
  const away = cells.filter(needsSomebody).length
  if (away > 0) return away === 1 ? t`A cell does not answer` : t`${away} cells do not answer`
  const [troubled, all] = [number(totals.troubled), number(totals.businesses)]
  if (totals.troubled === 1) return t`1 of ${all} businesses needs you`
  if (totals.troubled > 1) return t`${troubled} of ${all} businesses need you`
  if (hasNoWorker(overview)) return t`The service needs you`
  return totals.deadJobs > 0 ? t`Dead jobs need you` : t`Nothing needs you`
}
