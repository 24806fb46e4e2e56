import { Trans, useLingui } from '@lingui/react/macro'
import { askNow } from '../../outbox/outbox.ts'
import { useFormat } from '../../session/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Money } from '../../ui/money.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Dot } from '../../ui/status.tsx'
import { lineNames, type OrderView } from './view.ts'

/** What was refused, and what of it is still there. */
export type Failed = { error: unknown; kept: string }

const MOVES = new Set<string>(['shipOrder', 'shipOrders', 'returnOrderLines'])

/** Refunds, parcels and returns that are not yet known, and what became of the last one if it was refused. */
export function AskedNotices({ view, failed }: { view: OrderView; failed: Failed | undefined }) {
  const { t } = useLingui()
  const format = useFormat()
  const { order, asked, entries, refunds } = view
  const moves = entries.filter(({ operation }) => MOVES.has(operation))
  const waiting = refunds.filter(({ status }) => status === 'PENDING')
  return (
    <>
      {failed && (
        <div className="asked">
          <Problem {...failed} />
        </div>
      )}
      {moves.map(({ id, label, askedAt, isLost }) => (
        <div key={id} className="notice asked" role="status">
          <Dot fill="unknown" tone="wait" />
          <div>
            <b>
              <Trans>
                {label}: asked at {format.time(askedAt / 1_000)}, not yet known.
              </Trans>
            </b>
            <br />
            <span className="soft">
              {isLost ? (
                <Trans>
                  No answer came in time. We ask again under the same key: it is done once at most. You may leave this
                  page.
                </Trans>
              ) : (
                <Trans>The answer is on its way. You may leave this page.</Trans>
              )}
            </span>
          </div>
          {isLost && <Button look="small" onClick={askNow}>{t`Ask now`}</Button>}
        </div>
      ))}
      {asked.map(({ id, amount, at, isLost }) => (
        <div key={id} className="notice asked" role="status">
          <Dot fill="unknown" tone="wait" />
          <div>
            <b>
              <Trans>
                Refund of <Money amount={amount} currency={order.currency} /> asked at {format.time(at)}, not yet known.
              </Trans>
            </b>
            <br />
            <span className="soft">
              {isLost ? (
                <Trans>
                  No answer came in time. We ask again under the same key: it cannot be paid twice. You may leave this
                  page.
                </Trans>
              ) : (
                <Trans>The answer is on its way. You may leave this page.</Trans>
              )}
            </span>
          </div>
          {isLost && <Button look="small" onClick={askNow}>{t`Ask now`}</Button>}
        </div>
      ))}
      {waiting.map((refund) => (
        <div key={refund.id} className="notice asked" role="status">
          <Dot fill="unknown" tone="wait" />
          <div>
            <b>
              <Trans>
                Refund of <Money amount={refund.amount} currency={order.currency} /> asked at{' '}
                {format.short(refund.createdAt)}, not yet known.
              </Trans>
            </b>
            <br />
            <span className="soft">
              {refund.lines.length > 0 && `${lineNames(view, refund.lines)}. `}
              <Trans>Kontor asks the payment provider until it answers; it is paid once at most.</Trans>
            </span>
          </div>
        </div>
      ))}
    </>
  )
}
