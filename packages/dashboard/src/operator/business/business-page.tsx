import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronRight, CirclePause, CirclePlay, ListChecks, Mail } from 'lucide-react'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { Moment } from '../../profile/moment.tsx'
import { Sure } from '../../profile/sure.tsx'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Head, usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { AuditList } from '../audit-list.tsx'
import { DeadGroup } from '../jobs/dead-group.tsx'
import { groupsOf } from '../jobs/groups.ts'
import { auditPages, businessQuery, jobsQuery, readAgain } from '../queries.ts'
import type { BusinessDetail } from '../types.ts'
import { isAway, Tick, useCellWords, useHealth } from '../words.tsx'
import { Facts } from './facts.tsx'
import { LimitsPart } from './limits.tsx'
import { SuspendSheet } from './suspend-sheet.tsx'
import { Usage } from './usage.tsx'

const route = getRouteApi('/signed-in/operator/businesses/$id')

/** One business as its operator sees it: what it has and uses, what is wrong, nothing of what it sells. */
export function OneBusinessPage() {
  const { t } = useLingui()
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(businessQuery(id))
  usePageTitle(data?.name ?? t`Business`)
  return (
    <>
      <nav className="crumbs op-crumbs" aria-label={t`Where`}>
        <Link to="/operator">{t`Businesses`}</Link>
        <Icon of={ChevronRight} />
      </nav>
      {data ? (
        <Loaded of={data} />
      ) : (
        <div className="page">
          {error ? (
            <Problem error={error} onRetry={() => void refetch()} />
          ) : (
            <Bones rows={6} columns={3} bleed={false} />
          )}
        </div>
      )}
    </>
  )
}

function Loaded({ of: business }: { of: BusinessDetail }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [isResuming, setResuming] = useState(false)
  useBusinessCommands(business, () => setResuming(true))
  return (
    <>
      <Head title={business.name}>
        <Steer of={business} onResume={() => setResuming(true)} />
      </Head>
      <div className="record op-record">
        <div className="work">
          <State of={business} />
          <Dead of={business} />
          <Usage id={business.id} />
          <LimitsPart key={business.id} of={business} />
          <Log of={business} />
        </div>
        <Facts of={business} />
      </div>
      {search.do === 'suspend' && business.state === 'ACTIVE' && (
        <SuspendSheet of={business} onClose={() => void navigate({ search: {}, replace: true })} />
      )}
      {isResuming && <Resume of={business} onClose={() => setResuming(false)} />}
    </>
  )
}

function useBusinessCommands({ id, name, state }: BusinessDetail, onResume: () => void) {
  const { t } = useLingui()
  const navigate = route.useNavigate()
  useCommands([
    {
      id: 'its-jobs',
      label: t`Show the dead jobs of ${name}`,
      icon: ListChecks,
      run: () => void navigate({ to: '/operator/jobs', search: { business: id } }),
    },
    {
      id: 'its-sends',
      label: t`Show the letters of ${name}`,
      icon: Mail,
      run: () => void navigate({ to: '/operator/sends', search: { business: id } }),
    },
    state === 'ACTIVE'
      ? {
          id: 'suspend',
          label: t`Suspend ${name}`,
          icon: CirclePause,
          run: () => void navigate({ search: { do: 'suspend' } }),
        }
      : { id: 'resume', label: t`Open ${name} again`, icon: CirclePlay, run: onResume },
  ])
}

function Steer({ of: { state }, onResume }: { of: BusinessDetail; onResume: () => void }) {
  const { t } = useLingui()
  if (state !== 'ACTIVE') return <Button look="main" icon={CirclePlay} onClick={onResume}>{t`Open again`}</Button>
  return (
    <route.Link to="." search={{ do: 'suspend' }} className="button destroy">
      <Icon of={CirclePause} />
      {t`Suspend`}
    </route.Link>
  )
}

function Resume({ of: { id, name }, onClose }: { of: BusinessDetail; onClose: () => void }) {
  const { t } = useLingui()
  const resume = async () => {
    await kontor.operations.resumeBusiness({ path: { id } })
    await readAgain()
  }
  return (
    <Sure
      title={t`Open ${name} again?`}
      verb={t`Open again`}
      done={t`${name} is open again.`}
      act={resume}
      onClose={onClose}
    >
      <Trans>
        Its people and its shop are let in from the next request on. Letters that were paused stay so until its people
        resume them.
      </Trans>
    </Sure>
  )
}

/** What is to be known of it at once. */
function State({ of: business }: { of: BusinessDetail }) {
  const { t } = useLingui()
  const cellWords = useCellWords()
  const health = useHealth()(business)
  const { state, suspendedAt, suspendedReason, cell, cellState, measuredAt } = business
  const ticks = [health.cell, health.jobs, health.letters, ...(health.books ? [health.books] : [])]
  return (
    <section className="section">
      {state === 'SUSPENDED' && (
        <Notice title={t`Suspended.`}>
          {suspendedReason}{' '}
          {suspendedAt !== null && (
            <Trans>
              Since <Moment at={suspendedAt} />.
            </Trans>
          )}
        </Notice>
      )}
      {isAway(cellState) && (
        <Notice tone="alert" title={t`Its cell ${cell} does not answer.`}>
          {cellWords(cellState)}. {t`What is said here of it is from before.`}
        </Notice>
      )}
      <ul className="op-health">
        {ticks.map((tick, at) => (
          <li key={tick.words}>
            <Tick look={tick.look} words="" />
            {at === 0 ? t`Cell ${cell}: ${tick.words}` : tick.words}
          </li>
        ))}
      </ul>
      {business.stoppedSends > 0 && (
        <Link
          to="/operator/sends"
          search={{ business: business.id, state: 'PAUSED' }}
          className="link"
        >{t`Show the stopped letters`}</Link>
      )}
      {measuredAt !== null && (
        <p className="note">
          <Trans>
            Looked at <Moment at={measuredAt} />
          </Trans>
        </p>
      )}
    </section>
  )
}

function Dead({ of: { id } }: { of: BusinessDetail }) {
  const { t } = useLingui()
  const { data } = useQuery(jobsQuery({ businessId: id }))
  const groups = data ? groupsOf(data.queues, data.items).filter(({ jobs }) => jobs.length > 0) : []
  if (groups.length === 0) return null
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`Dead jobs`}</h2>
        <Link to="/operator/jobs" search={{ business: id }} className="link note end">{t`All of them`}</Link>
      </div>
      {groups.map((group) => (
        <DeadGroup key={group.name} group={group} among={{ businessId: id }}>
          <Link to="/operator/jobs" search={{ business: id, name: group.name }} className="button">{t`Details`}</Link>
        </DeadGroup>
      ))}
    </section>
  )
}

function Log({ of: { id } }: { of: BusinessDetail }) {
  const { t } = useLingui()
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`What operators did`}</h2>
      </div>
      <AuditList of={auditPages({ businessId: id })} isOfOne />
    </section>
  )
}
