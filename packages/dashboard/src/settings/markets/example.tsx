import { type Answer, fractionDigits } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { query } from '../../api/query.ts'
import { readFigure } from '../../promos/promo/form.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Field, Select } from '../../ui/field.tsx'
import { Money } from '../../ui/money.tsx'
import { Problem } from '../../ui/problem.tsx'
import type { NewMarket } from './form.ts'
import { useMarketWords } from './words.ts'

type Tried = Answer<'tryMarket'>['items'][number]
const STANDARD = 'standard'
const PRICE = 20

/** What a shopper would pay for something at this price, as the form stands, by the service's own rules. */
export function Example({ market, isWrong }: { market: NewMarket; isWrong: boolean }) {
  const { t } = useLingui()
  const { percent } = useMarketWords()
  const digits = fractionDigits(market.currency)
  const [typed, setTyped] = useState(PRICE.toFixed(digits))
  const [methodId, setMethodId] = useState('')
  const price = readFigure(typed, digits)
  const classes = [
    STANDARD,
    ...(market.taxRates ?? []).map(({ taxClass }) => taxClass).filter((one) => one !== STANDARD),
  ]
  const methods = market.shippingMethods
  const method = methods.find(({ id }) => id === methodId) ?? methods[0]
  const { items, error, isOld } = useTried(market, isWrong ? undefined : price, classes, method?.id)
  const [receipt, ...byClass] = items
  return (
    <section className="example" aria-label={t`Example`}>
      <h2>{t`What a shopper pays`}</h2>
      <div className="form-grid tight">
        <Field
          label={
            <>
              {t`Price that you enter`} <span className="soft">{market.currency}</span>
            </>
          }
          className="num"
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          problem={price === undefined ? t`This is no figure that can be used here.` : undefined}
          onChange={({ target }) => setTyped(target.value)}
        />
        {methods.length > 1 && (
          <Select label={t`Shipping`} value={method?.id} onChange={({ target }) => setMethodId(target.value)}>
            {methods.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </div>
      {error && <Problem error={error} />}
      {receipt && (
        <div className={isOld ? 'stale' : ''} aria-live="polite">
          <Receipt of={receipt} hasShipping={method !== undefined && !isWrong} />
          {byClass.length > 1 && (
            <table className="table still by-class">
              <caption className="note">{t`The same price, without shipping`}</caption>
              <thead>
                <tr>
                  <th>{t`Tax class`}</th>
                  <th className="num">{t`Tax`}</th>
                  <th className="num">{t`pays`}</th>
                </tr>
              </thead>
              <tbody>
                {byClass.map((one, index) => (
                  <tr key={classes[index]}>
                    <td>
                      {classes[index]} <span className="soft">{percent(one.taxBps)}</span>
                    </td>
                    <td className="num">
                      <Money amount={one.tax + one.taxIncluded} currency={one.currency} />
                    </td>
                    <td className="num">
                      <Money amount={one.total} currency={one.currency} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </div>
      )}
      <p className="note">
        {isWrong
          ? t`Fix the errors in the form. The last valid preview is shown.`
          : t`Computed by the service as it would at a checkout, with what stands in the form.`}
      </p>
    </section>
  )
}

/** The sums of one piece with shipping, and where the tax is. */
function Receipt({ of, hasShipping }: { of: Tried; hasShipping: boolean }) {
  const { t } = useLingui()
  const { percent } = useMarketWords()
  const { currency } = of
  const money = (amount: number) => <Money amount={amount} currency={currency} />
  return (
    <dl className="pairs">
      <dt>{t`Goods`}</dt>
      <dd>{money(of.subtotal)}</dd>
      {hasShipping && (
        <>
          <dt>{t`Shipping`}</dt>
          <dd>{of.shipping === 0 ? t`free` : money(of.shipping)}</dd>
        </>
      )}
      {of.tax > 0 && (
        <>
          <dt>{t`Tax on top, ${percent(of.taxBps)}`}</dt>
          <dd>{money(of.tax)}</dd>
        </>
      )}
      <dt className="sum">{t`The shopper pays`}</dt>
      <dd className="sum">{money(of.total)}</dd>
      {of.taxIncluded > 0 && (
        <>
          <dt>{t`Tax inside, ${percent(of.taxBps)}`}</dt>
          <dd>{money(of.taxIncluded)}</dd>
        </>
      )}
      <dt>{t`You keep`}</dt>
      <dd>{money(of.total - of.tax - of.taxIncluded)}</dd>
      {of.shippingTax > 0 && (
        <dd className="note all">
          <Trans>Of the tax, {money(of.shippingTax)} is on shipping.</Trans>
        </dd>
      )}
    </dl>
  )
}

/** First the receipt with shipping, then each class without. */
function useTried(market: NewMarket, unitPrice: number | undefined, classes: readonly string[], methodId?: string) {
  const business = useBusiness()
  const line = (taxClass: string) => [{ unitPrice: unitPrice ?? 0, quantity: 1, taxClass }]
  const carts = [
    { lines: line(STANDARD), ...(methodId && { shippingMethodId: methodId }) },
    ...classes.map((taxClass) => ({ lines: line(taxClass) })),
  ]
  // What it is called changes no price.
  const tried = { ...market, id: 'example', name: 'Example' }
  const now = JSON.stringify(unitPrice === undefined ? null : { market: tried, carts })
  const asked = useDeferredValue(now)
  const body = JSON.parse(asked) as { market: NewMarket; carts: typeof carts } | null
  const { data, error } = useQuery({
    ...query(business.id, 'tryMarket', { body: body ?? { market: tried, carts } }),
    enabled: body !== null,
    placeholderData: keepPreviousData,
  })
  return { items: data?.items ?? [], error, isOld: unitPrice === undefined || now !== asked }
}
