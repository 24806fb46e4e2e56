import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useLocaleName } from '../../categories/words.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useColleagues } from '../../session/use-colleagues.ts'
import { useFormat } from '../../session/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Status } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { type Collection, type Entry, statusOf } from '../queries.ts'
import { ContentState, useStatusNames } from '../words.tsx'

type Props = {
  collection: Collection
  entry: Entry
  missing: readonly string[]
  lacks: string | undefined
  onDelete: () => void
}

const SHOWN = 5

/** Whether readers see it, what it lacks, who did what. */
export function EntryFacts({ collection, entry, missing, lacks, onDelete }: Props) {
  const { t } = useLingui()
  const business = useBusiness()
  const format = useFormat()
  const localeName = useLocaleName()
  const names = useStatusNames()
  const colleague = useColleagues()
  const isHidden = statusOf(entry) === 'PUBLISHED' && statusOf(collection) !== 'PUBLISHED'
  const past = entry.statuses.slice(-SHOWN).toReversed()
  return (
    <aside className="facts" aria-label={t`Facts`}>
      <section>
        <h2>{t`Status`}</h2>
        <ContentState of={entry} />
        {entry.publishAt !== undefined && <p className="note after">{format.full(entry.publishAt)}</p>}
        {isHidden && (
          <p className="wait-text note after">
            {t`Readers do not see it yet: the collection itself is not published.`}{' '}
            <Link
              to="/$business/content/$collection/schema"
              params={{ business: addressOf(business), collection: collection.id }}
              className="link"
            >
              {t`Open the collection`}
            </Link>
          </p>
        )}
      </section>
      <section>
        <h2>{t`Required`}</h2>
        {missing.length === 0 ? (
          <Status fill="full" tone="good">{t`All there`}</Status>
        ) : (
          <Status fill="half" tone="wait">
            <span className="wrap">
              <Trans>Missing: {missing.join(', ')}</Trans>
            </span>
          </Status>
        )}
      </section>
      <section>
        <dl className="pairs">
          <dt>{t`Language`}</dt>
          <dd>{localeName(entry.locale)}</dd>
          <dt>{t`Created`}</dt>
          <dd>
            <When at={entry.createdAt} />
          </dd>
          <dt>{t`Changed`}</dt>
          <dd>
            <When at={entry.updatedAt} />
          </dd>
        </dl>
      </section>
      <section>
        <h2>{t`What happened`}</h2>
        <ul className="lines">
          {past.map(({ id, status, timestamp, changedBy }) => (
            <li key={id} className="apart">
              <span>
                {names[status]}{' '}
                {changedBy && colleague(changedBy) && <span className="note">{colleague(changedBy)}</span>}
              </span>
              <span className="note">
                <When at={timestamp} />
              </span>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <Button look="destroy" icon={Trash2} reason={lacks} onClick={onDelete}>{t`Delete`}</Button>
      </section>
    </aside>
  )
}
