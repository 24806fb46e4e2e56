import { amountStep, type RefundOrderBody } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { query } from '../../api/query.ts'
import { useAsk } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Money } from '../../ui/money.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useProblem } from '../../ui/problem.tsx'
import { SideSheet } from '../../ui/side-sheet.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useStrict } from '../../ui/use-strict.ts'
import type { Failed } from './asked-notices.tsx'
import { PickLine } from './pick-line.tsx'
import { Reasons } from './reasons.tsx'
import { RefundQuote } from './refund-quote.tsx'
import { useFigures } from './use-figures.ts'
import type { OrderView } from './view.ts'

type Draft = { lines: Record<string, number>; shipping: boolean; amount: string; restock: boolean; reason: string }
const NOTHING: Draft = { lines: {}, shipping: false, amount: '', restock: false, reason: '' }
const TYPING_MS = 180

type Props = { view: OrderView; onClose: () => void; onFailed: (failed: Failed) => void }

/** Money back, by line. The service says what it comes to; what is on the button is what is asked for. */
export function RefundSheet({ view, onClose, onFailed }: Props) {
  const { t } = useLingui()
  const { order, pieces, asked } = view
  const business = useBusiness()
  const format = useFormat()
  const ask = useAsk()
  const { read, money } = useFigures(order.currency)
  const wordsOf = useProblem()
  const lacks = usePermissions().reason('ORDERS_READ')
  const isPressed = useRef(false)
  const { isStrict, mark } = useStrict(':is(.sheet, .sheet-layer)')
  const [kept, setDraft] = useDraft<Draft>(`refund:${order.id}`)
  const draft = kept ?? NOTHING
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes })

  const lines = order.lines
    .map(({ id }) => ({ lineId: id, quantity: Math.min(draft.lines[id] ?? 0, pieces.get(id)?.leftToRefund ?? 0) }))
    .filter(({ quantity }) => quantity > 0)
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  const typed = draft.amount.trim() ? read(draft.amount) : undefined
  const isOffStep = (typed ?? 0) % amountStep(order.currency) > 0
  const least = money(amountStep(order.currency))
  const amountProblem =
    draft.amount.trim() && !typed
      ? t`Enter an amount, such as 12.50.`
      : isOffStep
        ? t`Enter a multiple of ${least}.`
        : undefined
  const isOfParts = count > 0 || draft.shipping
  const isChosen = isOfParts || typed !== undefined
  const body: RefundOrderBody = {
    ...(count > 0 && { lines }),
    ...(draft.shipping && { shipping: true }),
    ...(typed && { amount: typed }),
  }

  const settled = useSettled(JSON.stringify(body))
  const all = useQuery({ ...query(business.id, 'quoteRefund', { path: { id: order.id }, body: {} }), enabled: !lacks })
  const quote = useQuery({
    ...query(business.id, 'quoteRefund', { path: { id: order.id }, body: JSON.parse(settled) as RefundOrderBody }),
    enabled: !lacks && isChosen && settled !== '{}',
    placeholderData: keepPreviousData,
  })
  const isCurrent = settled === JSON.stringify(body) && !quote.isPlaceholderData && quote.data !== undefined
  const unsent = asked.reduce((sum, { amount }) => sum + amount, 0)
  const left = Math.max((all.data ? all.data.amount + all.data.left : 0) - unsent, 0)
  const amount = quote.data?.amount ?? 0
  const isTooMuch = isCurrent && amount > left

  const isIncomplete = amountProblem !== undefined || !isChosen
  const pay = () => {
    if (isIncomplete) return mark()
    if (isPressed.current || !quote.data) return
    isPressed.current = true
    const wanted: RefundOrderBody = {
      ...body,
      // The quoted figure goes with it: if it is worth less by now, the service refuses instead of paying another sum.
      amount: quote.data.amount,
      ...(draft.restock && count > 0 && { restock: true }),
      reason: draft.reason.trim() || null,
    }
    const label = t`Refund ${money(quote.data.amount)} of ${order.number}`
    ask({ operation: 'refundOrder', input: { path: { id: order.id }, body: wanted }, label, about: [order.id] }).catch(
      (error: unknown) => {
        setDraft(draft)
        onFailed({ error, kept: t`Nothing went back. What you chose is kept in the refund sheet.` })
      },
    )
    setDraft(undefined) // whoever opens the sheet meanwhile begins anew, not with what is asked already
    onClose()
  }
  const reason =
    view.reason ??
    lacks ??
    (view.isKnown ? undefined : t`Its parcels and refunds are not known yet.`) ??
    (all.error ? wordsOf(all.error).what : undefined) ??
    (quote.error && !quote.isFetching && !isIncomplete ? wordsOf(quote.error).what : undefined) ??
    (isTooMuch && !isIncomplete ? t`You can refund up to ${money(left)} now.` : undefined) ??
    (isCurrent || isIncomplete ? undefined : t`Calculating…`)
  useCommands([
    { id: 'refund-ask', label: t`Ask for this refund`, keys: 'mod+Enter', inPalette: false, reason, run: pay },
  ])
  const shippingLeft = order.shipping + (order.tax > 0 ? order.shippingTax : 0)
  const isShippingGone = view.refunds.some(({ status, shipping }) => status !== 'FAILED' && shipping > 0)
  return (
    <SideSheet
      title={t`Refund`}
      onClose={onClose}
      foot={
        <>
          <Button look="main" reason={reason} onClick={pay}>
            {isChosen && quote.data && !quote.error ? t`Ask to refund ${money(amount)}` : t`Ask to refund`}
          </Button>
          <p className="note">{t`One key for this refund: pressing twice pays once.`}</p>
        </>
      }
    >
      {all.error && (
        <Notice tone="calm" title={t`Nothing can be refunded from here.`}>
          {wordsOf(all.error).what}
        </Notice>
      )}
      {!all.error && (
        <>
          {isStrict && !isChosen && (
            <p className="problem" role="alert" data-invalid>{t`Choose what to refund, or enter an amount.`}</p>
          )}
          {order.lines.map((line) => {
            const { leftToRefund = 0, asked: waiting = 0, refunded = 0, shipped = 0 } = pieces.get(line.id) ?? {}
            return (
              <PickLine
                key={line.id}
                name={line.name}
                note={
                  waiting > 0 ? (
                    <span className="wait-text">
                      <Trans>{waiting} pending</Trans>
                    </span>
                  ) : (
                    <>
                      <Money amount={line.unitPrice} currency={order.currency} />
                      {refunded > 0 && ` · ${t`${refunded} refunded`}`}
                      {shipped === 0 && ` · ${t`not sent yet`}`}
                    </>
                  )
                }
                first={1}
                most={leftToRefund}
                value={Math.min(draft.lines[line.id] ?? 0, leftToRefund)}
                onChange={(value) => change({ lines: { ...draft.lines, [line.id]: value } })}
              />
            )
          })}
          {order.shipping > 0 && (
            <label className="pick-line last">
              <input
                type="checkbox"
                className="check"
                disabled={isShippingGone}
                checked={draft.shipping}
                onChange={(event) => change({ shipping: event.target.checked })}
              />
              <span>
                {t`Shipping`}
                {isShippingGone && <span className="note"> · {t`gone back already`}</span>}
              </span>
              <span className="num soft">
                <Money amount={shippingLeft} currency={order.currency} />
              </span>
            </label>
          )}
          <div className="quote" aria-live="polite">
            {isChosen && quote.error && !quote.isFetching ? (
              <p className="problem">{wordsOf(quote.error).what}</p>
            ) : (
              isChosen && quote.data && <RefundQuote {...{ view, isPart: typed !== undefined }} quote={quote.data} />
            )}
            {all.data && (
              <p className="note mt-2">
                <Trans>You can refund up to {money(left)} now.</Trans>{' '}
                {view.money.waiting > 0 && (
                  <Trans>{money(view.money.waiting)} that is not yet known is counted as gone.</Trans>
                )}{' '}
                {isCurrent && isChosen && <Trans>After this {money(Math.max(left - amount, 0))} are left.</Trans>}
              </p>
            )}
          </div>
          {count > 0 && (
            <label className="choice">
              <input
                type="checkbox"
                className="check"
                checked={draft.restock}
                onChange={(event) => change({ restock: event.target.checked })}
              />
              <span>
                {t`Put ${count} back into stock`}
                <br />
                <span className="note">{t`Leave it if the customer keeps them`}</span>
              </span>
            </label>
          )}
          <Field
            label={isOfParts ? t`Amount, if less` : t`Or only an amount`}
            inputMode="decimal"
            autoComplete="off"
            placeholder={isOfParts && quote.data ? format.moneyParts(quote.data.amount, order.currency).figure : ''}
            problem={amountProblem}
            value={draft.amount}
            onChange={(event) => change({ amount: event.target.value })}
          />
          <Field
            label={t`Reason`}
            list="reasons"
            maxLength={500}
            value={draft.reason}
            onChange={(event) => change({ reason: event.target.value })}
          />
          <Reasons />
        </>
      )}
    </SideSheet>
  )
}

/** What it is once nobody has typed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
