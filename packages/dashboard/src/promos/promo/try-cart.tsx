import '../../orders/order/order.css'
import '../../orders/new-order/new-order.css'
import type { Answer, Body, Market } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { query } from '../../api/query.ts'
import { ChooseGoods } from '../../orders/new-order/choose-goods.tsx'
import type { NewLine } from '../../orders/new-order/draft.ts'
import { NewLines } from '../../orders/new-order/new-lines.tsx'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Select } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Problem } from '../../ui/problem.tsx'
import type { Promo } from '../queries.ts'

type Tried = Answer<'tryPromoCode'>
type Props = {
  promo: Body<'createPromoCode'>
  /** Something in the form is not right: there is nothing to try yet. */
  isWrong: boolean
  /** What is tried is not what is saved. */
  isChanged: boolean
  saved?: Promo
}

/** What a customer would pay with the code, as it stands in the form, and why. Nothing is ordered or counted. */
export function TryCart({ promo, isWrong, isChanged, saved }: Props) {
  const { t } = useLingui()
  const business = useBusiness()
  const [lines, setLines] = useState<NewLine[]>([])
  const [marketId, setMarketId] = useState(business.markets[0]?.id ?? '')
  const [methodId, setMethodId] = useState('')
  const market = business.markets.find(({ id }) => id === marketId) ?? business.markets[0]
  const tried = useTried(promo, market, methodId, isWrong ? [] : lines)
  if (!market) return null
  const method = market.shippingMethods.find(({ id }) => id === methodId) ?? market.shippingMethods[0]
  const add = (line: NewLine) => {
    const isSame = (one: NewLine) => one.productId === line.productId && one.variantId === line.variantId
    setLines(
      lines.some(isSame)
        ? lines.map((one) => (isSame(one) ? { ...one, quantity: one.quantity + 1 } : one))
        : [...lines, line],
    )
  }
  const result = lines.length > 0 && !isWrong ? tried.data : undefined
  return (
    <section className="section try" aria-label={t`Try on a cart`}>
      <div className="section-head">
        <h2>{t`Try on a cart`}</h2>
        <span className="note">
          {isChanged
            ? t`with what stands above, before it is saved; nothing is ordered or counted`
            : t`nothing is ordered or counted`}
        </span>
      </div>
      <div className="promo-grid">
        <Select label={t`Market`} value={market.id} onChange={(event) => setMarketId(event.target.value)}>
          {business.markets.map(({ id, name, currency }) => (
            <option key={id} value={id}>
              {name}, {currency}
            </option>
          ))}
        </Select>
        {method && (
          <Select label={t`Shipping`} value={method.id} onChange={(event) => setMethodId(event.target.value)}>
            {market.shippingMethods.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </div>
      <ChooseGoods market={market} onAdd={add} />
      {lines.length === 0 && <p className="note after">{t`Find goods and put them in: the sums come at once.`}</p>}
      {lines.length > 0 && isWrong && (
        <p className="wait-text after">{t`Fix the errors in the form to see the preview.`}</p>
      )}
      {result && <Verdict tried={result} currency={market.currency} {...{ promo, saved }} />}
      {lines.length > 0 && (
        <NewLines
          lines={lines}
          quote={result?.quote}
          currency={market.currency}
          shippingName={method?.name ?? ''}
          promoCode={promo.code}
          onChange={setLines}
        />
      )}
      {tried.error && lines.length > 0 && (
        <div className="after">
          <Problem error={tried.error} />
        </div>
      )}
    </section>
  )
}

function useTried(promo: Props['promo'], market: Market | undefined, methodId: string, lines: readonly NewLine[]) {
  const business = useBusiness()
  const method = market?.shippingMethods.find(({ id }) => id === methodId) ?? market?.shippingMethods[0]
  const known = promo.markets?.filter((id) => business.markets.some((one) => one.id === id)) ?? []
  const body = {
    promo: { ...promo, markets: known.length > 0 ? known : (promo.markets ?? null) },
    market: market?.id ?? '',
    lines: lines.map(({ productId, variantId, quantity }) => ({ productId, variantId, quantity })),
    ...(method && { shippingMethodId: method.id }),
  }
  const settled = JSON.parse(useDeferredValue(JSON.stringify(body))) as typeof body
  return useQuery({
    ...query(business.id, 'tryPromoCode', { body: settled }),
    enabled: settled.lines.length > 0,
    placeholderData: keepPreviousData,
  })
}

type VerdictProps = { tried: Tried; currency: string; promo: Props['promo']; saved: Promo | undefined }

/** Whether a checkout would take it, and what it saves. */
function Verdict({ tried: { refusals, quote, without }, currency, promo, saved }: VerdictProps) {
  const { t } = useLingui()
  const format = useFormat()
  const money = (amount: number) => format.money(amount, currency)
  const isUsedUp = saved !== undefined && promo.maxRedemptions != null && saved.redemptions >= promo.maxRedemptions
  const words: Record<Tried['refusals'][number], string> = {
    NOT_STARTED: t`It begins on ${format.full(promo.startsAt ?? 0)}.`,
    ENDED: t`It ended on ${format.full(promo.endsAt ?? 0)}.`,
    MARKET: t`It does not work in this market.`,
    CURRENCY: t`It is an amount in ${promo.currency ?? ''}; this market sells in ${currency}.`,
    MINIMUM: t`The goods cost ${money(quote.subtotal)}; it needs ${money(promo.minSubtotal ?? 0)}.`,
  }
  const reasons = [...refusals.map((one) => words[one]), ...(isUsedUp ? [t`It is used up.`] : [])]
  const saves = without.total - quote.total
  return (
    <div className="after">
      {reasons.length > 0 ? (
        <Notice tone="wait" title={t`A checkout would refuse it now.`}>
          {reasons.join(' ')} {saves > 0 && t`Otherwise it would save ${money(saves)}, as below.`}
        </Notice>
      ) : (
        <Notice tone="calm" title={t`It saves ${money(saves)}.`}>
          <Trans>
            {money(quote.total)} instead of {money(without.total)}.
          </Trans>{' '}
          {promo.maxPerCustomer != null && t`How often a customer has used it is looked at when they order.`}
        </Notice>
      )}
    </div>
  )
}
