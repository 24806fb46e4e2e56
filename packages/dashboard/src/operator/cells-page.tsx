import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Moment, useOwnFormat } from '../profile/moment.tsx'
import { Bones } from '../ui/bones.tsx'
import { Notice } from '../ui/notice.tsx'
import { Head } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { ServiceNotices } from './cell-notices.tsx'
import { CellSheet } from './cell-sheet.tsx'
import { overviewQuery } from './queries.ts'
import type { Cell, Overview, Process } from './types.ts'
import { bytesIn, isAway, spanIn, Tick, useCellWords, usePlacementWords } from './words.tsx'

const route = getRouteApi('/signed-in/operator/cells')

/** The databases, the processes and the providers. */
export function CellsPage() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(overviewQuery())
  const { change } = route.useSearch()
  const navigate = route.useNavigate()
  const changed = data?.cells.find(({ name }) => name === change)
  return (
    <>
      <Head title={t`Cells`} />
      <div className="page op-page">
        {error && <Problem error={error} onRetry={() => void refetch()} />}
        {data ? (
          <>
            <ServiceNotices overview={data} />
            <ul className="op-cells">
              {data.cells.map((cell) => (
                <CellFacts key={cell.name} of={cell} />
              ))}
            </ul>
            {changed && (
              <CellSheet
                key={changed.name}
                of={changed}
                among={data.cells}
                onClose={() => void navigate({ search: {}, replace: true })}
              />
            )}
            <Processes of={data} />
            <Providers of={data} />
          </>
        ) : (
          !error && <Bones rows={6} columns={4} bleed={false} />
        )}
      </div>
    </>
  )
}

function CellFacts({ of: cell }: { of: Cell }) {
  const { t } = useLingui()
  const { number } = useOwnFormat()
  const words = useCellWords()
  const { name, state, placement, weight, region, isAnswering, isStandby, missingMigrations, businesses, suspended } =
    cell
  const placements = usePlacementWords()
  const isOff = placement === 'OFF'
  const look = isOff
    ? 'off'
    : isAway(state) || !isAnswering
      ? 'away'
      : state === 'up'
        ? 'good'
        : state === 'unknown'
          ? 'unknown'
          : 'bad'
  const said = isOff ? t`Switched off` : state === 'up' && !isAnswering ? t`Does not answer` : words(state)
  const shownWeight = number(weight)
  const missing = missingMigrations.join(', ')
  return (
    <li>
      <header>
        <Tick look={look} words="" />
        <h2>{name}</h2>
        <span className={look === 'good' || isOff ? 'soft' : 'alert-text'}>{said}</span>
        {isStandby && <span className="badge wait">{t`Standby`}</span>}
        <route.Link to="." search={{ change: name }} className="button small end" data-stop>
          {t`Change`}
          <span className="unseen"> {name}</span>
        </route.Link>
      </header>
      {missing && (
        <p className="note">
          <Trans>It lacks {missing}: run the migrations.</Trans>
        </p>
      )}
      <dl className="pairs">
        <dt>{t`New businesses`}</dt>
        <dd>
          {placements(placement)}
          {placement === 'OPEN' && (
            <span className="soft">
              {' '}
              <Trans>(weight {shownWeight})</Trans>
            </span>
          )}
        </dd>
        {region !== null && (
          <>
            <dt>{t`Region`}</dt>
            <dd>{region}</dd>
          </>
        )}
        <dt>{t`Businesses`}</dt>
        <dd>
          <Link to="/operator" search={{ cell: name, show: 'all' }} className="link">
            {number(businesses)}
          </Link>
          {suspended > 0 && (
            <span className="soft">
              {' '}
              <Plural value={suspended} one="(# suspended)" other="(# suspended)" />
            </span>
          )}
        </dd>
        {!isOff && <Work of={cell} />}
      </dl>
    </li>
  )
}

/** What it is at; of one that is off nobody knows. */
function Work({ of: cell }: { of: Cell }) {
  const { t } = useLingui()
  const { number, locale } = useOwnFormat()
  const { name, jobs, sends } = cell
  const count = (value: number | null) => (value === null ? '–' : number(value))
  const span = (value: number | null) => (value === null ? '–' : value === 0 ? t`no lag` : spanIn(locale, value))
  return (
    <>
      <dt>{t`Workers`}</dt>
      <dd className={cell.workers === 0 ? 'alert-text' : undefined}>{count(cell.workers)}</dd>
      <dt>{t`Jobs that wait`}</dt>
      <dd>{count(jobs?.ready ?? null)}</dd>
      <dt>{t`Dead jobs`}</dt>
      <dd>
        {jobs && jobs.dead > 0 ? (
          <Link to="/operator/jobs" search={{ cell: name }} className="link alert-text">
            {number(jobs.dead)}
          </Link>
        ) : (
          count(jobs?.dead ?? null)
        )}
      </dd>
      <dt>{t`Lag of jobs`}</dt>
      <dd>{span(cell.jobLagSeconds)}</dd>
      <dt>{t`Lag of events`}</dt>
      <dd>{span(cell.eventLagSeconds)}</dd>
      <dt>{t`Letters under way`}</dt>
      <dd>{count(sends?.running ?? null)}</dd>
      <dt>{t`Connections`}</dt>
      <dd>{count(cell.connections)}</dd>
      <dt>{t`Size`}</dt>
      <dd>{cell.databaseBytes === null ? '–' : bytesIn(locale, cell.databaseBytes)}</dd>
    </>
  )
}

function Processes({ of: { processes, version, versions } }: { of: Overview }) {
  const { t } = useLingui()
  const list = versions.join(', ')
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`Processes`}</h2>
        <span className="note">
          <Trans>heard of within 20 seconds; {version} answered</Trans>
        </span>
      </div>
      {versions.length > 1 && (
        <Notice title={t`They are of different versions: ${list}.`}>
          {t`That is right while a new version is rolled out, and wrong afterwards.`}
        </Notice>
      )}
      <table className="table stack still op-table" aria-label={t`Processes`}>
        <thead>
          <tr>
            <th>{t`Process`}</th>
            <th>{t`Kind`}</th>
            <th>{t`Version`}</th>
            <th>{t`Cells`}</th>
            <th className="num">{t`Started`}</th>
          </tr>
        </thead>
        <tbody>
          {processes.map((process) => (
            <ProcessRow key={process.id} of={process} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function ProcessRow({ of: { id, kind, version, cells, startedAt } }: { of: Process }) {
  const { t } = useLingui()
  return (
    <tr>
      <td className="p1 op-long">{id}</td>
      <td className="p2">{kind === 'api' ? t`API` : t`Worker`}</td>
      <td className="soft p3">{version}</td>
      <td className="soft">{cells.join(', ')}</td>
      <td className="num soft nowrap p4">
        <Moment at={startedAt} />
      </td>
    </tr>
  )
}

function Providers({ of: { providers } }: { of: Overview }) {
  const { t } = useLingui()
  const names: Record<(typeof providers)[number]['name'], string> = {
    mail: t`Mail`,
    sms: t`Text messages`,
    payments: t`Payments`,
    identity: t`Sign-in by others`,
    ai: t`Language model`,
    media: t`Storage of files`,
    redis: t`Redis`,
  }
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`Providers`}</h2>
      </div>
      <ul className="op-providers">
        {providers.map(({ name, isConfigured }) => (
          <li key={name}>
            <Tick look={isConfigured ? 'good' : 'off'} words="" />
            {names[name]}
            <span className="soft">{isConfigured ? t`set up` : t`not set up`}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
