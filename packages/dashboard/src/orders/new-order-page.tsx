import './order/order.css'
import './new-order/new-order.css'
import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Check, ChevronRight } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { query } from '../api/query.ts'
import { useAsk, useAsked } from '../outbox/use-outbox.ts'
import { usePermissions } from '../session/permissions.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { useCommands } from '../shell/commands.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Field, Select, TextField } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { usePageTitle } from '../ui/page.tsx'
import { Problem, useProblem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { useDraft } from '../ui/use-draft.ts'
import { useIsShown } from '../ui/use-is-shown.ts'
import { useStrict } from '../ui/use-strict.ts'
import { ChooseCustomer } from './new-order/choose-customer.tsx'
import { ChooseGoods } from './new-order/choose-goods.tsx'
import {
  emailWithout,
  emptyDraft,
  hasAddress,
  isEmail,
  type NewLine,
  type NewOrderDraft,
  toOrder,
  withNewCustomer,
} from './new-order/draft.ts'
import { NewLines } from './new-order/new-lines.tsx'
import { AddressFields, missingOf, useAddressFormats } from './order/address-fields.tsx'

/** An order by hand: by telephone, at the counter. The service says what it costs. */
export function NewOrderPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const address = addressOf(business)
  const navigate = useNavigate()
  const ask = useAsk()
  const wordsOf = useProblem()
  const { reason: lacks } = usePermissions()
  const formats = useAddressFormats()
  const [kept, setDraft] = useDraft<NewOrderDraft>(`new-order:${business.id}`)
  const [error, setError] = useState<unknown>()
  // What was sent is shown until its answer is there; the draft is gone, so that nobody sends it a second time.
  const [sent, setSent] = useState<NewOrderDraft>()
  const isShown = useIsShown()
  const about = `new-order:${business.id}`
  const isAsking = useAsked(about).length > 0 || sent !== undefined
  const { isStrict, mark } = useStrict()
  const draft = sent ?? kept ?? emptyDraft(business)
  const change = (changes: Partial<NewOrderDraft>) => sent ?? setDraft({ ...draft, ...changes })
  const market = business.markets.find(({ id }) => id === draft.market) ?? business.markets[0]
  const quote = useNewQuote(draft, business.id)
  const shown = draft.lines.length > 0 ? quote.data : undefined
  usePageTitle(t`New order`)

  const isShipped = hasAddress(draft)
  const isShort = isShipped && missingOf(draft.shipping, formats).length > 0
  const isNobody = draft.customer?.id === null && !isEmail(draft.customer.email)
  const isEmpty = draft.lines.length === 0
  const isIncomplete = !draft.customer || isEmpty || isShort || isNobody
  const reason =
    lacks('ORDERS_WRITE') ??
    (isAsking ? t`Creating…` : undefined) ??
    (isIncomplete ? undefined : quote.error ? wordsOf(quote.error).what : undefined) ??
    (isIncomplete || (shown && !quote.isPlaceholderData) ? undefined : t`Calculating…`)
  const create = async () => {
    if (reason) return
    if (isIncomplete || !draft.customer || !shown) return mark()
    setSent(draft)
    setDraft(undefined)
    setError(undefined)
    try {
      const order = await ask({
        operation: 'createOrder',
        input: { body: toOrder(draft, draft.customer, shown) },
        label: t`Order for ${draft.customer.name || draft.customer.email || draft.customer.id}`,
        about: [about],
      })
      toast(t`Order ${order.number} created`)
      if (isShown.current)
        void navigate({ to: '/$business/orders/$order', params: { business: address, order: order.id } })
    } catch (cause) {
      setDraft(draft)
      setSent(undefined)
      setError(cause)
      if (!isShown.current) toast(t`Couldn’t create the order. Your changes are still here. ${wordsOf(cause).what}`)
    }
  }
  useCommands([
    {
      id: 'create-order',
      label: t`Create the order`,
      keys: 'mod+Enter',
      icon: Check,
      reason,
      run: () => void create(),
    },
  ])
  const add = (line: NewLine) => {
    const isSame = (one: NewLine) => one.productId === line.productId && one.variantId === line.variantId
    const lines = draft.lines.some(isSame)
      ? draft.lines.map((one) => (isSame(one) ? { ...one, quantity: one.quantity + 1 } : one))
      : [...draft.lines, line]
    change({ lines })
  }
  if (!market)
    return (
      <div className="page pt-6">
        <Empty
          title={t`There is no market yet`}
        >{t`An order belongs to a market: make one in the settings first.`}</Empty>
      </div>
    )
  const method = market.shippingMethods.find(({ id }) => id === draft.shippingMethodId)
  return (
    <div className="order">
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <Link to="/$business/orders" params={{ business: address }}>{t`Orders`}</Link>
          <Icon of={ChevronRight} />
        </nav>
        <h1>{t`New order`}</h1>
        <p className="facts-line soft hide-phone">
          {kept ? t`Kept in this tab until you create it` : t`Entered by hand`}
        </p>
        <div className="acts">
          {kept && <Button look="quiet" onClick={() => setDraft(undefined)}>{t`Start over`}</Button>}
          <Button look="main" reason={reason} onClick={() => void create()}>{t`Create the order`}</Button>
        </div>
      </header>
      <div className="record" inert={sent !== undefined}>
        <div className="work">
          {error !== undefined && (
            <div className="asked">
              <Problem error={error} kept={t`Couldn’t create the order. Your changes are still here.`} />
            </div>
          )}
          {isAsking && (
            <p className="wait-text asked" role="status">{t`Processing… The order won’t be created twice.`}</p>
          )}
          <section className="section">
            <div className="section-head">
              <h2>{t`Customer`}</h2>
            </div>
            <ChooseCustomer
              customer={draft.customer}
              isStrict={isStrict}
              onName={(named) => change(withNewCustomer(draft, named))}
              onChoose={({ customer, address: known, phone }) =>
                change({
                  customer,
                  email: customer?.email || emailWithout(draft),
                  phone: phone || draft.phone,
                  ...(known && { shipping: known }),
                })
              }
            />
          </section>
          <section className="section">
            <div className="section-head">
              <h2>{t`Goods`}</h2>
            </div>
            <ChooseGoods market={market} onAdd={add} problem={isStrict && isEmpty ? t`Add an item.` : undefined} />
            {draft.lines.length > 0 && (
              <NewLines
                lines={draft.lines}
                quote={shown}
                currency={market.currency}
                shippingName={method?.name ?? ''}
                promoCode={draft.promoCode.trim()}
                onChange={(lines) => change({ lines })}
              />
            )}
            {quote.error && draft.lines.length > 0 && (
              <div className="mt-3">
                <Problem error={quote.error} />
              </div>
            )}
          </section>
          <section className="section">
            <div className="section-head">
              <h2>{t`Ship to`}</h2>
              <span className="note">{t`may stay empty where it is picked up`}</span>
            </div>
            <div className="two-columns">
              <AddressFields
                texts={draft.shipping}
                isStrict={isStrict && isShipped}
                onChange={(shipping) => change({ shipping })}
              />
            </div>
            <label className="choice">
              <input
                type="checkbox"
                className="check"
                checked={draft.isSameAddress}
                onChange={(event) => change({ isSameAddress: event.target.checked })}
              />
              <span>{t`Invoice goes to the same address`}</span>
            </label>
            {!draft.isSameAddress && (
              <div className="two-columns mt-4">
                <AddressFields texts={draft.billing} onChange={(billing) => change({ billing })} />
              </div>
            )}
          </section>
        </div>
        <aside className="facts" aria-label={t`Facts`}>
          <section className="form">
            <h2>{t`Order`}</h2>
            <Select
              label={t`Market`}
              value={market.id}
              onChange={(event) => {
                const next = business.markets.find(({ id }) => id === event.target.value)
                change({ market: event.target.value, shippingMethodId: next?.shippingMethods[0]?.id ?? '' })
              }}
            >
              {business.markets.map(({ id, name, currency }) => (
                <option key={id} value={id}>
                  {name}, {currency}
                </option>
              ))}
            </Select>
            {market.shippingMethods.length > 0 && (
              <Select
                label={t`Shipping`}
                value={draft.shippingMethodId}
                onChange={(event) => change({ shippingMethodId: event.target.value })}
              >
                {market.shippingMethods.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </Select>
            )}
            <Field
              label={t`Promo code`}
              hint={draft.promoCode ? t`Its discount is taken over; the code is not counted as used.` : undefined}
              autoComplete="off"
              maxLength={200}
              value={draft.promoCode}
              onChange={(event) => change({ promoCode: event.target.value })}
            />
            <Select
              label={t`Payment`}
              value={draft.isPaid ? 'paid' : 'open'}
              onChange={(event) => change({ isPaid: event.target.value === 'paid' })}
            >
              <option value="open">{t`Not paid yet`}</option>
              <option value="paid">{t`Paid: cash, transfer`}</option>
            </Select>
          </section>
          <section className="form">
            <h2>{t`Contact`}</h2>
            <Field
              label={t`Email`}
              type="email"
              autoComplete="off"
              value={draft.email}
              onChange={(event) => change({ email: event.target.value })}
            />
            <Field
              label={t`Telephone`}
              type="tel"
              autoComplete="off"
              maxLength={50}
              value={draft.phone}
              onChange={(event) => change({ phone: event.target.value })}
            />
            <TextField
              label={t`Note of the customer`}
              rows={3}
              maxLength={2_000}
              value={draft.note}
              onChange={(event) => change({ note: event.target.value })}
            />
          </section>
        </aside>
      </div>
    </div>
  )
}

/** What it would cost, asked again as one types. */
function useNewQuote({ market, lines, shippingMethodId, promoCode }: NewOrderDraft, businessId: string) {
  const body = {
    businessId,
    market,
    lines: lines.map(({ productId, variantId, quantity }) => ({ productId, variantId, quantity })),
    ...(shippingMethodId && { shippingMethodId }),
    ...(promoCode.trim() && { promoCode: promoCode.trim() }),
  }
  const settled = JSON.parse(useDeferredValue(JSON.stringify(body))) as typeof body
  return useQuery({
    ...query('-', 'quote', { body: settled }),
    enabled: settled.lines.length > 0,
    placeholderData: keepPreviousData,
  })
}
