import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { query } from '../../api/query.ts'
import { usePages } from '../../api/use-pages.ts'
import { UpToDate } from '../../live/up-to-date.tsx'
import { useBusiness } from '../../session/use-business.ts'
import { useColleagues } from '../../session/use-colleagues.ts'
import { useFormat } from '../../session/use-format.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Head } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { type AuditEntry, auditQuery } from '../queries.ts'
import type { AuditSearch } from '../routes.ts'
import { KINDS, type Kind } from './actions.ts'
import { useSentence } from './use-sentence.ts'

const route = getRouteApi('/signed-in/$business/settings/audit')

/** Who did what, and when, in sentences. */
export function AuditPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const search = route.useSearch()
  const list = usePages(auditQuery(business, search))
  const isFiltered = Object.values(search).some(Boolean)
  return (
    <>
      <Head title={t`Audit log`} facts={<UpToDate />} />
      <Filters />
      {list.isFirst ? (
        <Bones rows={12} columns={3} />
      ) : list.error ? (
        <div className="page">
          <Problem error={list.error} onRetry={list.retry} />
        </div>
      ) : list.rows.length === 0 ? (
        <div className="page">
          <Empty
            title={isFiltered ? t`Nothing is found so` : t`Nothing has happened yet`}
            action={isFiltered && <route.Link to="." search={{}} className="button">{t`Show everything`}</route.Link>}
          >
            {t`Changes to the business, its team and its roles, and every export, are kept here for 25 months.`}
          </Empty>
        </div>
      ) : (
        <div className="page">
          <Days entries={list.rows} />
          {list.hasMore && (
            <Button
              reason={list.isLoadingMore ? t`Loading…` : undefined}
              onClick={() => void list.loadMore()}
            >{t`Show earlier`}</Button>
          )}
        </div>
      )}
    </>
  )
}

/** Roles and sessions of staff follow what the provider of the business says. */
const isByProvider = ({ action, data }: AuditEntry) =>
  action === 'member.logged-out-by-provider' || (data as { by?: string } | null)?.by === 'sign-in provider'

const BY_CHECK = new Set(['sign-in-domain.check-failed', 'sign-in-domain.recovered', 'sign-in-domain.lapsed'])

/** By day, newest first: that is how one looks for it. */
function Days({ entries }: { entries: readonly AuditEntry[] }) {
  const { t } = useLingui()
  const format = useFormat()
  const sentence = useSentence()
  const colleague = useColleagues()
  const who = (entry: AuditEntry) => {
    const { actorId, actorKind } = entry
    if (isByProvider(entry)) return t`The company’s sign-in`
    if (entry.action === 'member.identity-joined') return t`A sign-in provider`
    if (entry.action === 'sign-in-domain.proven-elsewhere') return t`Another business`
    if (BY_CHECK.has(entry.action)) return t`The daily check`
    if (actorId === null) return t`The operator`
    const name = colleague(actorId) ?? t`Somebody who is not in the team`
    return actorKind === 'api' ? t`${name}, by an API key,` : name
  }
  return [...Map.groupBy(entries, ({ timestamp }) => format.date(timestamp))].map(([day, ofDay]) => (
    <section key={day} className="log-day">
      <h2>{day}</h2>
      <ol className="log">
        {ofDay.map((entry) => (
          <li key={entry.id}>
            <time
              className="soft num"
              dateTime={new Date(entry.timestamp * 1_000).toISOString()}
              title={format.full(entry.timestamp)}
            >
              {format.time(entry.timestamp)}
            </time>
            <p>
              <b className="strong">{who(entry)}</b> {sentence(entry)}
            </p>
          </li>
        ))}
      </ol>
    </section>
  ))
}

function Filters() {
  const { t } = useLingui()
  const { id } = useBusiness()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data } = useQuery(query(id, 'listColleagues'))
  const people = (data?.items ?? [])
    .filter(({ name }) => name)
    .toSorted((one, other) => one.name.localeCompare(other.name))
  const set = (changes: AuditSearch) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true })
  const kinds: Record<Kind, string> = {
    people: t`People and invitations`,
    roles: t`Roles`,
    business: t`Settings of the business`,
    data: t`Exports and erasures`,
  }
  const word = (value: string) => value || undefined
  return (
    <div className="tools log-tools">
      <select
        className="select"
        aria-label={t`Who`}
        value={search.person ?? ''}
        onChange={({ target }) => set({ person: word(target.value) })}
      >
        <option value="">{t`Everybody`}</option>
        {search.person && !people.some(({ userId }) => userId === search.person) && (
          <option value={search.person}>{t`Somebody who is not in the team`}</option>
        )}
        {people.map(({ userId, name }) => (
          <option key={userId} value={userId}>
            {name}
          </option>
        ))}
      </select>
      <select
        className="select"
        aria-label={t`What`}
        value={search.kind ?? ''}
        onChange={({ target }) => set({ kind: word(target.value) })}
      >
        <option value="">{t`Everything`}</option>
        {KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {kinds[kind]}
          </option>
        ))}
      </select>
      <span className="from-to">
        <input
          type="date"
          className="input"
          aria-label={t`From`}
          value={search.from ?? ''}
          max={search.to}
          onChange={({ target }) => set({ from: word(target.value) })}
        />
        <span className="soft">
          <Trans>to</Trans>
        </span>
        <input
          type="date"
          className="input"
          aria-label={t`Up to and with`}
          value={search.to ?? ''}
          min={search.from}
          onChange={({ target }) => set({ to: word(target.value) })}
        />
      </span>
      {Object.values(search).some(Boolean) && (
        <route.Link to="." search={{}} className="button quiet small">{t`Clear`}</route.Link>
      )}
    </div>
  )
}
