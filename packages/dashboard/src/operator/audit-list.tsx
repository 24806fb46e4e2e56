import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { usePages } from '../api/use-pages.ts'
import { useOwnFormat } from '../profile/moment.tsx'
import { Bones } from '../ui/bones.tsx'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/problem.tsx'
import type { auditPages } from './queries.ts'
import type { AuditEntry } from './types.ts'
import { useSentence } from './use-sentence.ts'

/** Who did what, and when, newest first. `isOfOne`: on the page of a business, which need not be named. */
export function AuditList({ of, isOfOne = false }: { of: ReturnType<typeof auditPages>; isOfOne?: boolean }) {
  const { t } = useLingui()
  const format = useOwnFormat()
  const list = usePages(of)
  if (list.isFirst) return <Bones rows={3} columns={2} bleed={false} />
  if (list.error) return <Problem error={list.error} onRetry={list.retry} />
  if (list.rows.length === 0) return <p className="soft">{t`Nothing yet.`}</p>
  return (
    <>
      {[...Map.groupBy(list.rows, ({ timestamp }) => format.date(timestamp))].map(([day, entries]) => (
        <section key={day} className="op-day">
          <h3 className="strong">{day}</h3>
          <ol>
            {entries.map((entry) => (
              <Entry key={entry.id} of={entry} isOfOne={isOfOne} />
            ))}
          </ol>
        </section>
      ))}
      {list.hasMore && (
        <Button
          className="op-more"
          reason={list.isLoadingMore ? t`Loading…` : undefined}
          onClick={() => void list.loadMore()}
        >{t`Show earlier`}</Button>
      )}
    </>
  )
}

function Entry({ of: entry, isOfOne }: { of: AuditEntry; isOfOne: boolean }) {
  const { t } = useLingui()
  const format = useOwnFormat()
  const sentence = useSentence()
  const { actorId, actorEmail, businessId, businessName, timestamp, data } = entry
  const { reason } = (data ?? {}) as { reason?: string }
  return (
    <li>
      <time className="soft" dateTime={new Date(timestamp * 1_000).toISOString()} title={format.full(timestamp)}>
        {format.time(timestamp)}
      </time>
      <p>
        <b className="strong">{actorEmail ?? actorId ?? t`Somebody on the command line`}</b> {sentence(entry)}
        {!isOfOne && businessId && (
          <>
            {' · '}
            <Link to="/operator/businesses/$id" params={{ id: businessId }} className="link">
              {businessName ?? businessId}
            </Link>
          </>
        )}
        {reason && <span className="note block">{reason}</span>}
      </p>
    </li>
  )
}
