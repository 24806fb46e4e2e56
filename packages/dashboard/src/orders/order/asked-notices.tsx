import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
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
        <AskedNotice
          key={id}
          isLost={isLost}
          what={
            <Trans>
              {label}: pending since {format.time(askedAt / 1_000)}
            </Trans>
          }
        >
          {isLost ? (
            <Trans>
              No answer came in time. We ask again under the same key: it is done once at most. You may leave this page.
            </Trans>
          ) : (
            <Trans>The answer is on its way. You may leave this page.</Trans>
          )}
        </AskedNotice>
      ))}
      {asked.map(({ id, amount, at, isLost }) => (
        <AskedNotice
          key={id}
          isLost={isLost}
          what={
            <Trans>
              Refund of <Money amount={amount} currency={order.currency} /> asked at {format.time(at)}, not yet known.
            </Trans>
          }
        >
          {isLost ? (
            <Trans>
              No answer came in time. We ask again under the same key: it cannot be paid twice. You may leave this page.
            </Trans>
          ) : (
            <Trans>The answer is on its way. You may leave this page.</Trans>
          )}
        </AskedNotice>
      ))}
      {waiting.map((refund) => (
        <AskedNotice
          key={refund.id}
          what={
            <Trans>
              Refund of <Money amount={refund.amount} currency={order.currency} /> asked at{' '}
              {format.short(refund.createdAt)}, not yet known.
            </Trans>
          }
        >
          {refund.lines.length > 0 && `${lineNames(view, refund.lines)}. `}
          <Trans>Kontor asks the payment provider until it answers; it is paid once at most.</Trans>
        </AskedNotice>
      ))}
    </>
  )
}

/** Something that was asked for and is not yet known. What was lost on the way can be asked for at once. */
function AskedNotice({ what, isLost = false, children }: { what: ReactNode; isLost?: boolean; children: ReactNode }) {
  const { t } = useLingui()
  return (
    <div className="notice asked" role="status">
      <Dot fill="unknown" tone="wait" />
      <div>
        <b>{what}</b>
        <br />
        <span className="soft">{children}</span>
      </div>
      {isLost && <Button look="small" onClick={askNow}>{t`Ask now`}</Button>}
    </div>
  )
}
