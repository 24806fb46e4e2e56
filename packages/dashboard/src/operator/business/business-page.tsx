import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronRight, CirclePause, CirclePlay, ListChecks, Mail, Trash2 } from 'lucide-react'
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
import { DeleteSheet } from './delete-sheet.tsx'
import { Exports } from './exports.tsx'
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
          <Exports of={business} />
          <Log of={business} />
        </div>
        <Facts of={business} />
      </div>
      {search.do === 'suspend' && business.state === 'ACTIVE' && (
        <SuspendSheet of={business} onClose={() => void navigate({ search: {}, replace: true })} />
      )}
      {search.do === 'delete' && (business.state === 'ACTIVE' || business.state === 'SUSPENDED') && (
        <DeleteSheet of={business} onClose={() => void navigate({ search: {}, replace: true })} />
      )}
      {isResuming &&
        (business.state === 'DELETING' ? (
          <Keep of={business} onClose={() => setResuming(false)} />
        ) : (
          <Resume of={business} onClose={() => setResuming(false)} />
        ))}
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
    ...(state === 'ACTIVE'
      ? [
          {
            id: 'suspend',
            label: t`Suspend ${name}`,
            icon: CirclePause,
            run: () => void navigate({ search: { do: 'suspend' } }),
          },
        ]
      : []),
    ...(state === 'SUSPENDED' ? [{ id: 'resume', label: t`Open ${name} again`, icon: CirclePlay, run: onResume }] : []),
    ...(state === 'DELETING' ? [{ id: 'keep', label: t`Keep ${name}`, icon: CirclePlay, run: onResume }] : []),
    ...(state === 'ACTIVE' || state === 'SUSPENDED'
      ? [
          {
            id: 'delete',
            label: t`Delete ${name}`,
            icon: Trash2,
            run: () => void navigate({ search: { do: 'delete' } }),
          },
        ]
      : []),
  ])
}

function Steer({ of: { state }, onResume }: { of: BusinessDetail; onResume: () => void }) {
  const { t } = useLingui()
  if (state === 'IMPORTING') return null
  if (state === 'DELETING')
    return <Button look="main" icon={CirclePlay} onClick={onResume}>{t`Keep the business`}</Button>
  return (
    <>
      {state === 'ACTIVE' ? (
        <route.Link to="." search={{ do: 'suspend' }} className="button destroy">
          <Icon of={CirclePause} />
          {t`Suspend`}
        </route.Link>
      ) : (
        <Button look="main" icon={CirclePlay} onClick={onResume}>{t`Open again`}</Button>
      )}
      <route.Link to="." search={{ do: 'delete' }} className="button quiet destroy">
        <Icon of={Trash2} />
        {t`Delete`}
      </route.Link>
    </>
  )
}

/** Back from being deleted, as it was before. */
function Keep({ of: { id, name }, onClose }: { of: BusinessDetail; onClose: () => void }) {
  const { t } = useLingui()
  const keep = async () => {
    await kontor.operations.undeleteOperatorBusiness({ path: { id } })
    await readAgain()
  }
  return (
    <Sure title={t`Keep ${name}?`} verb={t`Keep the business`} done={t`${name} stays.`} act={keep} onClose={onClose}>
      <Trans>
        It is as it was before somebody wanted it deleted; if it was suspended, it still is. Its members get a mail.
        Letters stay paused until its people resume them.
      </Trans>
    </Sure>
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
  const { state, suspendedAt, suspendedReason, deleteAt, cell, cellState, measuredAt } = business
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
      {state === 'DELETING' && deleteAt !== null && (
        <Notice tone="alert" title={t`It is going to be deleted.`}>
          <Trans>
            Every record and file of it goes on <Moment at={deleteAt} />. Until then it can be kept.
          </Trans>
        </Notice>
      )}
      {state === 'IMPORTING' && (
        <Notice title={t`Importing…`}>
          <Trans>The command line finishes that, or removes what there is of it.</Trans>
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
