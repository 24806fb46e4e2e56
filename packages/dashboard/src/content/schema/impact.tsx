import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Broken } from '../collection/stale-list.tsx'
import type { Collection } from '../queries.ts'
import type { useImpact } from './use-impact.ts'

type Props = {
  collection: Collection
  impact: ReturnType<typeof useImpact>
  changesBlocks: boolean
  isWrong: boolean
}

/** Which entries a change would break, before it is saved. */
export function Impact({ collection, impact: { found, error, isAsking }, changesBlocks, isWrong }: Props) {
  const { t } = useLingui()
  const items = found?.items ?? []
  return (
    <section className="impact" aria-live="polite">
      <h2>{t`What this changes`}</h2>
      {!changesBlocks ? (
        <p className="note">
          {t`Change the fields, and you see here which entries would no longer fit, before anything is saved.`}
        </p>
      ) : isWrong ? (
        <p className="note">{t`A field is not right yet, so there is nothing to try.`}</p>
      ) : error ? (
        <Problem error={error} />
      ) : !found || isAsking ? (
        <p className="note">{t`Looking at the entries …`}</p>
      ) : items.length === 0 ? (
        <p>
          <Status fill="full" tone="good">
            <Plural value={found.checked} one="# entry looked at: it fits" other="# entries looked at: all fit" />
          </Status>
        </p>
      ) : (
        <>
          <p>
            <Status fill="half" tone="wait">
              <Trans>
                {items.length} of {found.checked} would no longer fit
              </Trans>
            </Status>
          </p>
          <p className="note after">{t`Readers see them as before. They fit again once somebody saves them.`}</p>
          <ul className="broken">
            {items.slice(0, 8).map(({ entryId, details }) => (
              <Broken key={entryId} {...{ collection, entryId, details }} />
            ))}
          </ul>
          {items.length > 8 && <p className="note">{t`and ${items.length - 8} more`}</p>}
        </>
      )}
      {found && !found.isComplete && !isAsking && (
        <p className="note after">
          {t`There are more entries than could be looked at now; there may be more that no longer fit.`}
        </p>
      )}
    </section>
  )
}
