import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { useColleagues } from '../session/use-colleagues.ts'
import { useFormat } from '../session/use-format.ts'
import { Bones } from '../ui/bones.tsx'
import { Problem } from '../ui/problem.tsx'
import { When } from '../ui/time.tsx'
import { bulkEditsQuery } from './queries.ts'
import { EditState } from './state.tsx'
import type { BulkEdit } from './types.ts'
import { useSelected, useWords } from './words.tsx'

/** What was tried, applied and undone before. */
export function Earlier({ except }: { except?: string }) {
  const { t } = useLingui()
  const { id } = useBusiness()
  const list = useQuery(bulkEditsQuery(id))
  if (list.isPending) return <Bones rows={3} columns={4} />
  if (list.isError)
    return (
      <div className="page">
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      </div>
    )
  const edits = list.data.items.filter((edit) => edit.id !== except)
  return (
    <section className="page earlier">
      <div className="section-head">
        <h2>{t`Earlier edits`}</h2>
        <span className="note">{t`each can be undone for 30 days; the last five are kept`}</span>
      </div>
      {edits.length === 0 ? (
        <p className="soft">{t`None yet. What you apply stands here, so that you can take it back.`}</p>
      ) : (
        <table className="table stack">
          <thead>
            <tr>
              <th>{t`What`}</th>
              <th>{t`Of`}</th>
              <th>{t`By`}</th>
              <th className="num">{t`Changed`}</th>
              <th>{t`State`}</th>
            </tr>
          </thead>
          <tbody>
            {edits.map((edit) => (
              <Row key={edit.id} edit={edit} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Row({ edit }: { edit: BulkEdit }) {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  const { titleOf } = useWords()
  const selectedOf = useSelected()
  const nameOf = useColleagues()
  const format = useFormat()
  return (
    <tr>
      <td className="p1">
        <Link to="/$business/bulk-edits/$edit" params={{ business, edit: edit.id }} className="whole">
          {titleOf(edit)}
        </Link>
      </td>
      <td className="soft hide-phone">{selectedOf(edit.filters)}</td>
      <td className="soft p3">
        {nameOf(edit.createdBy) ?? t`somebody`}, <When at={edit.createdAt} />
      </td>
      <td className="num p2">{edit.applied > 0 ? format.number(edit.applied) : '–'}</td>
      <td className="p4">
        <EditState edit={edit} />
      </td>
    </tr>
  )
}
