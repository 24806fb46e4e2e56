import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'
import { usePages } from '../api/use-pages.ts'
import { useOwnFormat } from '../profile/moment.tsx'
import { Bones } from '../ui/bones.tsx'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { FindField } from '../ui/find-field.tsx'
import { Problem } from '../ui/problem.tsx'
import { businessesPages } from './queries.ts'
import { type BusinessesSearch, SORTS } from './routes.ts'
import type { Business, Overview } from './types.ts'
import { bytesIn, isAway, Tick, useHealth } from './words.tsx'

const route = getRouteApi('/signed-in/operator/')

/** A search is over all of them; without one, those that need somebody come first. */
const askedOf = ({ query, cell, show, sort }: BusinessesSearch) => ({
  ...(query && { query }),
  ...(cell && { cell }),
  ...(show === 'suspended' && { state: 'SUSPENDED' as const }),
  ...(show === 'deleting' && { state: 'DELETING' as const }),
  ...(show === undefined && !query && { health: 'TROUBLED' as const }),
  ...(sort && { sort }),
})

const badness = ({ cellState, deadJobs, stoppedSends }: Business) =>
  (isAway(cellState) ? 1_000_000 : 0) + deadJobs + stoppedSends

export function BusinessList({ overview }: { overview: Overview }) {
  const { t } = useLingui()
  const search = route.useSearch()
  const list = usePages(businessesPages(askedOf(search)))
  const isWorst = search.show === undefined && !search.query
  const rows = isWorst ? list.rows.toSorted((one, other) => badness(other) - badness(one)) : list.rows
  return (
    <section className="op-list" aria-label={t`Businesses`}>
      <Filters overview={overview} />
      {list.isFirst ? (
        <Bones rows={8} columns={5} bleed={false} />
      ) : list.error ? (
        <Problem error={list.error} onRetry={list.retry} />
      ) : rows.length === 0 ? (
        <Nothing isWorst={isWorst} />
      ) : (
        <>
          <Table rows={rows} />
          {list.hasMore && (
            <Button
              className="op-more"
              reason={list.isLoadingMore ? t`Loading…` : undefined}
              onClick={() => void list.loadMore()}
            >{t`Show more`}</Button>
          )}
          {isWorst && !search.cell && !list.hasMore && <Rest of={overview} />}
        </>
      )}
    </section>
  )
}

function Rest({ of: { totals } }: { of: Overview }) {
  const { t } = useLingui()
  const rest = totals.businesses - totals.troubled
  if (rest <= 0) return null
  return (
    <p className="note op-rest">
      <Plural value={rest} one="# more, without a problem." other="# more, without a problem." />{' '}
      <route.Link to="/operator" search={{ show: 'all' }} className="link">{t`Show all`}</route.Link>
    </p>
  )
}

function Nothing({ isWorst }: { isWorst: boolean }) {
  const { t } = useLingui()
  const all = <route.Link to="/operator" search={{ show: 'all' }} className="button">{t`Show all`}</route.Link>
  if (isWorst)
    return (
      <Empty title={t`No business has a problem`} action={all}>
        {t`One with dead jobs or a stopped letter stands here within a few minutes.`}
      </Empty>
    )
  return (
    <Empty title={t`No business is found so`} action={all}>
      {t`Names are found by the beginnings of their words, an admin by the beginning of the address, a business by its number.`}
    </Empty>
  )
}

function Filters({ overview }: { overview: Overview }) {
  const { t } = useLingui()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { number } = useOwnFormat()
  const all = number(overview.totals.businesses)
  const set = (changes: BusinessesSearch) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true })
  const sorts: Record<(typeof SORTS)[number], string> = {
    '-requests': t`Most requests`,
    '-mails': t`Most letters`,
    '-jobs': t`Most jobs`,
    '-rows': t`Most records`,
    '-mediaBytes': t`Largest files`,
    createdAt: t`Oldest first`,
  }
  const views = [
    { show: undefined, name: t`Worst first` },
    { show: 'all', name: t`All ${all}` },
    { show: 'suspended', name: t`Suspended` },
    { show: 'deleting', name: t`Deleting` },
  ] as const
  const isSorted = search.show !== undefined || search.query !== undefined
  return (
    <div className="op-tools">
      <FindField
        label={t`Find a business`}
        placeholder={t`Name, address or number`}
        value={search.query ?? ''}
        onChange={(query) => set({ query: query || undefined })}
      />
      <nav className="segment" aria-label={t`Which`}>
        {views.map(({ show, name }) => (
          <route.Link
            key={name}
            to="/operator"
            search={(before) => ({ ...before, show, ...(show === undefined && { query: undefined, sort: undefined }) })}
            activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
            aria-current={search.show === show && !(show === undefined && search.query) ? 'page' : undefined}
          >
            {name}
          </route.Link>
        ))}
      </nav>
      {overview.cells.length > 1 && (
        <select
          className="select"
          aria-label={t`Cell`}
          value={search.cell ?? ''}
          onChange={({ target }) => set({ cell: target.value || undefined })}
        >
          <option value="">{t`Every cell`}</option>
          {overview.cells.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      {isSorted && (
        <select
          className="select"
          aria-label={t`Sorted by`}
          value={search.sort ?? ''}
          onChange={({ target }) => set({ sort: SORTS.find((one) => one === target.value) })}
        >
          <option value="">{t`Newest first`}</option>
          {SORTS.map((one) => (
            <option key={one} value={one}>
              {sorts[one]}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}

function Table({ rows }: { rows: readonly Business[] }) {
  const { t } = useLingui()
  const hasBooks = rows.some(({ lastCheck }) => lastCheck !== null)
  return (
    <table className="table stack op-table" aria-label={t`Businesses`}>
      <thead>
        <tr>
          <th>{t`Business`}</th>
          <th>{t`Cell`}</th>
          {hasBooks && <th className="op-ticks">{t`Books`}</th>}
          <th className="op-ticks">{t`Jobs`}</th>
          <th className="op-ticks">{t`Letters`}</th>
          <th className="num hide-narrow">{t`Files`}</th>
          <th className="num">{t`Requests, 24 h`}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.id} of={row} hasBooks={hasBooks} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ of: row, hasBooks }: { of: Business; hasBooks: boolean }) {
  const { t } = useLingui()
  const { number, locale } = useOwnFormat()
  const health = useHealth()(row)
  const { word, look } = health.overall
  const requests = number(row.lastDay.requests)
  const line = health.line ?? (health.isKnown ? t`All good` : t`New, not looked at yet`)
  return (
    <tr>
      <td className="p1">
        <Link to="/operator/businesses/$id" params={{ id: row.id }} className="strong op-whole" data-stop>
          {row.name}
        </Link>
        <span className="note block hide-phone">{line}</span>
      </td>
      <td className="soft nowrap op-cell">
        {row.cellState !== 'up' && <Tick {...health.cell} />}
        {row.cell}
      </td>
      {hasBooks && (
        <td className="op-ticks">{health.books ? <Tick {...health.books} /> : <span className="soft">–</span>}</td>
      )}
      <td className="op-ticks">
        <Tick {...health.jobs} />
      </td>
      <td className="op-ticks">
        <Tick {...health.letters} />
      </td>
      <td className="num soft hide-narrow">{bytesIn(locale, row.size.mediaBytes)}</td>
      <td className="num">{requests}</td>
      <td className="p2 only-phone">
        <span className={`op-word ${look}`}>
          <Tick look={look} words="" />
          {word}
        </span>
      </td>
      <td className="p3 only-phone">
        {line} · <span className="nowrap">{row.cell}</span>
      </td>
      <td className="p4 only-phone soft">
        <Trans>{requests} requests</Trans>
      </td>
    </tr>
  )
}
