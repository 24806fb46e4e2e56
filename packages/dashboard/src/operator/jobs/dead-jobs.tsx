import { Plural, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { Icon } from '../../ui/icon.tsx'
import { Problem } from '../../ui/problem.tsx'
import { jobsQuery } from '../queries.ts'
import { DeadGroup } from './dead-group.tsx'
import { groupsOf } from './groups.ts'

const SHOWN = 2

/** The newest of the dead jobs, where an operator looks first. */
export function DeadJobs() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(jobsQuery())
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (!data) return null
  const groups = groupsOf(data.queues, data.items)
  const dead = groups.reduce((sum, group) => sum + group.dead, 0)
  const rest = groups.length - SHOWN
  if (dead === 0)
    return (
      <p className="op-well">
        <Icon of={CircleCheck} />
        {t`No dead jobs.`}
      </p>
    )
  return (
    <section>
      <div className="section-head">
        <h2>
          {t`Dead jobs`} <span className="alert-text">{dead}</span>
        </h2>
        <Link to="/operator/jobs" className="link note end">{t`All jobs`}</Link>
      </div>
      {groups.slice(0, SHOWN).map((group) => (
        <DeadGroup key={group.name} group={group}>
          <Link to="/operator/jobs" search={{ name: group.name }} className="button">{t`Details`}</Link>
        </DeadGroup>
      ))}
      {rest > 0 && (
        <p className="note op-rest">
          <Plural value={rest} one="# more kind of job has died." other="# more kinds of jobs have died." />{' '}
          <Link to="/operator/jobs" className="link">{t`Show them`}</Link>
        </p>
      )}
    </section>
  )
}
