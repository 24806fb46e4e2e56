import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Moment, useOwnFormat } from '../../profile/moment.tsx'
import { Sure } from '../../profile/sure.tsx'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Head } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { AskedCells } from '../cell-notices.tsx'
import { jobsQuery } from '../queries.ts'
import type { JobsSearch } from '../routes.ts'
import type { DeadJob, JobQueue } from '../types.ts'
import { spanIn } from '../words.tsx'
import { DeadGroup } from './dead-group.tsx'
import { groupsOf } from './groups.ts'
import { useChangeJobs } from './use-change-jobs.ts'

const route = getRouteApi('/signed-in/operator/jobs')

/** Jobs that are out of attempts, by their kind; below, how all queues are. */
export function JobsPage() {
  const { t } = useLingui()
  const search = route.useSearch()
  const { name, cell, business } = search
  const among = { ...(cell && { cell }), ...(business && { businessId: business }) }
  const jobs = useQuery(jobsQuery({ ...among, ...(name && { name }) }))
  const groups = jobs.data && groupsOf(jobs.data.queues, jobs.data.items)
  return (
    <>
      <Head title={t`Jobs`} />
      <div className="page op-page">
        <Filters search={search} businessName={jobs.data?.items[0]?.businessName ?? business} />
        <AskedCells cells={jobs.data?.cells} />
        {jobs.error && <Problem error={jobs.error} onRetry={() => void jobs.refetch()} />}
        {!groups ? (
          !jobs.error && <Bones rows={6} columns={3} bleed={false} />
        ) : groups.length === 0 ? (
          <Empty title={t`No dead jobs`}>
            {t`One that has failed as often as it may stands here, with its error, until somebody runs it again or discards it.`}
          </Empty>
        ) : (
          <section className="op-groups" aria-label={t`Dead jobs`}>
            {groups.map((group) => (
              <div key={group.name}>
                <DeadGroup group={group} among={among}>
                  {!name && group.dead > 1 && (
                    <route.Link
                      to="/operator/jobs"
                      search={(before) => ({ ...before, name: group.name })}
                      className="button"
                    >{t`One by one`}</route.Link>
                  )}
                </DeadGroup>
                {name && group.dead > 1 && <OneByOne jobs={group.jobs} dead={group.dead} />}
              </div>
            ))}
          </section>
        )}
        {jobs.data && <Queues queues={jobs.data.queues} />}
      </div>
    </>
  )
}

function Filters({ search, businessName }: { search: JobsSearch; businessName: string | undefined }) {
  const { t } = useLingui()
  const navigate = route.useNavigate()
  if (!Object.values(search).some(Boolean)) return null
  const without = (name: keyof JobsSearch) => () =>
    void navigate({ search: (before) => ({ ...before, [name]: undefined }) })
  return (
    <div className="op-tools">
      {search.name && (
        <Chip name={t`Kind`} onRemove={without('name')}>
          {search.name}
        </Chip>
      )}
      {search.cell && (
        <Chip name={t`Cell`} onRemove={without('cell')}>
          {search.cell}
        </Chip>
      )}
      {search.business && (
        <Chip name={t`Business`} onRemove={without('business')}>
          {businessName}
        </Chip>
      )}
    </div>
  )
}

function OneByOne({ jobs, dead }: { jobs: readonly DeadJob[]; dead: number }) {
  const { t } = useLingui()
  const rest = dead - jobs.length
  return (
    <>
      <ol className="op-ones" aria-label={t`One by one`}>
        {jobs.map((job) => (
          <One key={job.id} job={job} />
        ))}
      </ol>
      {rest > 0 && (
        <p className="note op-rest">
          <Plural value={rest} one="# more died before these." other="# more died before these." />
        </p>
      )}
    </>
  )
}

function One({ job }: { job: DeadJob }) {
  const { t } = useLingui()
  const change = useChangeJobs()
  const [isDiscarding, setDiscarding] = useState(false)
  const { id, businessId, businessName, attempts, error, diedAt } = job
  return (
    <li>
      <div>
        <p>
          {businessId === null ? (
            t`Of the service itself`
          ) : (
            <Link to="/operator/businesses/$id" params={{ id: businessId }} className="link">
              {businessName ?? businessId}
            </Link>
          )}{' '}
          <span className="note">
            {id} · <Plural value={attempts} one="# try" other="# tries" /> · <Moment at={diedAt} />
          </span>
        </p>
        <p className="op-error">{error ?? t`It left no error.`}</p>
      </div>
      <div className="op-acts">
        <Button icon={RotateCw} data-stop reason={change.reason} onClick={() => void change.retryOne(id)}>
          {t`Run again`}
          <span className="unseen">{id}</span>
        </Button>
        <Button look="quiet" icon={Trash2} reason={change.reason} onClick={() => setDiscarding(true)}>
          {t`Discard`}
          <span className="unseen">{id}</span>
        </Button>
      </div>
      {isDiscarding && (
        <Sure
          title={t`Discard the job ${id}?`}
          verb={t`Discard`}
          act={() => change.discardOne(id)}
          onClose={() => setDiscarding(false)}
        >
          <Trans>What it was to do is never done, and it cannot be brought back.</Trans>
        </Sure>
      )}
    </li>
  )
}

function Queues({ queues }: { queues: readonly JobQueue[] }) {
  const { t } = useLingui()
  const { number, locale } = useOwnFormat()
  if (queues.length === 0) return null
  const waits = (since: number | null) =>
    since === null ? '–' : spanIn(locale, Math.max(0, Math.floor(Date.now() / 1_000 - since)))
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`Queues`}</h2>
      </div>
      <table className="table stack still op-table" aria-label={t`Queues`}>
        <thead>
          <tr>
            <th>{t`Kind`}</th>
            <th>{t`Cell`}</th>
            <th className="num">{t`Waiting`}</th>
            <th className="num">{t`Longest`}</th>
            <th className="num">{t`Running`}</th>
            <th className="num">{t`Planned`}</th>
            <th className="num">{t`Dead`}</th>
          </tr>
        </thead>
        <tbody>
          {queues.map(({ cell, name, ready, running, scheduled, dead, oldestReadyAt }) => (
            <tr key={`${cell} ${name}`}>
              <td className="p1">{name}</td>
              <td className="soft p4">{cell}</td>
              <td className="num">{number(ready)}</td>
              <td className="num soft">{waits(oldestReadyAt)}</td>
              <td className="num">{number(running)}</td>
              <td className="num">{number(scheduled)}</td>
              <td className="num">
                <span className={dead > 0 ? 'alert-text strong' : undefined}>{number(dead)}</span>
              </td>
              <td className="p2 only-phone">
                {dead > 0 ? (
                  <span className="alert-text">
                    <Plural value={dead} one="# dead" other="# dead" />
                  </span>
                ) : (
                  <Plural value={ready} one="# waits" other="# wait" />
                )}
              </td>
              <td className="p3 only-phone">
                <Trans>
                  {running} run, {scheduled} planned
                </Trans>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
