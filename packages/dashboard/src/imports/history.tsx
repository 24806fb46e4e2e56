import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { useColleagues } from '../session/use-colleagues.ts'
import { useFormat } from '../session/use-format.ts'
import { Bones } from '../ui/bones.tsx'
import { Problem } from '../ui/problem.tsx'
import { When } from '../ui/time.tsx'
import { importsQuery } from './queries.ts'
import { ImportState } from './state.tsx'
import { type Import, isWorking } from './types.ts'
import { useWords } from './use-words.ts'

/** What was tried, imported and undone before. */
export function History() {
  const { t } = useLingui()
  const { id } = useBusiness()
  const list = useQuery({
    ...importsQuery(id),
    refetchInterval: ({ state: { data } }) => (data?.items.some(isWorking) ? 2_000 : false),
  })
  return (
    <section className="page earlier">
      <div className="section-head">
        <h2>{t`Earlier imports`}</h2>
        <span className="note">{t`each can be undone for 30 days`}</span>
      </div>
      {list.isPending ? (
        <Bones rows={4} columns={5} bleed={false} />
      ) : list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : list.data.items.length === 0 ? (
        <p className="soft">{t`None yet. What you import stands here, so that you can take it back.`}</p>
      ) : (
        <table className="table stack">
          <thead>
            <tr>
              <th>{t`File`}</th>
              <th>{t`By`}</th>
              <th className="num">{t`Lines`}</th>
              <th className="num">{t`Made`}</th>
              <th className="num">{t`Changed`}</th>
              <th className="num">{t`Wrong`}</th>
              <th>{t`State`}</th>
            </tr>
          </thead>
          <tbody>
            {list.data.items.map((one) => (
              <Row key={one.id} of={one} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Row({ of: one }: { of: Import }) {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  const nameOf = useColleagues()
  const { formatOf } = useWords()
  const { number } = useFormat()
  return (
    <tr>
      <td className="p1">
        <Link to="/$business/products/imports/$import" params={{ business, import: one.id }} className="whole">
          {one.fileName ?? formatOf(one.format)}
        </Link>
      </td>
      <td className="soft p3">
        {(one.createdBy && nameOf(one.createdBy)) ?? t`somebody`}, <When at={one.createdAt} />
      </td>
      <td className="num p2">{number(one.total)}</td>
      <td className="num hide-phone">{number(one.created)}</td>
      <td className="num hide-phone">{number(one.updated)}</td>
      <td className="num hide-phone">
        {one.failed > 0 ? <span className="wait-text">{number(one.failed)}</span> : '–'}
      </td>
      <td className="p4">
        <ImportState of={one} />
      </td>
    </tr>
  )
}
