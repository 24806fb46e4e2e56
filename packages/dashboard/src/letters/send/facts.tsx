import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { useSends } from '../queries.ts'
import type { Send } from '../types.ts'
import { SendState, useMoment } from '../words.tsx'
import { Rest } from './rest.tsx'

/** What can be done for the rest, and what is known of the send. */
export function Facts({ of: send }: { of: Send }) {
  const { t } = useLingui()
  const { number, full } = useFormat()
  const moment = useMoment()
  const { startedAt, finishedAt, scheduledAt, onUncertain, perSecond } = send
  const timed = (at: number) => <time title={full(at)}>{moment(at)}</time>
  return (
    <aside className="facts" aria-label={t`Facts`}>
      {send.automationId === undefined && <Rest of={send} />}
      <section>
        <h2>{t`This send`}</h2>
        <dl className="pairs">
          <dt>{startedAt === null ? t`Planned for` : t`Started`}</dt>
          <dd>{timed(startedAt ?? scheduledAt)}</dd>
          {finishedAt !== null && (
            <>
              <dt>{t`Ended`}</dt>
              <dd>{timed(finishedAt)}</dd>
            </>
          )}
          {perSecond !== null && perSecond > 0 && (
            <>
              <dt>{t`Pace`}</dt>
              <dd>{t`${number(perSecond)} a second`}</dd>
            </>
          )}
          <dt>{t`Where it is uncertain`}</dt>
          <dd>{onUncertain === 'SKIP' ? t`not sent again` : t`sent again`}</dd>
        </dl>
      </section>
      <Others of={send} />
    </aside>
  )
}

/** The other sends of the letter. */
function Others({ of: { id, entryId } }: { of: Send }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const business = addressOf(useBusiness())
  const moment = useMoment()
  const others = useSends(entryId).data?.items.filter((one) => one.id !== id) ?? []
  if (others.length === 0) return null
  return (
    <section>
      <h2>{t`Other sends of this letter`}</h2>
      <ul className="others">
        {others.map((one) => (
          <li key={one.id}>
            <Link
              to="/$business/letters/$entry/sends/$send"
              params={{ business, entry: entryId, send: one.id }}
              className="link"
            >
              {one.remainderOf ? t`To the rest` : one.conditions ? t`To some` : t`To everybody`},{' '}
              {moment(one.startedAt ?? one.scheduledAt)}
            </Link>
            <span className="soft">
              <SendState of={one} /> {one.startedAt !== null && number(one.total)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
