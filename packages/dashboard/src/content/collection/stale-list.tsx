import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { usePages } from '../../api/use-pages.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Problem } from '../../ui/problem.tsx'
import { type Collection, entryQuery, staleQuery } from '../queries.ts'
import { titleOf } from '../title.ts'
import { ContentState } from '../words.tsx'

/** Entries that no longer fit their fields, each with what is wrong. They stay as they are until somebody saves them. */
export function StaleList({ collection }: { collection: Collection }) {
  const { t } = useLingui()
  const business = useBusiness()
  const list = usePages(staleQuery(business.id, collection.id))
  if (list.error)
    return (
      <div className="page">
        <Problem error={list.error} onRetry={list.retry} />
      </div>
    )
  if (list.isFirst) return <Bones rows={6} columns={2} />
  return (
    <div className="page stale">
      {list.isEmpty ? (
        <Empty title={t`All entries fit`}>{t`Each has what the fields of this collection ask for.`}</Empty>
      ) : (
        <>
          <p className="soft after">
            {t`The fields changed after these were written. Readers see them as before; they fit again once somebody saves them.`}
          </p>
          <ul className="broken">
            {list.rows.map(({ entryId, details }) => (
              <Broken key={entryId} {...{ collection, entryId, details }} />
            ))}
          </ul>
          {list.hasMore && <Button onClick={() => void list.loadMore()}>{t`Show more`}</Button>}
        </>
      )}
    </div>
  )
}

type BrokenProps = { collection: Collection; entryId: string; details: readonly { field: string; message: string }[] }

/** An entry by its title, and what is wrong with it. */
export function Broken({ collection, entryId, details }: BrokenProps) {
  const { t } = useLingui()
  const business = useBusiness()
  const { data: entry } = useQuery(entryQuery(business.id, entryId))
  return (
    <li>
      <div className="apart">
        <Link
          to="/$business/content/$collection/$entry"
          params={{ business: addressOf(business), collection: collection.id, entry: entryId }}
          className="strong link cut"
        >
          {entry ? titleOf(entry) || t`Without a title` : entryId}
        </Link>
        {entry && <ContentState of={entry} />}
      </div>
      <ul className="note">
        {details.map(({ field, message }) => (
          <li key={field}>{message}</li>
        ))}
      </ul>
    </li>
  )
}
