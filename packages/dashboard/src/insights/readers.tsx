import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNewsletters } from '../letters/queries.ts'
import { useFormat } from '../session/use-format.ts'
import { Bones } from '../ui/bones.tsx'
import { type Column, Columns } from '../ui/columns.tsx'
import { Empty } from '../ui/empty.tsx'
import { Problem } from '../ui/problem.tsx'
import { useCompact } from './amount.tsx'
import { AsSwitch, SaveTable } from './as-switch.tsx'
import { FigureLinks, type Shown } from './figure-links.tsx'
import { readersQuery } from './queries.ts'
import { begunBy, pointsOf } from './sums.ts'
import { route, useInsights } from './use-insights.ts'
import { useSpanWords } from './use-span-words.ts'

const SHOWN = ['active', 'joined', 'left'] as const
type Counts = Record<(typeof SHOWN)[number], number>

const addUp = (rows: readonly Counts[]): Counts => ({
  active: rows.reduce((sum, { active }) => sum + active, 0),
  joined: rows.reduce((sum, { joined }) => sum + joined, 0),
  left: rows.reduce((sum, { left }) => sum + left, 0),
})

/** Who came, who went, how many there are. */
export function Readers() {
  const { t } = useLingui()
  const { number } = useFormat()
  const compact = useCompact()
  const { nameOf, shortOf } = useSpanWords()
  const { business, address, search, period, now, change } = useInsights()
  const { newsletters } = useNewsletters()
  const { data, error, refetch } = useQuery({ ...readersQuery(business.id, period), placeholderData: keepPreviousData })
  if (!data) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Bones rows={9} bleed={false} />
  const ids = [...new Set(data.items.map(({ collectionId }) => collectionId))]
  const only = search.newsletter ?? (ids.length === 1 ? ids[0] : undefined)
  const rows = data.items.filter(({ collectionId }) => only === undefined || collectionId === only)
  const nameOfList = (id: string) => newsletters.find((one) => one.id === id)?.name ?? id
  if (rows.length === 0)
    return (
      <Empty title={t`No readers in this period`}>
        {t`Who subscribes to a newsletter stands here from the moment the address is confirmed.`}
      </Empty>
    )
  const points = begunBy(pointsOf(period.spans, rows), now)
  const sums = points.map((point) => ({ ...point, ...addUp(point.rows) }))
  const past = points.map(({ rows: of }) => addUp(of.flatMap(({ previous }) => previous ?? [])))
  const total = (all: readonly Counts[]): Counts => ({ ...addUp(all), active: all.at(-1)?.active ?? 0 })
  const [all, before] = [total(sums), total(past)]
  const names: Record<keyof Counts, string> = { active: t`Readers`, joined: t`Joined`, left: t`Left` }
  const chosen = SHOWN.find((figure) => figure === search.figure) ?? 'active'
  const figures = SHOWN.map(
    (id): Shown => ({
      id,
      name: names[id],
      value: number(all[id]),
      now: all[id],
      before: before[id],
      isBad: id === 'left',
    }),
  )
  const place = only && {
    target: { to: '/$business/letters/readers/$newsletter' as const, params: { business: address, newsletter: only } },
    href: `/${encodeURIComponent(address)}/letters/readers/${only}`,
  }
  const columns = sums.map(
    (sum, index): Column => ({
      from: sum.from,
      name: nameOf(sum, period.interval),
      short: shortOf(sum, period.interval),
      values: [sum[chosen]],
      before: past[index]?.[chosen],
      said: t`${number(sum.active)} readers, ${number(sum.joined)} joined, ${number(sum.left)} left`,
      place: place || undefined,
      opens: t`Open the readers`,
    }),
  )
  return (
    <>
      <FigureLinks label={t`Figures`} figures={figures} chosen={chosen} />
      <section>
        <div className="section-head">
          <h2>{names[chosen]}</h2>
          {only ? (
            <route.Link
              className="link note"
              to="/$business/letters/readers/$newsletter"
              params={(now) => ({ ...now, newsletter: only })}
            >
              <Trans>All readers of {nameOfList(only)}</Trans>
            </route.Link>
          ) : (
            <span className="note">{t`Who reads two newsletters counts twice.`}</span>
          )}
          <div className="end insight-acts">
            {ids.length > 1 && (
              <select
                className="select w-auto"
                aria-label={t`Newsletter`}
                value={search.newsletter ?? ''}
                onChange={(event) => change({ newsletter: event.target.value || undefined })}
              >
                <option value="">{t`All newsletters`}</option>
                {ids.map((id) => (
                  <option key={id} value={id}>
                    {nameOfList(id)}
                  </option>
                ))}
              </select>
            )}
            <SaveTable
              name="readers"
              rows={() => [
                ['from', 'to', 'came', 'went', 'readers'],
                ...sums.map(({ from, to, joined, left, active }) => {
                  const [first = '', last = ''] = [from, to].map((at) => new Date(at * 1_000).toISOString())
                  return [first, last, joined, left, active]
                }),
              ]}
            />
            <AsSwitch />
          </div>
        </div>
        {search.as === 'table' ? (
          <table className="table stack">
            <thead>
              <tr>
                <th>{t`Time`}</th>
                <th className="num">{t`Joined`}</th>
                <th className="num">{t`Left`}</th>
                <th className="num">{t`Readers`}</th>
              </tr>
            </thead>
            <tbody>
              {sums.toReversed().map((sum) => (
                <tr key={sum.from}>
                  <td className="p1">{nameOf(sum, period.interval)}</td>
                  <td className="num soft">{number(sum.joined)}</td>
                  <td className="num soft">{number(sum.left)}</td>
                  <td className="p3 only-phone">{t`${number(sum.joined)} joined, ${number(sum.left)} left`}</td>
                  <td className="num p2">{number(sum.active)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ) : (
          <Columns
            label={t`${names[chosen]} over time.`}
            columns={columns}
            legend={[t`this period`]}
            before={t`the period before`}
            axis={compact}
            isWhole
          />
        )}
      </section>
    </>
  )
}
