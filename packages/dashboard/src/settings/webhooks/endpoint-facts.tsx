import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useFormat } from '../../session/use-format.ts'
import { Notice } from '../../ui/notice.tsx'
import { When } from '../../ui/time.tsx'
import type { Endpoint } from './queries.ts'
import { useListensTo } from './words.tsx'

/** How far it is in the feed, and what is under way. */
export function EndpointFacts({ of: endpoint }: { of: Endpoint }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const listensTo = useListensTo()
  const { isEnabled, behind, lastNumber, nextAttemptAt, oldSecretUntil, disabledAt } = endpoint
  const last = number(lastNumber)
  return (
    <div className="page endpoint-facts">
      <Disabled of={endpoint} />
      <dl>
        <div>
          <dt>{t`Listens to`}</dt>
          <dd>{listensTo(endpoint.types)}</dd>
        </div>
        <div>
          <dt>{t`Behind`}</dt>
          <dd>
            {!isEnabled ? '–' : behind === 0 ? t`By nothing` : <Plural value={behind} one="# event" other="# events" />}
          </dd>
        </div>
        <div>
          <dt>{t`Looked at up to`}</dt>
          <dd>
            <Trans>event {last}</Trans>
          </dd>
        </div>
        {nextAttemptAt !== null && (
          <div>
            <dt>{t`Tried again`}</dt>
            <dd>
              <When at={nextAttemptAt} />
            </dd>
          </div>
        )}
        {disabledAt !== null && (
          <div>
            <dt>{t`Off since`}</dt>
            <dd>
              <When at={disabledAt} />
            </dd>
          </div>
        )}
        {oldSecretUntil !== null && (
          <div>
            <dt>{t`Old secret works until`}</dt>
            <dd>
              <When at={oldSecretUntil} />
            </dd>
          </div>
        )}
      </dl>
      <Replaying of={endpoint} />
    </div>
  )
}

/** Why it was switched off by itself, and what to do. */
function Disabled({ of: { disabledReason } }: { of: Endpoint }) {
  const { t } = useLingui()
  if (disabledReason === 'GONE')
    return (
      <Notice tone="alert" title={t`It said that it is gone for good (410), so it is told nothing any more.`}>
        {t`If that was a mistake, switch it on, and send again what it missed.`}
      </Notice>
    )
  if (disabledReason === 'FAILING')
    return (
      <Notice tone="alert" title={t`Nothing arrived for five days, so it is told nothing any more.`}>
        {t`Have it repaired, try it with a test event, switch it on, and send again what it missed.`}
      </Notice>
    )
  return null
}

/** How far the events are that are sent once more. */
function Replaying({ of: { replay } }: { of: Endpoint }) {
  const { t } = useLingui()
  const { number } = useFormat()
  if (!replay) return null
  const total = replay.before - replay.after - 1
  const at = replay.lastNumber - replay.after
  const [done, all] = [number(at), number(total)]
  return (
    <div className="replaying" role="status">
      <p>
        <b className="strong">{t`Sending again`}</b>{' '}
        <Trans>
          {done} of {all} events looked at
        </Trans>
      </p>
      <div
        className="meter"
        role="progressbar"
        aria-label={t`Sending again`}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={at}
      >
        <i style={{ width: `${total === 0 ? 0 : (at / total) * 100}%` }} />
      </div>
    </div>
  )
}
