import type { MessageDescriptor } from '@lingui/core'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { startOfDay } from '../i18n/days.ts'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { Chip } from '../ui/chip.tsx'
import { unitFor } from './amounts.ts'
import { isRelative, type OrderSearch, type RelativeDays } from './filters.ts'
import { GoodsChip } from './goods-chip.tsx'
import { useMoments } from './moments.ts'
import { FULFILLMENT_WORDS, PAYMENT_WORDS, STATUS_WORDS } from './words.tsx'

type Props = { search: OrderSearch; onChange: (changes: OrderSearch) => void }

/** The filters that are on. */
export function FilterChips({ search, onChange }: Props) {
  const { t, i18n } = useLingui()
  const { markets, timeZone } = useBusiness()
  const format = useFormat()
  const say = <State extends string>(words: Record<State, MessageDescriptor>, values: readonly State[]) =>
    values.map((value) => i18n._(words[value])).join(', ')
  const day = (text: string) => format.date(startOfDay(text, timeZone))
  const moving: Record<RelativeDays, string> = { today: t`today`, '7d': t`last 7 days`, '30d': t`last 30 days` }
  const moments = useMoments()
  const { status, paymentStatus, fulfillment, market, tag, promoCode, id, from, to, totalFrom, totalTo } = search
  const { currency, productId, variantId, customer, createdFrom, createdTo } = search
  const money = (amount: number) => format.number(amount / unitFor(search, markets))
  return (
    <>
      {status && (
        <Chip name={t`Status`} onRemove={() => onChange({ status: undefined })}>
          {say(STATUS_WORDS, status)}
        </Chip>
      )}
      {paymentStatus && (
        <Chip name={t`Payment`} onRemove={() => onChange({ paymentStatus: undefined })}>
          {say(PAYMENT_WORDS, paymentStatus)}
        </Chip>
      )}
      {fulfillment && (
        <Chip name={t`Fulfilment`} onRemove={() => onChange({ fulfillment: undefined })}>
          {say(FULFILLMENT_WORDS, fulfillment)}
        </Chip>
      )}
      {market && (
        <Chip name={t`Market`} onRemove={() => onChange({ market: undefined })}>
          {market.map((id) => markets.find((one) => one.id === id)?.name ?? id).join(', ')}
        </Chip>
      )}
      {currency && (
        <Chip name={t`Currency`} onRemove={() => onChange({ currency: undefined })}>
          {currency.join(', ')}
        </Chip>
      )}
      {customer && (
        <Chip name={t`Customer`} onRemove={() => onChange({ customer: undefined })}>
          {customer === 'NEW' ? t`new` : t`returning`}
        </Chip>
      )}
      {(productId ?? variantId) && (
        <GoodsChip
          productId={productId}
          variantId={variantId}
          onRemove={() => onChange({ productId: undefined, variantId: undefined })}
        />
      )}
      {tag && (
        <Chip name={t`Tag`} onRemove={() => onChange({ tag: undefined })}>
          {tag.join(', ')}
        </Chip>
      )}
      {promoCode && (
        <Chip name={t`Promo code`} onRemove={() => onChange({ promoCode: undefined })}>
          {promoCode.join(', ')}
        </Chip>
      )}
      {id && (
        <Chip name={t`Only`} onRemove={() => onChange({ id: undefined })}>
          {t`${plural(id.length, { one: '# picked order', other: '# picked orders' })}`}
        </Chip>
      )}
      {(from ?? to) && (
        <Chip name={t`Placed`} onRemove={() => onChange({ from: undefined, to: undefined })}>
          {isRelative(from)
            ? moving[from]
            : from && to
              ? from === to
                ? day(from)
                : `${day(from)} – ${day(to)}`
              : from
                ? t`since ${day(from)}`
                : t`until ${day(to ?? '')}`}
        </Chip>
      )}
      {(createdFrom !== undefined || createdTo !== undefined) && (
        <Chip name={t`Placed`} onRemove={() => onChange({ createdFrom: undefined, createdTo: undefined })}>
          {moments(createdFrom, createdTo)}
        </Chip>
      )}
      {(totalFrom !== undefined || totalTo !== undefined) && (
        <Chip name={t`Total`} onRemove={() => onChange({ totalFrom: undefined, totalTo: undefined })}>
          {totalFrom !== undefined && totalTo !== undefined
            ? `${money(totalFrom)} – ${money(totalTo)}`
            : totalFrom !== undefined
              ? t`from ${money(totalFrom)}`
              : t`up to ${money(totalTo ?? 0)}`}
        </Chip>
      )}
    </>
  )
}
